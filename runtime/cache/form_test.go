package cache

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// kindSource is a source whose objects have a kind, which unstructured objects need.
type kindSource struct{ *fakeSource }

func setKinds(items []Item[object]) {
	for i := range items {
		if items[i].Object != nil {
			items[i].Object = items[i].Object.DeepCopy()
			items[i].Object.TypeMeta = metav1.TypeMeta{Kind: "Widget", APIVersion: "test.example.com/v1"}
		}
	}
}

func (s kindSource) List(ctx context.Context, options metav1.ListOptions) (Page[object], error) {
	page, err := s.fakeSource.List(ctx, options)
	setKinds(page.Items)
	return page, err
}

func (s kindSource) Watch(ctx context.Context, options metav1.ListOptions) (EventStream[object], error) {
	stream, err := s.fakeSource.Watch(ctx, options)
	return kindStream{stream}, err
}

type kindStream struct{ EventStream[object] }

func (s kindStream) Next(ctx context.Context, reuse []Event[object]) ([]Event[object], error) {
	events, err := s.EventStream.Next(ctx, reuse)
	for i := range events {
		if events[i].Type != watch.Bookmark {
			items := []Item[object]{events[i].Item}
			setKinds(items)
			events[i].Item = items[0]
		}
	}
	return events, err
}

// formOpener serves JSON whatever is asked for.
func formOpener(src *fakeSource) OpenFunc {
	open := openerOf(kindSource{src})
	return func(ctx context.Context, options metav1.ListOptions, _ string) (io.ReadCloser, error) {
		return open(ctx, options, "application/vnd.kubernetes.protobuf;any,application/json")
	}
}

// formRecorder records the Go types of the objects.
type formRecorder struct{ recorder }

func formOf(obj Object) string {
	if dual, ok := obj.(*wire.Dual); ok {
		return fmt.Sprintf("%T+%T", dual.Object, dual.Unstructured)
	}
	return fmt.Sprintf("%T", obj)
}

func (r *formRecorder) OnAdd(obj Object, _ bool) {
	r.write(fmt.Sprintf("add %s %s", obj.GetName(), formOf(obj)))
}

func (r *formRecorder) OnUpdate(oldObj, newObj Object) {
	r.write(fmt.Sprintf("update %s %s to %s", newObj.GetName(), formOf(oldObj), formOf(newObj)))
}

func (r *formRecorder) OnDelete(obj Object, _ bool) {
	r.write(fmt.Sprintf("delete %s %s", obj.GetName(), formOf(obj)))
}

func followForm(t *testing.T, object runtime.Object, sources map[string]*fakeSource, options ...SharedInformerOption) *SharedIndexInformer[Object] {
	t.Helper()
	kind := Kind[Object]{Resource: widgets, Namespaced: true, Object: object, Open: func(namespace string) OpenFunc { return formOpener(sources[namespace]) }}
	s, err := kind.NewInformer(append(options, WithWatchErrorHandler(quiet))...)
	if err != nil {
		t.Fatal(err)
	}
	run(t, s.Run)
	return s
}

const (
	formMetadata     = "*v1.PartialObjectMetadata"
	formUnstructured = "*unstructured.Unstructured"
	formGadget       = "*cache.gadget"
	formDual         = formGadget + "+" + formUnstructured
)

// wantForm checks that all cached objects have a form, and how many there are.
func wantForm(t *testing.T, s *SharedIndexInformer[Object], n int, form string) {
	t.Helper()
	all := s.GetStore().List()
	for _, obj := range all {
		if got := formOf(obj); got != form {
			t.Errorf("%s is a %s, want %s", obj.GetName(), got, form)
		}
	}
	if len(all) != n {
		t.Errorf("there are %d objects, want %d", len(all), n)
	}
}

// TestFormChanges while an informer runs, and before.
func TestFormChanges(t *testing.T) {
	if servesProtobuf() {
		t.Skip("unstructured objects are JSON")
	}
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.set("a", "one", map[string]string{"app": "web"})
		src.set("b", "two", nil)
		byApp := Indexers[Object]{"app": func(obj Object) []string { return []string{obj.GetLabels()["app"]} }}
		s := followForm(t, &metav1.PartialObjectMetadata{}, map[string]*fakeSource{"": src}, WithIndexers(byApp))
		heard := &formRecorder{}
		if _, err := s.AddEventHandler(heard); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantForm(t, s, 2, formMetadata)
		heard.drain()
		for _, next := range []struct {
			object       runtime.Object
			unstructured bool
			form         string
		}{
			{&gadget{}, false, formGadget},
			{&gadget{}, true, formDual},
			{&unstructured.Unstructured{}, false, formUnstructured},
			{&metav1.PartialObjectMetadata{}, false, formMetadata},
		} {
			applied, err := s.SetForm(next.object, next.unstructured)
			if err != nil {
				t.Fatal(err)
			}
			<-applied
			wantForm(t, s, 2, next.form)
			synctest.Wait()
			wantLines(t, heard.drain())
			if objs, _ := s.GetIndexer().ByIndex("app", "web"); len(objs) != 1 || formOf(objs[0]) != next.form {
				t.Errorf("the index has %v", objs)
			}
			if status := s.Status(); status.Phase != Watching || status.Err != nil {
				t.Errorf("the status is %v", status)
			}
			src.set("a", "one", map[string]string{"app": "web"})
			synctest.Wait()
			wantLines(t, heard.drain(), "update one "+next.form+" to "+next.form)
		}
	})
}

// TestFormChangesTwice changes the form again while the list of the first change is read, and
// while the server fails.
func TestFormChangesTwice(t *testing.T) {
	if servesProtobuf() {
		t.Skip("unstructured objects are JSON")
	}
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.set("a", "one", nil)
		s := followForm(t, &gadget{}, map[string]*fakeSource{"": src})
		heard := &formRecorder{}
		if _, err := s.AddEventHandler(heard); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		heard.drain()
		src.failWith(func(r request) error {
			if r.verb == "list" {
				time.Sleep(time.Second)
			}
			return nil
		})
		first, _ := s.SetForm(&gadget{}, true)
		time.Sleep(time.Second / 2)
		second, _ := s.SetForm(&unstructured.Unstructured{}, false)
		if isClosed(first) || isClosed(second) {
			t.Error("applied before the list")
		}
		wantForm(t, s, 1, formGadget)
		<-second
		if !isClosed(first) {
			t.Error("only the second change was applied")
		}
		wantForm(t, s, 1, formUnstructured)

		src.failWith(func(request) error { return errForbidden })
		third, _ := s.SetForm(&gadget{}, false)
		time.Sleep(10 * time.Second)
		if status := s.Status(); status.Reason != Forbidden || isClosed(third) {
			t.Errorf("without the right to list: %v", status)
		}
		wantForm(t, s, 1, formUnstructured)
		src.set("a", "two", nil)
		src.failWith(nil)
		<-third
		wantForm(t, s, 2, formGadget)
		synctest.Wait()
		wantLines(t, heard.drain(), "add two "+formGadget)
	})
}

// TestFormOfNamespaces waits for all namespaces.
func TestFormOfNamespaces(t *testing.T) {
	if servesProtobuf() {
		t.Skip("unstructured objects are JSON")
	}
	synctest.Test(t, func(t *testing.T) {
		sources := map[string]*fakeSource{"a": newSource(), "b": newSource()}
		for namespace, src := range sources {
			src.set(namespace, "one", nil)
		}
		s := followForm(t, &gadget{}, sources, WithNamespaces("a", "b"))
		synctest.Wait()
		sources["b"].failWith(func(request) error { return errForbidden })
		applied, err := s.SetForm(&unstructured.Unstructured{}, false)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if isClosed(applied) {
			t.Error("applied before both namespaces were listed")
		}
		sources["b"].failWith(nil)
		<-applied
		wantForm(t, s, 2, formUnstructured)
	})
}

// TestFormBeforeTheStart is used for the first list.
func TestFormBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.set("a", "one", nil)
		s, err := Kind[Object]{Resource: widgets, Namespaced: true, Object: &gadget{}, Open: func(string) OpenFunc { return formOpener(src) }}.NewInformer()
		if err != nil {
			t.Fatal(err)
		}
		applied, err := s.SetForm(&metav1.PartialObjectMetadata{}, false)
		if err != nil {
			t.Fatal(err)
		}
		run(t, s.Run)
		<-applied
		wantForm(t, s, 1, formMetadata)
		if n := src.count("list"); n > 1 {
			t.Errorf("%d lists", n)
		}
	})
}

func TestFormCannotChange(t *testing.T) {
	typed := informerOf(via(Config[object]{ListerWatcher: newSource(), Resource: widgets}))
	if _, err := typed.SetForm(&gadget{}, false); err == nil {
		t.Error("the form of a typed informer changed")
	}
	client := informerOf(Config[Object]{ListerWatcher: &ListWatch[Object]{}, Resource: widgets})
	if _, err := client.SetForm(&gadget{}, false); err == nil {
		t.Error("the form of the objects of a ListerWatcher changed")
	}
	if _, err := (Kind[Object]{Resource: widgets, Open: func(string) OpenFunc { return formOpener(newSource()) }}).NewInformer(); err == nil {
		t.Error("a kind without Object is accepted")
	}
}

// TestIsOtherForm compares what two forms of one interface type have in common.
func TestIsOtherForm(t *testing.T) {
	a, b := &gadget{}, &gadget{}
	if indexer.IsOtherForm(a, b) || !indexer.IsOtherForm(a, &wire.Dual{Object: b}) {
		t.Errorf("%v and %v", reflect.TypeOf(a), reflect.TypeOf(b))
	}
}
