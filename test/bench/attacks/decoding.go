package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

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

// decoding is each text by each decoder that reads its kind, in a list and in a watch.
func decoding(size int) (attacks []attack) {
	scheme := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(scheme))
	utilruntime.Must(apiextensionsv1.AddToScheme(scheme))
	utilruntime.Must(metav1.AddMetaToScheme(scheme))
	metav1.AddToGroupVersion(scheme, corev1.SchemeGroupVersion) // WatchEvent
	peer := newPeer(scheme)
	for _, t := range texts {
		obj := t.make(size)
		switch t.kind {
		case "pod":
			attacks = append(attacks, decode[*corev1.Pod](t.name, "Pod", obj, peer, wire.Options{})...)
			attacks = append(attacks, decode[*metav1.PartialObjectMetadata](t.name, "metadata", asMetadata(obj), peer, wire.Options{WithoutManagedFields: true, WithoutAnnotations: []string{"a"}})...)
		case "secret":
			attacks = append(attacks, decode[*corev1.Secret](t.name, "Secret", obj, peer, wire.Options{})...)
		case "crd":
			attacks = append(attacks, decode[*apiextensionsv1.CustomResourceDefinition](t.name, "CustomResourceDefinition", obj, peer, wire.Options{})...)
		}
		attacks = append(attacks, decode[*unstructured.Unstructured](t.name, "unstructured", obj, peer.untyped(), wire.Options{})...)
	}
	return attacks
}

// asMetadata is the object as a server answers that is asked for metadata only. That it
// has other members too is part of the attack.
func asMetadata(obj []byte) []byte {
	obj = bytes.Replace(obj, []byte(`"apiVersion":"v1"`), []byte(`"apiVersion":"meta.k8s.io/v1"`), 1)
	return bytes.Replace(obj, []byte(`"kind":"Pod"`), []byte(`"kind":"PartialObjectMetadata"`), 1)
}

// peer is how client-go decodes.
type peer struct {
	stream  *runtime.StreamSerializerInfo
	objects runtime.Decoder
}

func newPeer(scheme *runtime.Scheme) peer {
	codecs := serializer.NewCodecFactory(scheme).WithoutConversion()
	info, _ := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	return peer{info.StreamSerializer, codecs.DecoderToVersion(info.Serializer, nil)}
}

// untyped is how the dynamic client decodes, but for a first look at the kind.
func (p peer) untyped() peer { return peer{p.stream, unstructured.UnstructuredJSONScheme} }

func decode[T wire.Object](name, decoder string, obj []byte, theirs peer, options wire.Options) []attack {
	ours := wire.NewDecoder[T](options, nil)
	return []attack{
		{decoder + ", listed: " + name, func() (func() error, func() error) {
			body := listOf(obj, decoder)
			return func() error { return listed(ours, body) }, func() error {
				_, _, err := theirs.objects.Decode(body, nil, nil)
				return err
			}
		}},
		{decoder + ", watched: " + name, func() (func() error, func() error) {
			body := fmt.Appendf(nil, "{\"type\":\"MODIFIED\",\"object\":%s}\n", obj)
			return func() error { return watched(ours, body) }, func() error { return theirs.watched(body) }
		}},
	}
}

// listOf is the answer to a LIST. client-go does not find out by itself what a list is
// of.
func listOf(obj []byte, decoder string) []byte {
	apiVersion, kind := "v1", "PodList"
	switch decoder {
	case "Secret":
		kind = "SecretList"
	case "metadata":
		apiVersion, kind = "meta.k8s.io/v1", "PartialObjectMetadataList"
	case "CustomResourceDefinition":
		apiVersion, kind = "apiextensions.k8s.io/v1", "CustomResourceDefinitionList"
	case "unstructured":
		apiVersion, kind = "example.com/v1", "CustomList"
	}
	return fmt.Appendf(nil, `{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":"7"},"items":[%s]}`, kind, apiVersion, obj)
}

func listed[T wire.Object](decoder *wire.Decoder[T], body []byte) error {
	page, err := decoder.List(context.Background(), io.NopCloser(bytes.NewReader(body)))
	if err == nil && len(page.Items) != 1 {
		return fmt.Errorf("%d objects were decoded", len(page.Items))
	}
	return err
}

func watched[T wire.Object](decoder *wire.Decoder[T], body []byte) error {
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

func (p peer) watched(body []byte) error {
	frames := p.stream.Framer.NewFrameReader(io.NopCloser(bytes.NewReader(body)))
	events := restwatch.NewDecoder(streaming.NewDecoder(frames, p.stream.Serializer), p.objects)
	defer events.Close()
	_, _, err := events.Decode()
	return err
}
