package clientgo

import (
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// unstructuredView shows objects as unstructured ones.
var unstructuredView = View{Name: "unstructured", Object: func(obj cache.Object) runtime.Object {
	shown := &unstructured.Unstructured{}
	shown.SetNamespace(obj.GetNamespace())
	shown.SetName(obj.GetName())
	shown.SetLabels(obj.GetLabels())
	return shown
}}

// TestViews has two views of one informer, with handlers and indexes of the same name.
func TestViews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newSource(t, newObject("a/w", "red"))
		core := newInformer(source)
		plain, view := SharedIndexInformerOf(core, View{Name: "plain"}), SharedIndexInformerOf(core, unstructuredView)
		ofType := func(want string) toolscache.Indexers {
			return toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc, "color": func(obj any) ([]string, error) {
				if got := describe(obj); got != want && want != "" {
					t.Errorf("an index function got %s", got)
				}
				return byColor(obj)
			}}
		}
		if err := errors.Join(plain.AddIndexers(ofType("")), view.AddIndexers(ofType("*unstructured.Unstructured"))); err != nil {
			t.Fatal(err)
		}
		if err := view.AddIndexers(toolscache.Indexers{"color": byColor}); err == nil {
			t.Error("a second index of that name was added")
		}
		inPlain, inView := &recorder{}, &recorder{}
		for informer, heard := range map[toolscache.SharedIndexInformer]*recorder{plain: inPlain, view: inView} {
			if _, err := informer.AddEventHandler(heard); err != nil {
				t.Fatal(err)
			}
		}
		run(t, plain.RunWithContext)
		synctest.Wait()
		source.Modify(newObject("a/w", "blue"))
		source.DeleteDropWatch(newObject("a/w", "blue"))
		source.ResetWatch()
		time.Sleep(time.Minute)
		synctest.Wait()
		wantLines(t, inPlain.take(), "add a/w red initial=true", "update a/w red to a/w blue", "delete tombstone a/w of a/w blue")
		const form = "*unstructured.Unstructured"
		wantLines(t, inView.take(), "add "+form+" initial=true", "update "+form+" to "+form, "delete tombstone a/w of "+form)

		source.Add(newObject("b/v", "green"))
		synctest.Wait()
		indexer := view.GetIndexer()
		obj, exists, err := indexer.GetByKey("b/v")
		if err != nil || !exists || describe(obj) != form {
			t.Fatalf("GetByKey returned %v, %v, %v", obj, exists, err)
		}
		for name, read := range map[string]func() ([]any, error){
			"List":    func() ([]any, error) { return indexer.List(), nil },
			"ByIndex": func() ([]any, error) { return indexer.ByIndex("color", "green") },
			"Index":   func() ([]any, error) { return indexer.Index("color", obj) },
			"namespace": func() ([]any, error) {
				return indexer.Index(toolscache.NamespaceIndex, &metav1.ObjectMeta{Namespace: "b"})
			},
		} {
			if objs, err := read(); err != nil || len(objs) != 1 || describe(objs[0]) != form {
				t.Errorf("%s returned %v, %v", name, objs, err)
			}
		}
		for name, informer := range map[string]toolscache.SharedIndexInformer{"plain": plain, "view": view} {
			indexers := informer.GetIndexer().GetIndexers()
			if names := slices.Sorted(maps.Keys(indexers)); !slices.Equal(names, []string{"color", "namespace"}) {
				t.Errorf("%s has the indexes %q", name, names)
			}
		}
		if names := slices.Sorted(maps.Keys(SharedIndexInformer(core).GetIndexer().GetIndexers())); !slices.Equal(names, []string{"namespace", "plain/color", "unstructured/color"}) {
			t.Errorf("without a view there are %q", names)
		}
		if values := indexer.ListIndexFuncValues("color"); !slices.Equal(values, []string{"green"}) {
			t.Errorf("the values are %q", values)
		}
		typed := newObject("b/v", "green")
		for name, err := range map[string]error{
			"Add": indexer.Add(typed), "Update": indexer.Update(typed), "Delete": indexer.Delete(typed), "Replace": indexer.Replace([]any{typed}, ""),
		} {
			if !errors.Is(err, errReadOnly) {
				t.Errorf("%s of a view: %v", name, err)
			}
		}
		if err := SharedIndexInformerOf(newInformer(source), unstructuredView).SetTransform(nil); err == nil {
			t.Error("a view has a transform")
		}
	})
}

// TestViewOfAResync shows an object once if its old state is the new one.
func TestViewOfAResync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown atomic.Int32
		informer := SharedIndexInformerOf(newInformer(newSource(t, newObject("a/w", "red"))), View{Object: func(obj cache.Object) runtime.Object {
			shown.Add(1)
			return obj
		}})
		heard := &recorder{}
		if _, err := informer.AddEventHandlerWithResyncPeriod(heard, time.Minute); err != nil {
			t.Fatal(err)
		}
		run(t, informer.RunWithContext)
		time.Sleep(time.Minute)
		synctest.Wait()
		wantLines(t, heard.take(), "add a/w red initial=true", "update a/w red to a/w red")
		if n := shown.Load(); n != 2 {
			t.Errorf("the object was shown %d times", n)
		}
	})
}

// TestViewWithoutSomeObjects has a view without the red objects.
func TestViewWithoutSomeObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newSource(t, newObject("a/r", "red"), newObject("a/g", "green"))
		core := newInformer(source)
		view := SharedIndexInformerOf(core, View{Name: "others", Object: func(obj cache.Object) runtime.Object {
			if obj.GetLabels()["color"] == "red" {
				return nil
			}
			return obj
		}})
		heard := &recorder{}
		if _, err := view.AddEventHandler(heard); err != nil {
			t.Fatal(err)
		}
		run(t, view.RunWithContext)
		synctest.Wait()
		indexer := view.GetIndexer()
		wantLines(t, describeAll(indexer.List()), "a/g green")
		wantLines(t, indexer.ListKeys(), "a/g")
		inNamespace, err := indexer.ByIndex(toolscache.NamespaceIndex, "a")
		if err != nil {
			t.Fatal(err)
		}
		wantLines(t, describeAll(inNamespace), "a/g green")
		keys, err := indexer.IndexKeys(toolscache.NamespaceIndex, "a")
		if err != nil {
			t.Fatal(err)
		}
		wantLines(t, keys, "a/g")
		if obj, exists, err := indexer.GetByKey("a/r"); obj != nil || exists || err != nil {
			t.Errorf("GetByKey returns %v, %v, %v", obj, exists, err)
		}
		source.Modify(newObject("a/r", "blue"))
		source.Modify(newObject("a/r", "white"))
		source.Modify(newObject("a/r", "red"))
		source.Modify(newObject("a/r", "red"))
		source.Delete(newObject("a/r", "red"))
		synctest.Wait()
		wantLines(t, heard.take(), "add a/g green initial=true", "add a/r blue initial=false", "update a/r blue to a/r white", "delete a/r white")
	})
}
