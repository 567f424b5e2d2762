package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

type object = *metav1.PartialObjectMetadata

func named(namespace, name string) wire.Item {
	return wire.Item{Object: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}}
}

// fixed is a source of one page, and of one batch of events.
type fixed struct {
	page   wire.Page
	events []wire.Event
}

func (f *fixed) List(context.Context, metav1.ListOptions) (wire.Page, error) { return f.page, nil }

func (f *fixed) Watch(context.Context, metav1.ListOptions) (source.Stream, error) { return f, nil }

func (f *fixed) Next(_ context.Context, reuse []wire.Event) ([]wire.Event, error) {
	if f.events == nil {
		return reuse[:0], io.EOF
	}
	batch := append(reuse[:0], f.events...)
	f.events = nil
	return batch, nil
}

func (*fixed) Stop() {}

var errNamed = errors.New("named")

func gateOf(from source.Source, settings Settings) *Gate {
	settings.Form, settings.Client, settings.Decode = store.FormOf[object](), from, &wire.Options{}
	settings.ObjectError = func(name listed.Name, err error) error { return fmt.Errorf("%s: %w: %w", name, errNamed, err) }
	return New(settings)
}

// TestRefusesObjects sends an object by a list, and by a watch after another one, which passes.
func TestRefusesObjects(t *testing.T) {
	changing := func(change func(wire.Object) (wire.Object, error)) Settings {
		return Settings{Transform: func(obj wire.Object) (wire.Object, error) {
			if obj.GetName() == "good" {
				return obj, nil
			}
			return change(obj)
		}}
	}
	for name, test := range map[string]struct {
		settings Settings
		item     wire.Item
		want     string
	}{
		"another type": {Settings{}, wire.Item{Object: &unstructured.Unstructured{Object: map[string]any{}}}, "instead of a *v1.PartialObjectMetadata"},
		"a transform that renames": {changing(func(obj wire.Object) (wire.Object, error) {
			obj.SetName("other")
			return obj, nil
		}), named("a", "1"), "a/1: named: transform: the function changed the name"},
		"a transform that returns nothing": {changing(func(wire.Object) (wire.Object, error) { return nil, nil }), named("a", "1"), "neither an object nor an error"},
		"a transform that fails":           {changing(func(wire.Object) (wire.Object, error) { return nil, errors.New("no") }), named("a", "1"), "transform: no"},
		"another namespace":                {Settings{Namespace: "a"}, named("b", "1"), "b/1: named: the server sent the object for namespace a"},
		"an undecodable object of another namespace": {Settings{Namespace: "a"}, wire.Item{Err: &wire.DecodeError{Namespace: "b", Name: "1"}},
			"b/1: named: the server sent the object for namespace a"},
	} {
		t.Run(name, func(t *testing.T) {
			good := named("a", "good")
			inList := test.item
			if obj := inList.Object; obj != nil { // a transform may change it
				inList.Object = obj.DeepCopyObject().(wire.Object)
			}
			g := gateOf(&fixed{wire.Page{Items: []wire.Item{good, inList}}, []wire.Event{{Type: watch.Added, Item: good}, {Type: watch.Added, Item: test.item}}}, test.settings)
			stream, err := g.Watch(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if events, err := stream.Next(t.Context(), nil); err != nil || len(events) != 1 || events[0].Object != good.Object {
				t.Errorf("first, the watch has %v, error %v", events, err)
			}
			_, ofWatch := stream.Next(t.Context(), nil)
			_, ofList := g.List(t.Context(), metav1.ListOptions{})
			for _, err := range []error{ofWatch, ofList} {
				if !errors.Is(err, errNamed) || !strings.Contains(err.Error(), test.want) {
					t.Errorf("the error is %v, want %q", err, test.want)
				}
			}
		})
	}
}

// TestLeavesOutWhatIsNotOfTheScope: the version of an event counts, whatever it is about, and so does the first object of a page.
func TestLeavesOutWhatIsNotOfTheScope(t *testing.T) {
	rule := scoping.NewRule("metadata.name!=other", sharding.Selector{})
	from := &fixed{wire.Page{Items: []wire.Item{named("a", "other"), named("a", "1")}}, []wire.Event{
		{Type: watch.Added, Item: named("a", "1"), ResourceVersion: "1"},
		{Type: watch.Modified, Item: named("a", "other"), ResourceVersion: "2", Dropped: 3},
		{Type: wire.NoLongerKept, Item: wire.Item{Err: &wire.DecodeError{Namespace: "a", Name: "other"}}, ResourceVersion: "3"},
		{Type: watch.Bookmark, ResourceVersion: "4"},
	}}
	g := gateOf(from, Settings{Rule: &rule, Transform: func(obj wire.Object) (wire.Object, error) {
		if obj.GetName() == "other" {
			t.Error("the transform is called with an object that is left out")
		}
		return obj, nil
	}})
	page, err := g.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(page.Items) != 1 || page.Items[0].Object.GetName() != "1" || page.First != "a/other" {
		t.Errorf("the page is %v, error %v", page, err)
	}
	stream, _ := g.Watch(t.Context(), metav1.ListOptions{})
	events, err := stream.Next(t.Context(), nil)
	if err != nil || len(events) != 4 || events[0].Type != watch.Added || events[3].Type != watch.Bookmark {
		t.Fatalf("the events are %v, error %v", events, err)
	}
	for i, want := range map[int]wire.Event{1: {Type: wire.LeftOut, ResourceVersion: "2", Dropped: 3}, 2: {Type: wire.LeftOut, ResourceVersion: "3", Dropped: 1}} {
		if events[i] != want {
			t.Errorf("event %d is %v, want %v", i, events[i], want)
		}
	}
}

// TestDecode decodes the response to a write.
func TestDecode(t *testing.T) {
	if _, err := gateOf(&fixed{}, Settings{}).Decode(nil); err != source.ErrNotDecoded {
		t.Errorf("with a client: %v", err)
	}
	open := func(context.Context, metav1.ListOptions, string) (io.ReadCloser, error) { return nil, io.EOF }
	g := gateOf(nil, Settings{Open: open})
	g.SetTransform(func(obj wire.Object) (wire.Object, error) {
		obj.SetLabels(map[string]string{"transformed": "yes"})
		return obj, nil
	})
	item, err := g.Decode([]byte(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"namespace":"a","name":"1"}}`))
	if err != nil || item.Object.GetName() != "1" || item.Object.GetLabels()["transformed"] != "yes" {
		t.Errorf("%v, error %v", item.Object, err)
	}
}

// TestVersionOfTheCollection: the object that comes with a version enters no cache.
func TestVersionOfTheCollection(t *testing.T) {
	g := gateOf(&fixed{page: wire.Page{Items: []wire.Item{named("a", "1")}, ResourceVersion: "7"}}, Settings{Transform: func(wire.Object) (wire.Object, error) {
		t.Error("the transform is called")
		return nil, nil
	}})
	if version, err := source.Version(t.Context(), g); version != "7" || err != nil {
		t.Errorf("the version is %q, error %v", version, err)
	}
}
