package crcache

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// recorder records the events of a handler with the Go types of the objects.
type recorder struct {
	mu     sync.Mutex
	events []string
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf(format, args...))
}

func (r *recorder) OnAdd(obj any, isInInitialList bool) {
	r.add("add %T %s %v", obj, obj.(client.Object).GetName(), isInInitialList)
}

func (r *recorder) OnUpdate(oldObj, newObj any) {
	r.add("update %T %T %s", oldObj, newObj, newObj.(client.Object).GetName())
}

func (r *recorder) OnDelete(obj any) {
	if unknown, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		r.add("gone %T %s", unknown.Obj, unknown.Key)
		return
	}
	r.add("delete %T %s", obj, obj.(client.Object).GetName())
}

// sorted returns the events so far.
func (r *recorder) sorted() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(slices.Sorted(slices.Values(r.events)), "\n")
}

// waitFor waits until the events are those of want, in any order.
func (r *recorder) waitFor(t *testing.T, want ...string) {
	t.Helper()
	slices.Sort(want)
	eventually(t, func() error {
		if got := r.sorted(); got != strings.Join(want, "\n") {
			return fmt.Errorf("the events are\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
		return nil
	})
}

func TestHandlersGetTheirForm(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	ctx := timeout(t)
	objs := []client.Object{partialWidget(), &widget{}, untypedWidget()}
	types := []string{"*v1.PartialObjectMetadata", "*crcache.widget", "*unstructured.Unstructured"}
	var heard [3]recorder
	for i, obj := range objs {
		informer, err := c.GetInformer(ctx, obj)
		if err != nil {
			t.Fatal(err)
		}
		registration, err := informer.AddEventHandler(&heard[i])
		if err != nil {
			t.Fatal(err)
		}
		<-syncedOf(registration)
		if _, complete := informer.(toolscache.SharedIndexInformer); !complete {
			t.Errorf("%T is no SharedIndexInformer", informer)
		}
	}
	for i := range heard {
		heard[i].waitFor(t, "add "+types[i]+" one true")
	}
	s.put("widgets", newWidget("a", "two", "blue"))
	s.put("widgets", newWidget("a", "one", "green"))
	s.remove("widgets", "a", "two")
	for i, name := range types {
		heard[i].waitFor(t, "add "+name+" one true", "add "+name+" two false", "update "+name+" "+name+" one", "delete "+name+" two")
	}
}

// TestKindOfSharedObjects looks at objects that are not copied: those of a Go type have no kind.
func TestKindOfSharedObjects(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	s.put("widgets", newWidget("a", "two", "blue"))
	for _, test := range []struct {
		obj  client.Object
		want string
	}{{&widget{}, ""}, {untypedWidget(), "Widget"}, {partialWidget(), "Widget"}, {&widget{}, ""}} {
		for _, name := range []string{"one", "two"} {
			eventually(t, func() error {
				return c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: name}, test.obj, client.UnsafeDisableDeepCopy)
			})
			if got := test.obj.GetObjectKind().GroupVersionKind().Kind; got != test.want {
				t.Errorf("%T %s has the kind %q, want %q", test.obj, name, got, test.want)
			}
		}
		informer, err := c.GetInformer(timeout(t), test.obj)
		if err != nil {
			t.Fatal(err)
		}
		for _, obj := range informer.(toolscache.SharedIndexInformer).GetStore().List() {
			if got := obj.(client.Object).GetObjectKind().GroupVersionKind().Kind; got != test.want {
				t.Errorf("the store has %T of the kind %q, want %q", obj, got, test.want)
			}
		}
	}
}

// TestLateHandler adds a handler to an informer whose first list hangs, while another form is read.
func TestLateHandler(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	ctx := timeout(t)
	if err := c.Get(ctx, client.ObjectKey{Namespace: "a", Name: "one"}, partialWidget()); err != nil {
		t.Fatal(err)
	}
	open := make(chan struct{})
	s.setRefuse(func(r *http.Request, _ string) *metav1.Status {
		if r.FormValue("watch") == "" {
			select {
			case <-open:
			case <-r.Context().Done():
			}
		}
		return nil
	})
	informer, err := c.GetInformer(ctx, &widget{}, ctrlcache.BlockUntilSynced(false))
	if err != nil {
		t.Fatal(err)
	}
	if err := informer.AddIndexers(toolscache.Indexers{"color": func(obj any) ([]string, error) { return []string{obj.(*widget).Spec.Color}, nil }}); err != nil {
		t.Fatal(err)
	}
	if err := c.IndexField(ctx, &widget{}, "spec.color", func(obj client.Object) []string { return []string{obj.(*widget).Spec.Color} }); err != nil {
		t.Fatal(err)
	}
	var heard, removed recorder
	registration, err := informer.AddEventHandler(&heard)
	if err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	stuck, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) { <-release }})
	if err != nil {
		t.Fatal(err)
	}
	other, err := informer.AddEventHandler(&removed)
	if err != nil {
		t.Fatal(err)
	}
	if err := informer.RemoveEventHandler(other); err != nil {
		t.Fatal(err)
	}
	if informer.HasSynced() || registration.HasSynced() || heard.sorted() != "" {
		t.Error("the informer is synced before the list has been read")
	}
	short, cancel := context.WithCancel(ctx)
	cancel()
	if err := c.Get(short, client.ObjectKey{Namespace: "a", Name: "one"}, &widget{}); err == nil || !strings.Contains(err.Error(), "typed informer of widgets.example.com") {
		t.Errorf("a read meanwhile: %v", err)
	}
	if err := c.Get(ctx, client.ObjectKey{Namespace: "a", Name: "one"}, partialWidget()); err != nil {
		t.Errorf("a read of the old form: %v", err)
	}
	close(open)
	<-syncedOf(registration) // it does not wait for another handler
	if stuck.HasSynced() {
		t.Error("a handler that has not returned is synced")
	}
	if err := informer.RemoveEventHandler(stuck); err != nil {
		t.Fatal(err)
	}
	close(release)
	heard.waitFor(t, "add *crcache.widget one true")
	if !informer.HasSynced() || removed.sorted() != "" {
		t.Errorf("synced is %v, and a removed handler got %q", informer.HasSynced(), removed.sorted())
	}
	if got := namesIn(t, c, client.MatchingFields{"spec.color": "red"}); got != "a/one" {
		t.Errorf("by field: %q", got)
	}
	if objs, err := informer.(toolscache.SharedIndexInformer).GetIndexer().ByIndex("color", "red"); err != nil || len(objs) != 1 {
		t.Errorf("by index: %v, %v", objs, err)
	}
	if err := informer.RemoveEventHandler(registration); err != nil {
		t.Fatal(err)
	}
	s.put("widgets", newWidget("a", "two", "red"))
	eventually(t, func() error {
		if got := namesIn(t, c); got != "a/one a/two" {
			return fmt.Errorf("the names are %s", got)
		}
		return nil
	})
	heard.waitFor(t, "add *crcache.widget one true")
}

func TestRemoveInformer(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	if _, err := c.GetInformer(t.Context(), untypedWidget()); err != nil { // which never runs
		t.Fatal(err)
	}
	if err := c.RemoveInformer(t.Context(), untypedWidget()); err != nil {
		t.Fatal(err)
	}
	start(t, c)
	ctx := timeout(t)
	first, err := c.GetInformer(ctx, &widget{})
	if err != nil {
		t.Fatal(err)
	}
	var heard recorder
	if _, err := first.AddEventHandler(&heard); err != nil {
		t.Fatal(err)
	}
	heard.waitFor(t, "add *crcache.widget one true")
	if err := c.IndexField(ctx, &widget{}, "spec.color", func(client.Object) []string { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := c.RemoveInformer(ctx, untypedWidget()); err != nil || first.IsStopped() {
		t.Errorf("the removal of another form: %v, and stopped is %v", err, first.IsStopped())
	}
	for range 2 {
		if err := c.RemoveInformer(ctx, &widget{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := first.AddEventHandler(&heard); err == nil || !first.IsStopped() {
		t.Errorf("a handler of a removed informer: %v, and stopped is %v", err, first.IsStopped())
	}
	if got := namesIn(t, c); got != "a/one" {
		t.Errorf("after the removal: %q", got)
	}
	second, err := c.GetInformer(ctx, &widget{})
	if err != nil || second == first || second.IsStopped() {
		t.Errorf("the new informer is %v, %v", second, err)
	}
	// The index went with the informer.
	if err := c.IndexField(ctx, &widget{}, "spec.color", func(obj client.Object) []string { return []string{obj.(*widget).Spec.Color} }); err != nil {
		t.Error(err)
	}
	if got := namesIn(t, c, client.MatchingFields{"spec.color": "red"}); got != "a/one" {
		t.Errorf("by the new index: %q", got)
	}
	s.put("widgets", newWidget("a", "two", "red"))
	eventually(t, func() error {
		if got := namesIn(t, c); got != "a/one a/two" {
			return fmt.Errorf("the names are %s", got)
		}
		return nil
	})
	heard.waitFor(t, "add *crcache.widget one true")
}

// TestRemoveOneForm removes the informers of a kind one after the other.
func TestRemoveOneForm(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	ctx, key := timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}
	color := func(obj client.Object) []string {
		color, _, _ := unstructured.NestedString(obj.(*unstructured.Unstructured).Object, "spec", "color")
		return []string{color}
	}
	if err := c.IndexField(ctx, untypedWidget(), "spec.color", color); err != nil {
		t.Fatal(err)
	}
	for _, obj := range []client.Object{untypedWidget(), &widget{}, partialWidget()} {
		if err := c.Get(ctx, key, obj); err != nil {
			t.Fatal(err)
		}
	}
	untyped, err := c.GetInformer(ctx, untypedWidget())
	if err != nil {
		t.Fatal(err)
	}
	var heard recorder
	if _, err := untyped.AddEventHandler(&heard); err != nil {
		t.Fatal(err)
	}
	heard.waitFor(t, "add *unstructured.Unstructured one true")
	if err := c.RemoveInformer(ctx, untypedWidget()); err != nil {
		t.Fatal(err)
	}
	if !untyped.IsStopped() {
		t.Error("the removed informer is not stopped")
	}
	s.put("widgets", newWidget("a", "two", "red"))
	eventually(t, func() error { // the typed informer lives on
		if got := namesIn(t, c); got != "a/one a/two" {
			return fmt.Errorf("the names are %s", got)
		}
		return nil
	})
	heard.waitFor(t, "add *unstructured.Unstructured one true")
	if err := c.RemoveInformer(ctx, &widget{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(ctx, key, partialWidget()); err != nil {
		t.Error(err)
	}
	if err := c.RemoveInformer(ctx, partialWidget()); err != nil {
		t.Fatal(err)
	}
	for status := range c.Kinds() {
		t.Errorf("%s lives on", status.GroupVersionKind)
	}
	if err := c.Get(ctx, key, untypedWidget()); err != nil {
		t.Error(err)
	}
}

// TestReadersRace reads all forms while informers are removed.
func TestReadersRace(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	ctx, key := timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}
	var readers, remover sync.WaitGroup
	done := make(chan struct{})
	for _, newObject := range []func() client.Object{
		func() client.Object { return &widget{} },
		func() client.Object { return untypedWidget() },
		func() client.Object { return partialWidget() },
	} {
		remover.Go(func() {
			for !isClosed(done) {
				if err := c.RemoveInformer(ctx, newObject()); err != nil {
					t.Error(err)
				}
				if informer, err := c.GetInformer(ctx, newObject(), ctrlcache.BlockUntilSynced(false)); err != nil {
					t.Error(err)
				} else {
					informer.AddEventHandler(&recorder{}) // which fails if it is removed meanwhile
				}
			}
		})
		for range 2 {
			readers.Go(func() {
				for range 30 {
					obj := newObject()
					if err := c.Get(ctx, key, obj); err != nil {
						t.Error(err)
					} else if obj.GetLabels()["color"] != "red" {
						t.Errorf("got %v", obj)
					}
				}
			})
		}
	}
	readers.Wait()
	close(done)
	remover.Wait()
}

// TestOneInformer gets a new kind from many goroutines.
func TestOneInformer(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	ctx := timeout(t)
	var readers sync.WaitGroup
	for range 50 {
		readers.Go(func() {
			if err := c.Get(ctx, client.ObjectKey{Namespace: "a", Name: "one"}, &widget{}); err != nil {
				t.Error(err)
			}
		})
	}
	readers.Wait()
	if n := len(s.seen("widgets", false)); n != 1 {
		t.Errorf("%d lists", n)
	}
}
