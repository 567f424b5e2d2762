package attacks

import (
	"bytes"
	"encoding/binary"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// message is an object in protobuf that is expensive to read.
type message struct {
	name string
	make func(size int) []byte
}

// delimited is a field with a length.
func delimited(number uint64, contents ...[]byte) []byte {
	content := bytes.Join(contents, nil)
	b := binary.AppendUvarint(nil, number<<3|2)
	return append(binary.AppendUvarint(b, uint64(len(content))), content...)
}

// metadata is a field with metadata that has a name.
func metadata(more ...[]byte) []byte {
	named := bytes.Join([][]byte{delimited(1, []byte("hostile")), delimited(3, []byte("default")), delimited(5, []byte("u")), delimited(6, []byte("7"))}, nil)
	return delimited(1, append([][]byte{named}, more...)...)
}

// many are parts of about size bytes together.
func many(size int, part func(i int) []byte) []byte {
	var b []byte
	for i := 0; len(b) < size; i++ {
		b = append(b, part(i)...)
	}
	return b
}

// numbered is a text of eight bytes that differs for each number.
func numbered(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)*0x9E3779B97F4A7C15) }

func same(part []byte) func(int) []byte { return func(int) []byte { return part } }

// inContainer is a field of the spec of a pod, a container with these fields.
func inContainer(fields ...[]byte) []byte { return delimited(2, fields...) }

// The numbers are those of the fields of a pod, its metadata, its spec and a container.
var podMessages = []message{
	{"unknown fields", func(size int) []byte { return append(metadata(), many(size, same([]byte{0xa0, 0x06, 1}))...) }},
	{"unknown fields with long tags", func(size int) []byte {
		return append(metadata(), many(size, same([]byte{0xa0, 0x86, 0x80, 0x80, 0, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}))...)
	}},
	{"groups", func(size int) []byte { return append(metadata(), many(size, same([]byte{0xa3, 0x06, 0xa4, 0x06}))...) }},
	{"metadata in parts", func(size int) []byte {
		return append(metadata(), many(size, func(i int) []byte { return delimited(1, delimited(14, numbered(i))) })...)
	}},
	{"labels", func(size int) []byte {
		return metadata(many(size, func(i int) []byte { return delimited(11, delimited(1, numbered(i)), delimited(2, nil)) }))
	}},
	{"the same label", func(size int) []byte { return metadata(many(size, same(delimited(11, delimited(1, []byte("a")))))) }},
	{"finalizers", func(size int) []byte { return metadata(many(size, same(delimited(14, nil)))) }},
	{"managed fields", func(size int) []byte {
		return metadata(many(size, func(i int) []byte { return delimited(17, delimited(7, delimited(1, numbered(i)))) }))
	}},
	{"empty containers", func(size int) []byte { return append(metadata(), delimited(2, many(size, same(inContainer())))...) }},
	{"containers and volumes by turns", func(size int) []byte {
		return append(metadata(), delimited(2, many(size, same(append(inContainer(), delimited(1)...))))...)
	}},
	{"containers that differ", func(size int) []byte {
		return append(metadata(), delimited(2, many(size, func(i int) []byte { return inContainer(delimited(4, numbered(i)), delimited(8, nil)) }))...)
	}},
	{"one long quantity", func(size int) []byte {
		quantity := delimited(1, bytes.Repeat([]byte("9"), size/10))
		return append(metadata(), delimited(2, inContainer(delimited(8, delimited(1, delimited(1, []byte("cpu")), delimited(2, quantity)))))...)
	}},
	{"quantities", func(size int) []byte {
		limits := many(size, func(i int) []byte {
			return delimited(1, delimited(1, numbered(i)), delimited(2, delimited(1, []byte("1.5e3"))))
		})
		return append(metadata(), delimited(2, inContainer(delimited(8, limits)))...)
	}},
	{"a mistake at the end", func(size int) []byte {
		spec := many(size, func(i int) []byte {
			return inContainer(delimited(1, numbered(i)), delimited(7, delimited(1, []byte("a"))))
		})
		return append(append(metadata(), delimited(2, spec)...), 3<<3|2, 1, 0xff)
	}},
}

// schemas is a definition with one version, whose schema is inner.
func schemas(inner []byte) []byte {
	return append(metadata(), delimited(2, delimited(7, delimited(4, delimited(1, inner))))...)
}

var definitionMessages = []message{
	{"nested schemas", func(size int) []byte {
		var inner []byte
		for range min(size/20, deepest/2) {
			inner = delimited(28, inner)
		}
		return schemas(inner)
	}},
	{"towers of schemas", func(size int) []byte {
		return schemas(many(size, func(i int) []byte {
			inner := delimited(2, numbered(i))
			for len(inner) < 4000 {
				inner = delimited(28, inner)
			}
			return delimited(29, delimited(1, numbered(i)), delimited(2, inner))
		}))
	}},
	{"empty properties", func(size int) []byte {
		return schemas(many(size, func(i int) []byte { return delimited(29, delimited(1, numbered(i)), delimited(2)) }))
	}},
	{"properties with schemas", func(size int) []byte {
		return schemas(many(size, func(i int) []byte {
			return delimited(29, delimited(1, numbered(i)), delimited(2, delimited(28, delimited(28, delimited(28)))))
		}))
	}},
}

// messages is each message in a list and in a watch.
func messages(size int) (attacks []attack) {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(known); err != nil {
			panic(err) // the schemes of these packages can always be joined
		}
	}
	codecs := serializer.NewCodecFactory(known).WithoutConversion()
	info, _ := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	theirs := peer{info.StreamSerializer, codecs.DecoderToVersion(info.Serializer, nil)}
	for _, m := range podMessages {
		attacks = append(attacks, decodeMessage[*corev1.Pod](m, corev1.SchemeGroupVersion.WithKind("Pod"), size, theirs)...)
	}
	for _, m := range definitionMessages {
		attacks = append(attacks, decodeMessage[*apiextensionsv1.CustomResourceDefinition](m, apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"), size, theirs)...)
	}
	return attacks
}

func decodeMessage[T wire.Object](m message, kind schema.GroupVersionKind, size int, theirs peer) []attack {
	ours := wire.NewDecoder(reflect.TypeFor[T](), wire.Options{ReadOnly: true}, nil) // as informers have it
	raw := m.make(size)
	return []attack{
		{kind.Kind + " in protobuf, listed: " + m.name, func() (func() error, func() error) {
			body := envelope(kind.GroupVersion().String(), kind.Kind+"List", append(delimited(1, delimited(2, []byte("7"))), delimited(2, raw)...))
			return func() error { return listed(ours, body) }, func() error {
				_, _, err := theirs.objects.Decode(body, nil, nil)
				return err
			}
		}},
		{kind.Kind + " in protobuf, watched: " + m.name, func() (func() error, func() error) {
			event := metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: envelope(kind.GroupVersion().String(), kind.Kind, raw)}}
			frame, _ := event.Marshal() // which cannot fail
			body := append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)
			return func() error { return watched(ours, body) }, func() error { return theirs.watched(body) }
		}},
	}
}

// envelope is a message with its kind, as servers write it.
func envelope(apiVersion, kind string, raw []byte) []byte {
	return append([]byte("k8s\x00"), append(delimited(1, delimited(1, []byte(apiVersion)), delimited(2, []byte(kind))), delimited(2, raw)...)...)
}
