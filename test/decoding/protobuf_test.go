package decoding

import (
	"bytes"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// The serializer of real clients, whose results define what is right.
var protobufSerializer = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)

// message is what generated types have.
type message interface {
	runtime.Object
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// hasProtobuf reports whether a server has objects of the kind as protobuf.
func (k kind) hasProtobuf() bool {
	_, ok := k.new().(message)
	return ok && strings.HasPrefix(k.typ.PkgPath(), "k8s.io/")
}

// protobufKinds returns the kinds that servers have as protobuf.
func protobufKinds() (found []kind) {
	for _, k := range kinds {
		if k.hasProtobuf() {
			found = append(found, k)
		}
	}
	return found
}

// message returns the message of an object.
func (k kind) message(t testing.TB, obj runtime.Object) []byte {
	t.Helper()
	raw, err := obj.(message).Marshal()
	if err != nil {
		t.Fatalf("%v: %v", k, err)
	}
	return raw
}

// envelope returns an object as a server writes it into an event.
func (k kind) envelope(t testing.TB, obj runtime.Object) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := protobufSerializer.Encode(obj, &b); err != nil {
		t.Fatalf("%v: %v", k, err)
	}
	return b.Bytes()
}

// wrapped returns the envelope of a message.
func wrapped(raw []byte) []byte {
	u := runtime.Unknown{Raw: raw}
	b, err := u.Marshal()
	if err != nil {
		panic(err) // a Buffer can always be written to
	}
	return append([]byte("k8s\x00"), b...)
}

// theirMessage is what the generated method makes of a message.
func (k kind) theirMessage(raw []byte) (obj runtime.Object, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%v", reason)
		}
	}()
	obj = k.new()
	return obj, obj.(message).Unmarshal(raw)
}

// messageDifference decodes a message in both ways; it is empty if the results are equal.
func (k kind) messageDifference(raw []byte) string {
	want, wantErr := k.theirMessage(raw)
	text := wrapped(raw)
	got, err := k.ours(text)
	_, _ = k.ourShared(text)
	shared, sharedErr := k.ourShared(text)
	if (err != nil) != (sharedErr != nil) || err == nil && !reflect.DeepEqual(shared, got) {
		return fmt.Sprintf("%v: shared\n%s, %v\nwant\n%s, %v", k, shown(shared), sharedErr, shown(got), err)
	}
	return k.compare(text, got, err, want, wantErr)
}

// limitedMessageDifference is messageDifference for what Options leave out. Fields that are
// left out are not decoded, so what is wrong in them may be accepted.
func (k kind) limitedMessageDifference(raw []byte) string {
	want, wantErr := k.theirMessage(raw)
	got, err := k.ourLimited(wrapped(raw))
	switch {
	case wantErr != nil:
		return ""
	case err != nil:
		return fmt.Sprintf("%v: error %v, want none", k, err)
	}
	if leaveOut(want); !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("%v: decoded\n%s\nwant\n%s", k, shown(got), shown(want))
	}
	return ""
}

// TestMessages decodes filled objects of all kinds.
func TestMessages(t *testing.T) {
	rounds := 15
	if testing.Short() {
		rounds = 4
	}
	for _, k := range protobufKinds() {
		t.Run(k.String(), func(t *testing.T) {
			t.Parallel()
			for seed := range rounds {
				text := k.envelope(t, k.filled(rand.NewSource(int64(seed))))
				want, _, err := protobufSerializer.Decode(text, nil, k.new())
				if err != nil {
					t.Fatal(err)
				}
				got, err := k.ours(bytes.Clone(text))
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d: decoded\n%s\nwant\n%s", seed, shown(got), shown(want))
				}
				if !decodedFast(got) {
					t.Errorf("seed %d: the fast path has given up", seed)
				}
				leaveOut(want)
				if got, err = k.ourLimited(text); err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d: left out\n%s, %v\nwant\n%s", seed, shown(got), err, shown(want))
				}
			}
		})
	}
}

func BenchmarkPodMessage(b *testing.B) {
	k := kindOfType(reflect.TypeFor[corev1.Pod]())
	all := texts(podTextOf)
	var raws [][]byte
	for i, text := range all {
		obj, err := k.theirs(text)
		if err != nil {
			b.Fatal(err)
		}
		all[i] = k.envelope(b, obj)
		raws = append(raws, k.message(b, obj))
	}
	ours, limited := wire.NewDecoder(reflect.TypeFor[*corev1.Pod](), wire.Options{}, nil), wire.NewDecoder(reflect.TypeFor[*corev1.Pod](), wire.Options{WithoutFields: []string{"metadata.managedFields"}}, nil)
	b.Run("wire", func(b *testing.B) { benchmark(b, all, decodePod(ours)) })
	b.Run("wire without managedFields", func(b *testing.B) { benchmark(b, all, decodePod(limited)) })
	b.Run("apimachinery", func(b *testing.B) {
		benchmark(b, raws, func(raw []byte) (*corev1.Pod, error) {
			pod := new(corev1.Pod)
			return pod, pod.Unmarshal(raw)
		})
	})
}

func decodePod(decoder *wire.Decoder) func([]byte) (*corev1.Pod, error) {
	return func(text []byte) (*corev1.Pod, error) {
		obj, err := decoder.Decode(text)
		return typed[*corev1.Pod](obj), err
	}
}
