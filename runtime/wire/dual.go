package wire

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// Dual is an object in two forms, decoded from one text: the Go type that it embeds, and
// Unstructured, which also has the fields that the Go type does not have. The setters of
// its metadata write only to the Go type.
type Dual struct {
	Object
	Unstructured *unstructured.Unstructured
}

// DeepCopyObject returns a *Dual that shares no memory with d.
func (d *Dual) DeepCopyObject() runtime.Object {
	return &Dual{d.Object.DeepCopyObject().(Object), d.Unstructured.DeepCopy()}
}

// GetObjectKind returns an ObjectKind that sets the kind of both forms.
func (d *Dual) GetObjectKind() schema.ObjectKind { return dualKind{d} }

type dualKind struct{ *Dual }

func (k dualKind) SetGroupVersionKind(kind schema.GroupVersionKind) {
	k.Object.GetObjectKind().SetGroupVersionKind(kind)
	k.Unstructured.SetGroupVersionKind(kind)
}

func (k dualKind) GroupVersionKind() schema.GroupVersionKind {
	return k.Unstructured.GroupVersionKind()
}

// untypedOf returns the unstructured form of the object of an untyped decoder.
func untypedOf(obj Object) *unstructured.Unstructured {
	switch obj := any(obj).(type) {
	case *Dual:
		return obj.Unstructured
	case *unstructured.Unstructured:
		return obj
	}
	return nil
}

// dualCodec decodes JSON to *Dual. Faults are those of the typed form.
type dualCodec struct {
	jsonCodec
	untyped *plan.Plan
}

func newDualCodec(typed, untyped *plan.Plan, sharer memory.Sharer) dualCodec {
	return dualCodec{jsonCodec{typed, sharer}, untyped}
}

func (c dualCodec) Decode(frame []byte) (obj any, ok bool) {
	typed, ok := c.jsonCodec.Decode(frame)
	if !ok {
		return nil, false
	}
	untyped, ok := c.untyped.Decode(frame, c.sharer)
	if !ok {
		return nil, false
	}
	return newDual(typed, untyped), true
}

func (c dualCodec) Unmarshal(frame []byte) (obj any, err error) {
	typed, err := c.jsonCodec.Unmarshal(frame)
	if err != nil {
		return nil, err
	}
	untyped, err := c.untyped.Unmarshal(frame)
	if err != nil {
		return nil, err
	}
	return newDual(typed, untyped), nil
}

func newDual(typed, untyped any) *Dual {
	return &Dual{typed.(Object), untyped.(*unstructured.Unstructured)}
}
