package indexer

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// pointed is a kind that embeds pointers to its metadata.
type pointed struct {
	*metav1.TypeMeta
	*metav1.ObjectMeta
	Size int
}

func (p *pointed) DeepCopyObject() runtime.Object {
	copied := &pointed{ObjectMeta: p.ObjectMeta.DeepCopy(), Size: p.Size}
	if p.TypeMeta != nil {
		typeMeta := *p.TypeMeta
		copied.TypeMeta = &typeMeta
	}
	return copied
}

// Base is embedded as a pointer, and has what pointed has.
type Base struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

type deeper struct {
	*Base
	Size int
}

func (d *deeper) DeepCopyObject() runtime.Object { panic("this is not needed") }

// named has its kind in a field that is not embedded.
type named struct {
	metav1.ObjectMeta
	Type *metav1.TypeMeta
}

func (n *named) GetObjectKind() schema.ObjectKind { return n.Type }

func (n *named) DeepCopyObject() runtime.Object {
	typeMeta := *n.Type
	return &named{ObjectMeta: *n.ObjectMeta.DeepCopy(), Type: &typeMeta}
}

func TestEqualContentBehindPointers(t *testing.T) {
	kind, none := &metav1.TypeMeta{Kind: "Pointed"}, &metav1.TypeMeta{}
	meta, other := &metav1.ObjectMeta{Name: "a"}, &metav1.ObjectMeta{Name: "b"}
	shared := &Base{*kind, *meta}
	for name, test := range map[string]struct {
		a, b wire.Object
		want bool
	}{
		"equal":                 {&pointed{kind, meta, 1}, &pointed{kind, meta, 1}, true},
		"one without a kind":    {&pointed{kind, meta, 1}, &pointed{none, meta, 1}, true},
		"one with a nil kind":   {&pointed{kind, meta, 1}, &pointed{nil, meta, 1}, true},
		"an empty, a nil kind":  {&pointed{none, meta, 1}, &pointed{nil, meta, 1}, true},
		"another name":          {&pointed{kind, meta, 1}, &pointed{none, other, 1}, false},
		"another size":          {&pointed{kind, meta, 1}, &pointed{nil, meta, 2}, false},
		"deeper":                {&deeper{shared, 1}, &deeper{&Base{*none, *meta}, 1}, true},
		"deeper, another name":  {&deeper{&Base{*kind, *meta}, 1}, &deeper{&Base{*none, *other}, 1}, false},
		"a field":               {&named{*meta, kind}, &named{*meta, none}, true},
		"a field, another name": {&named{*meta, kind}, &named{*other, none}, false},
	} {
		if got := equalContent(test.a, test.b); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if kind.Kind != "Pointed" || *none != (metav1.TypeMeta{}) || shared.Kind != "Pointed" {
		t.Errorf("the comparison has changed a kind: %v, %v, %v", kind, none, shared)
	}
}
