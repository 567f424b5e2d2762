package cache

import (
	"os"

	"k8s.io/klog/v2"
)

// decoderVariable is the variable of the environment that sets WithReferenceDecoder for all informers of a process.
const decoderVariable, referenceDecoder = "INFORMER_DECODER", "reference"

// WithReferenceDecoder decodes objects with apimachinery's serializers instead of those of package runtime/wire. The objects are the
// same, but take several times as long, and share no memory. It is for the incident in which someone suspects the decoders.
//
// In an incident nobody rebuilds. So INFORMER_DECODER=reference in the environment does the same for all informers of the process
// that are made after it was set, as the variables KUBE_FEATURE_… of client-go do. It is the only variable that this package reads.
// The log, status.Informer and the page say that it is on.
//
// A view in protobuf is decoded as the whole kind first. Fields that WithFields or WithoutFields leaves out are decoded and then
// removed, and packed objects in protobuf keep their text. Packed objects are decoded by it for each reader. The limit of
// WithMaxObjectBytes, and the division of a body into objects, stay as they are.
func WithReferenceDecoder() SharedInformerOption {
	return setting(func(s *settings) { s.Decode.Reference = true })
}

// WithDecoderCheck also decodes one of so many objects with apimachinery's serializers, and compares: one at a time, in the background,
// and none while another one is decoded, so it takes at most one processor. One in a hundred adds up to 5 % to the processor time of
// decoding, which is about half of that of a first sync. Each field that differs is logged once, with the name of an object and without contents; status.Informer and metrics count the
// objects. Nothing else changes. Objects that a typed client decodes are not compared.
func WithDecoderCheck(oneIn int) SharedInformerOption {
	return optionOf(func(o *options) {
		if oneIn < 1 {
			o.mistake("WithDecoderCheck", "one object in %d cannot be compared; use 1 for each object, or 100 for one in a hundred", oneIn)
			return
		}
		setting(func(s *settings) { s.DecoderCheck = oneIn })(o)
	})
}

// readEnvironment applies the environment to settings that are complete.
func (s *settings) readEnvironment() {
	s.Decode.Reference = s.Decode.Reference || os.Getenv(decoderVariable) == referenceDecoder
}

// warnOfDecoder logs that objects are not decoded as usual.
func (s *settings) warnOfDecoder(logger klog.Logger) {
	if value := os.Getenv(decoderVariable); value != "" && value != referenceDecoder {
		logger.Error(nil, "The variable INFORMER_DECODER of the environment has no effect; set it to reference, or remove it", "value", value)
	}
	if s.Decode.Reference {
		logger.Info("Objects are decoded by apimachinery's serializers, which takes several times as long", "variable", os.Getenv(decoderVariable))
	}
}
