package protobuf

import (
	"bytes"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
)

// omitted leaves out managed fields, and annotations with these keys.
func omitted(managedFields bool, annotations []string) *fieldmask.Mask {
	var paths []fieldmask.Path
	if managedFields {
		paths = append(paths, fieldmask.Path{{Name: "metadata"}, {Name: "managedFields"}})
	}
	for _, key := range annotations {
		paths = append(paths, fieldmask.Path{{Name: "metadata"}, {Name: "annotations"}, {Name: key, IsKey: true}})
	}
	return fieldmask.Without(paths...)
}

func partialMessage(t testing.TB) []byte {
	obj, fields := &metav1.PartialObjectMetadata{}, &metav1.FieldsV1{}
	if err := fields.UnmarshalJSON([]byte(`{"f:a":{}}`)); err != nil {
		t.Fatal(err)
	}
	obj.Name, obj.UID, obj.Finalizers = "x", "u", []string{"f"}
	obj.Annotations = map[string]string{"a": "1", "": "2", "long": string(make([]byte, 200))}
	obj.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m", FieldsV1: fields}, {Manager: "n"}}
	return marshaled(t, obj)
}

// TestCut leaves managed fields and annotations out of a message.
func TestCut(t *testing.T) {
	message := partialMessage(t)
	of := reflect.TypeFor[metav1.PartialObjectMetadata]()
	for _, keys := range [][]string{{"a"}, {"", "long"}, {"other"}, {"a", "", "long"}, nil} {
		for _, managedFields := range []bool{true, false} {
			mask := omitted(managedFields, keys)
			rest, _ := For(of, of, nil).Cut(message, mask)
			got := &metav1.PartialObjectMetadata{}
			if err := got.Unmarshal(rest); err != nil {
				t.Fatal(err)
			}
			want := &metav1.PartialObjectMetadata{}
			if err := want.Unmarshal(message); err != nil {
				t.Fatal(err)
			}
			for _, key := range keys {
				delete(want.Annotations, key)
			}
			if len(want.Annotations) == 0 {
				want.Annotations = nil // a message has no empty map
			}
			if managedFields {
				want.ManagedFields = nil
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("without %v: %+v, want %+v", mask, got, want)
			}
			p := For(of, of, mask)
			decoded, ok := p.Decode(message, 0)
			unmarshaled, err := p.Unmarshal(message)
			if !ok || err != nil || !reflect.DeepEqual(decoded, want) || !reflect.DeepEqual(unmarshaled, want) {
				t.Errorf("without %v, decoded: %+v and %+v, %v, want %+v", mask, decoded, unmarshaled, err, want)
			}
			if size := len(marshaled(t, want)); len(rest) != size {
				t.Errorf("without %v: %d bytes, want %d", mask, len(rest), size)
			}
		}
	}
}

// FuzzCutMessage decodes a message, and what Cut leaves of it. A message that Decode gives up on is not cut.
func FuzzCutMessage(f *testing.F) {
	message := partialMessage(f)
	f.Add(message, "a")
	f.Add(append(bytes.Clone(message), message...), "long")
	of := reflect.TypeFor[metav1.PartialObjectMetadata]()
	f.Fuzz(func(t *testing.T, message []byte, key string) {
		mask := omitted(true, []string{key})
		p := For(of, of, mask)
		whole, ok := p.Decode(message, 0)
		if !ok {
			return
		}
		rest, isCut := p.Cut(message, mask)
		got, ok := p.Decode(rest, 0)
		again, err := p.Unmarshal(rest)
		if !isCut || !ok || !reflect.DeepEqual(got, whole) || err != nil || !reflect.DeepEqual(again, whole) {
			t.Errorf("%q is cut to %q, which is %+v and %+v, %v, want %+v", message, rest, got, again, err, whole)
		}
	})
}
