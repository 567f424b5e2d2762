package attacks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	restwatch "k8s.io/client-go/rest/watch"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// target is a decoder of both sides. Ours decodes as informers do: the objects are read-only.
type target struct {
	name string
	// kind is that of the texts that it reads; all if it is empty.
	kind string
	// apiVersion and listKind are those of a list, which client-go's decoder has to know.
	apiVersion, listKind string
	attacks              func(name string, t target, obj []byte, theirs peer) []attack
	options              wire.Options
}

var targets = []target{
	{"Pod", "pod", "v1", "PodList", decode[*corev1.Pod], wire.Options{ReadOnly: true}},
	{"metadata", "pod", "meta.k8s.io/v1", "PartialObjectMetadataList", decode[*metav1.PartialObjectMetadata], wire.Options{ReadOnly: true, WithoutFields: []string{"metadata.managedFields", "metadata.annotations[a]"}}},
	{"Secret", "secret", "v1", "SecretList", decode[*corev1.Secret], wire.Options{ReadOnly: true}},
	{"CustomResourceDefinition", "crd", "apiextensions.k8s.io/v1", "CustomResourceDefinitionList", decode[*apiextensionsv1.CustomResourceDefinition], wire.Options{ReadOnly: true}},
	{"unstructured", "", "example.com/v1", "CustomList", decode[*unstructured.Unstructured], wire.Options{ReadOnly: true}},
}

// decoding is each text in a list and in a watch, for each decoder that reads its kind.
func decoding(size int) (attacks []attack) {
	scheme := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(scheme))
	utilruntime.Must(apiextensionsv1.AddToScheme(scheme))
	utilruntime.Must(metav1.AddMetaToScheme(scheme))
	metav1.AddToGroupVersion(scheme, corev1.SchemeGroupVersion) // WatchEvent
	codecs := serializer.NewCodecFactory(scheme).WithoutConversion()
	info, _ := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	typed := peer{info.StreamSerializer, codecs.DecoderToVersion(info.Serializer, nil)}
	// The dynamic client looks at the kind before, which is not measured.
	untyped := peer{info.StreamSerializer, unstructured.UnstructuredJSONScheme}
	for _, text := range texts {
		obj := text.make(size)
		for _, t := range targets {
			switch {
			case t.kind == "":
				attacks = append(attacks, t.attacks(text.name, t, obj, untyped)...)
			case t.name == "metadata" && t.kind == text.kind:
				attacks = append(attacks, t.attacks(text.name, t, asMetadata(obj), typed)...)
			case t.kind == text.kind:
				attacks = append(attacks, t.attacks(text.name, t, obj, typed)...)
			}
		}
	}
	return attacks
}

// asMetadata is the object in an answer to a request for metadata only. Its other members
// are part of the attack.
func asMetadata(obj []byte) []byte {
	obj = bytes.Replace(obj, []byte(`"apiVersion":"v1"`), []byte(`"apiVersion":"meta.k8s.io/v1"`), 1)
	return bytes.Replace(obj, []byte(`"kind":"Pod"`), []byte(`"kind":"PartialObjectMetadata"`), 1)
}

func decode[T wire.Object](name string, t target, obj []byte, theirs peer) []attack {
	ours := wire.NewDecoder(reflect.TypeFor[T](), t.options, nil)
	return []attack{
		{t.name + ", listed: " + name, func() (func() error, func() error) {
			body := fmt.Appendf(nil, `{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":"7"},"items":[%s]}`, t.listKind, t.apiVersion, obj)
			return func() error { return listed(ours, body) }, func() error {
				_, _, err := theirs.objects.Decode(body, nil, nil)
				return err
			}
		}},
		{t.name + ", watched: " + name, func() (func() error, func() error) {
			body := fmt.Appendf(nil, "{\"type\":\"MODIFIED\",\"object\":%s}\n", obj)
			return func() error { return watched(ours, body) }, func() error { return theirs.watched(body) }
		}},
	}
}

func listed(decoder *wire.Decoder, body []byte) error {
	page, err := decoder.List(context.Background(), io.NopCloser(bytes.NewReader(body)))
	if err == nil && len(page.Items) != 1 {
		return fmt.Errorf("%d objects were decoded", len(page.Items))
	}
	return err
}

func watched(decoder *wire.Decoder, body []byte) error {
	stream := decoder.Watch(context.Background(), io.NopCloser(bytes.NewReader(body)))
	defer stream.Stop()
	events := 0
	for {
		some, err := stream.Next(context.Background(), nil)
		events += len(some)
		switch {
		case errors.Is(err, io.EOF) && events == 1:
			return nil
		case err != nil:
			return err
		}
	}
}

// peer is how client-go decodes.
type peer struct {
	stream  *runtime.StreamSerializerInfo
	objects runtime.Decoder
}

func (p peer) watched(body []byte) error {
	frames := p.stream.Framer.NewFrameReader(io.NopCloser(bytes.NewReader(body)))
	events := restwatch.NewDecoder(streaming.NewDecoder(frames, p.stream.Serializer), p.objects)
	defer events.Close()
	_, _, err := events.Decode()
	return err
}
