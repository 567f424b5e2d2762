package crcache

import (
	"fmt"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// WithReferenceDecoder is an option of NewFunc: all objects are decoded with apimachinery's serializers, which takes several times as
// long. INFORMER_DECODER=reference in the environment does it without a build. See cache.WithReferenceDecoder of package runtime/cache.
func WithReferenceDecoder() Option {
	return func(s *settings) error {
		s.decoding = append(s.decoding, cache.WithReferenceDecoder())
		return nil
	}
}

// WithDecoderCheck is an option of NewFunc: of each so many objects of a kind one is also decoded with apimachinery's serializers, in
// the background, and differences are logged and counted. See cache.WithDecoderCheck of package runtime/cache.
func WithDecoderCheck(oneIn int) Option {
	return func(s *settings) error {
		if oneIn < 1 {
			return fmt.Errorf("crcache: WithDecoderCheck(%d): one object in %[1]d cannot be compared; use 1 for each object, or 100 for one in a hundred", oneIn)
		}
		s.decoding = append(s.decoding, cache.WithDecoderCheck(oneIn))
		return nil
	}
}
