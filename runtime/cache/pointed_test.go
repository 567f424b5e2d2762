package cache

import (
	"context"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
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
		a, b Object
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
		if got := indexer.EqualContent(test.a, test.b); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if kind.Kind != "Pointed" || *none != (metav1.TypeMeta{}) || shared.Kind != "Pointed" {
		t.Errorf("the comparison has changed a kind: %v, %v, %v", kind, none, shared)
	}
}

// pointedList is a list of pointers.
type pointedList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []*pointed
}

func (l *pointedList) DeepCopyObject() runtime.Object { panic("this is not needed") }

type pointedClient struct {
	items []*pointed
	watch *watch.FakeWatcher
}

func (c pointedClient) List(context.Context, metav1.ListOptions) (*pointedList, error) {
	return &pointedList{Items: c.items}, nil
}

func (c pointedClient) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return c.watch, nil
}

// TestTypedClientOfPointers lists and watches with a client whose objects may have no
// metadata.
func TestTypedClientOfPointers(t *testing.T) {
	good := &pointed{ObjectMeta: &metav1.ObjectMeta{Name: "a"}}
	page, err := sourceOfClient(pointedClient{items: []*pointed{good}}).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(page.Items) != 1 || page.Items[0].Object != Object(good) {
		t.Errorf("listed %v, %v", page.Items, err)
	}
	for name, bad := range map[string]*pointed{"without metadata": {Size: 1}, "nil": nil} {
		w := watch.NewFakeWithChanSize(1, false)
		source := sourceOfClient(pointedClient{items: []*pointed{good, bad}, watch: w})
		if _, err := source.List(t.Context(), metav1.ListOptions{}); reasonOf(err) != Decode {
			t.Errorf("%s: the error of the list is %v", name, err)
		}
		stream, err := source.Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w.Add(bad)
		if events, err := stream.Next(t.Context(), nil); len(events) != 0 || reasonOf(err) != Decode {
			t.Errorf("%s: the watch has %v, %v", name, events, err)
		}
		stream.Stop()
	}
}

// slim is a kind without managed fields.
type slim struct{ metav1.PartialObjectMetadata }

func (*slim) SetManagedFields([]metav1.ManagedFieldsEntry) { panic("there are none") }

func TestTrimmerOfSlimMetadata(t *testing.T) {
	obj := &slim{}
	obj.Annotations = map[string]string{"drop": "1", "keep": "2"}
	wire.Trimmer(&wire.Options{WithoutManagedFields: true, WithoutAnnotations: []string{"drop"}})(obj)
	if !reflect.DeepEqual(obj.Annotations, map[string]string{"keep": "2"}) {
		t.Errorf("the annotations are %v", obj.Annotations)
	}
}
