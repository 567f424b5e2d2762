package crcache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/compression"
)

// prefixes leaves out of a text the beginning that it has in common with the dictionary. This module does not require S2.
type prefixes struct{ text string }

func (prefixes) NewDictionary(text, _ []byte) compression.Dictionary { return prefixes{string(text)} }

func (p prefixes) Reading() compression.Dictionary { return p }

func (p prefixes) Compress(buffer, text []byte) []byte {
	n := 0
	for n < min(len(text), len(p.text)) && text[n] == p.text[n] {
		n++
	}
	return append(binary.AppendUvarint(buffer[:0], uint64(n)), text[n:]...)
}

func (p prefixes) Decompress(buffer, compressed []byte) ([]byte, error) {
	n, length := binary.Uvarint(compressed)
	if length <= 0 || n > uint64(len(p.text)) {
		return nil, errors.New("the dictionary is another one")
	}
	return append(append(buffer[:0], p.text[:n]...), compressed[length:]...), nil
}

// newPackedCache returns a cache of packed objects.
func newPackedCache(t *testing.T, s *server, options ctrlcache.Options, objects ...client.Object) *Cache {
	t.Helper()
	options.HTTPClient, options.Scheme, options.Mapper = s.client(), testScheme(), testMapper()
	c, err := NewFunc(WithPackedObjects(prefixes{}, objects...))(s.config(), options)
	if err != nil {
		t.Fatal(err)
	}
	return c.(*Cache)
}

// TestPackedReads compares all reads of a packed cache with those of another one, and writes to what they return.
func TestPackedReads(t *testing.T) {
	s := newServer(t)
	for i := range 40 {
		s.put("widgets", newWidget(fmt.Sprintf("team-%d", i%4), fmt.Sprintf("widget-%d", i), fmt.Sprintf("color-%d", i%5)))
	}
	packed, plain := newPackedCache(t, s, ctrlcache.Options{}, &widget{}), newCache(t, s, ctrlcache.Options{})
	for _, c := range []*Cache{packed, plain} {
		if err := c.IndexField(timeout(t), &widget{}, "spec.color", func(obj client.Object) []string { return []string{obj.(*widget).Spec.Color} }); err != nil {
			t.Fatal(err)
		}
		start(t, c)
	}
	ctx, key := timeout(t), client.ObjectKey{Namespace: "team-3", Name: "widget-7"}
	for _, options := range [][]client.GetOption{nil, {client.UnsafeDisableDeepCopy}} {
		for _, form := range []func() client.Object{
			func() client.Object { return &widget{} },
			func() client.Object { return untypedWidget() },
			func() client.Object { return partialWidget() },
		} {
			for range 2 {
				got, want := form(), form()
				if err := errors.Join(packed.Get(ctx, key, got, options...), plain.Get(ctx, key, want, options...)); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("Get of a %T returns\n%+v, want\n%+v", got, got, want)
				}
				got.GetLabels()["color"] = "changed" // it belongs to the caller
			}
		}
	}
	for _, options := range [][]client.ListOption{
		nil,
		{client.InNamespace("team-1")},
		{client.MatchingLabels{"color": "color-3"}},
		{client.InNamespace("team-1"), client.MatchingLabels{"color": "color-3"}},
		{client.MatchingLabels{"color": "color-3"}, client.Limit(2)},
		{client.MatchingFields{"spec.color": "color-2"}},
		{client.InNamespace("team-2"), client.MatchingFields{"spec.color": "color-2"}},
		{client.UnsafeDisableDeepCopy},
	} {
		var got, want widgetList
		if err := errors.Join(packed.List(ctx, &got, options...), plain.List(ctx, &want, options...)); err != nil {
			t.Fatal(err)
		}
		if len(got.Items) != len(want.Items) || len(got.Items) == 0 {
			t.Errorf("%v: %d items, want %d", options, len(got.Items), len(want.Items))
		}
		for i := range got.Items {
			w := &got.Items[i]
			same := &widget{}
			if err := plain.Get(ctx, client.ObjectKeyFromObject(w), same); err != nil {
				t.Fatal(err)
			}
			if same.TypeMeta = w.TypeMeta; !reflect.DeepEqual(w, same) {
				t.Errorf("%v: an item is %+v, want %+v", options, w, same)
			}
			w.Spec.Color, w.Labels["color"] = "changed", "changed"
		}
	}
	for _, list := range []client.ObjectList{&unstructured.UnstructuredList{}, &metav1.PartialObjectMetadataList{}} {
		list.GetObjectKind().SetGroupVersionKind(widgetKind.GroupVersion().WithKind("WidgetList"))
		if err := packed.List(ctx, list, client.InNamespace("team-1")); err != nil {
			t.Fatal(err)
		}
		if n := reflect.ValueOf(list).Elem().FieldByName("Items").Len(); n != 10 {
			t.Errorf("a %T has %d items", list, n)
		}
	}
	for status := range packed.Statuses() {
		if status.Stats.Packed.Bytes == 0 || status.Stats.Packed.Reads == 0 {
			t.Errorf("%s: packed are %+v", status.Resource, status.Stats.Packed)
		}
	}
}

// TestPackedKinds: only the kinds of the objects are packed.
func TestPackedKinds(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newPackedCache(t, s, ctrlcache.Options{}, &corev1.Pod{})
	start(t, c)
	if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, &widget{}); err != nil {
		t.Fatal(err)
	}
	for status := range c.Statuses() {
		if all := status.Stats.Packed; all.Bytes != 0 || all.TextBytes != 0 || all.Values != 0 || all.Reads != 0 {
			t.Errorf("%s is packed", status.Resource)
		}
	}
}

func TestPackedMistakes(t *testing.T) {
	s := newServer(t)
	transform := func(obj any) (any, error) { return obj, nil }
	of := ctrlcache.Options{HTTPClient: s.client(), Scheme: testScheme(), Mapper: testMapper()}
	withDefault, withKind, strips := of, of, of
	withDefault.DefaultTransform = transform
	withKind.ByObject = map[client.Object]ctrlcache.ByObject{&widget{}: {Transform: transform}}
	strips.DefaultTransform = ctrlcache.TransformStripManagedFields()
	for name, test := range map[string]struct {
		packed  Option
		options ctrlcache.Options
		want    string
	}{
		"no compression":        {WithPackedObjects(nil), of, "pass packed.Compression{}"},
		"a transform":           {WithPackedObjects(prefixes{}), withDefault, "has a Transform"},
		"a transform of a kind": {WithPackedObjects(prefixes{}, &widget{}), withKind, "WithPackedObjects: Widget has a Transform"},
		"of another kind":       {WithPackedObjects(prefixes{}, &corev1.Pod{}), withKind, ""},
		"managed fields":        {WithPackedObjects(prefixes{}), strips, ""},
		"an unknown type":       {WithPackedObjects(prefixes{}, &metav1.PartialObjectMetadata{}), of, "WithPackedObjects(*v1.PartialObjectMetadata)"},
	} {
		_, err := NewFunc(test.packed)(s.config(), test.options)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: the error is %v, want %q", name, err, test.want)
		}
	}
}
