package protobuf

import (
	"fmt"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// secret resembles a Secret and a ConfigMap.
type secret struct {
	metav1.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt,name=metadata"`
	Data              map[string][]byte `json:"data" protobuf:"bytes,2,rep,name=data"`
}

func pointerOf(value any) uintptr { return reflect.ValueOf(value).Pointer() }

func TestReadOnlyObjectsShareParts(t *testing.T) {
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: "a", Labels: map[string]string{"app": "web"}, Annotations: map[string]string{"app": "web"}, Finalizers: []string{"f"},
		OwnerReferences: []metav1.OwnerReference{{Name: "set"}},
		ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "m", FieldsV1: fieldsV1("{}")}},
	}}
	decode := func(name string, sharer memory.Sharer) *metav1.PartialObjectMetadata {
		obj.Name = name
		message, err := obj.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		decoded, ok := planOf(obj).Decode(message, sharer)
		if !ok || !reflect.DeepEqual(decoded, any(obj)) {
			t.Fatalf("decoded %+v, %v", decoded, ok)
		}
		return decoded.(*metav1.PartialObjectMetadata)
	}
	parts := func(o *metav1.PartialObjectMetadata) []uintptr {
		return []uintptr{pointerOf(o.Finalizers), pointerOf(o.OwnerReferences), pointerOf(o.ManagedFields), pointerOf(o.ManagedFields[0].FieldsV1)}
	}
	a, b := parts(decode("a", 1)), parts(decode("b", 1))
	for try := range 20 { // the pool may give each object another scratch, and two parts may have one slot
		if reflect.DeepEqual(a, b) {
			break
		}
		if try%2 == 1 {
			obj.Labels["app"], obj.Finalizers[0] = fmt.Sprint("web-", try), fmt.Sprint("f-", try)
		}
		a, b = b, parts(decode("c", 1))
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("the parts of two objects are at %x and %x", a, b)
	}
	if one, other := decode("a", 1), decode("b", 1); pointerOf(one.Labels) == pointerOf(other.Labels) || pointerOf(one.Annotations) == pointerOf(other.Annotations) {
		t.Error("labels or annotations are shared")
	}
	for i, at := range parts(decode("other", 2)) {
		if at == b[i] {
			t.Errorf("part %d is shared with an object of another informer", i)
		}
	}
	own := decode("own", 0)
	for i, at := range parts(own) {
		if at == b[i] {
			t.Errorf("part %d of an object that may be written to is shared", i)
		}
	}
	own.Labels["app"], own.OwnerReferences[0].Name = "changed", "changed"
	decode("d", 1) // which compares it with obj
}

func TestPartsOfSecretsAreNotShared(t *testing.T) {
	d := plans.message(reflect.TypeFor[secret](), reflect.TypeFor[secret](), nil)
	s := &scratch{sharer: 1}
	message := []byte{2<<3 | 2, 10, 1<<3 | 2, 1, 'k', 2<<3 | 2, 5, 'h', 'u', 's', 'h', '!'}
	for range 3 {
		s.depth = 0
		if end := d.body(s, message, 0, slotOf(t, &secret{})); end != len(message) {
			t.Fatalf("it ends at %d", end)
		}
	}
	if s.Private != 0 || len(s.Held()) > 0 || !reflect.ValueOf(s.parts).FieldByName("met").IsZero() {
		t.Errorf("%q are held, or parts are", s.Held())
	}
}

// secrets has secrets in a part that would be shared.
type secrets struct {
	Items []secret `json:"items" protobuf:"bytes,2,rep,name=items"`
}

func TestPartsWithSecretsAreNotShared(t *testing.T) {
	d := plans.message(reflect.TypeFor[secrets](), reflect.TypeFor[secrets](), nil)
	s := &scratch{sharer: 1}
	message := []byte{2<<3 | 2, 12, 2<<3 | 2, 10, 1<<3 | 2, 1, 'k', 2<<3 | 2, 5, 'h', 'u', 's', 'h', '!'}
	if end := d.body(s, message, 0, slotOf(t, &secrets{})); end != len(message) {
		t.Fatalf("it ends at %d", end)
	}
	if len(s.Held()) > 0 || !reflect.ValueOf(s.parts).FieldByName("met").IsZero() {
		t.Errorf("%q are held, or parts are", s.Held())
	}
}

func slotOf(t *testing.T, of any) memory.Slot {
	t.Helper()
	return memory.SlotOf(reflect.ValueOf(of))
}
