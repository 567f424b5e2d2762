package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// kindOf is what a generated informer hands to the factory.
func kindOf(src *cachetest.Source, asked *[]string) Kind[object] {
	return Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(namespace string) ListerWatcher[object] {
		*asked = append(*asked, namespace)
		return listWatchOf[object](src)
	}}
}

func TestFactorySharesInformers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("team-a", "w", nil)
		var asked []string
		f := NewSharedInformerFactory(time.Hour,
			WithNamespace("team-a"),
			WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = "x=y" }),
			WithTransform(func(obj object) (object, error) {
				obj.Annotations = map[string]string{"seen": "yes"}
				return obj, nil
			}),
			WithOptionsFor[object](WithResync(time.Minute)))
		first := InformerFor(f, kindOf(src, &asked))
		if second := InformerFor(f, kindOf(src, &asked)); first != second {
			t.Error("two informers of one kind")
		}
		cachetest.WantLines(t, asked, "team-a")
		heard, _ := listen(t, first)
		f.Start(t.Context())
		f.Start(t.Context()) // starts nothing twice
		if err := f.WaitForCacheSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		cachetest.WantLines(t, heard.Drain(), "add team-a/w@101 initial=true")
		for _, verb := range []string{"list", "watch"} {
			synctest.Wait()
			if got := src.Last(verb).LabelSelector; got != "x=y" {
				t.Errorf("%s has the selector %q", verb, got)
			}
		}
		if obj, _ := first.GetStore().Get(ObjectName{"team-a", "w"}); obj.Annotations["seen"] != "yes" {
			t.Error("the transform was not applied")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "update team-a/w@101->101")

		// A kind that is asked for later is started later; a cluster-scoped one has
		// no namespace.
		cluster := kindOf(cachetest.NewSource(), &asked)
		cluster.Namespaced, cluster.Resource.Resource = false, "clusterwidgets"
		late := InformerFor(f, cluster)
		cachetest.WantLines(t, asked, "team-a", "")
		if late.Status().Phase != status.Pending {
			t.Error("an informer ran before it was started")
		}
		f.Start(t.Context())
		if err := f.WaitForCacheSync(t.Context()); err != nil || !late.HasSynced() {
			t.Errorf("synced: %v, error: %v", late.HasSynced(), err)
		}
		f.Shutdown()
		f.Shutdown()
		if first.Status().Phase != status.Stopped || late.Status().Phase != status.Stopped {
			t.Error("Shutdown returned with an informer running")
		}
		f.Start(t.Context()) // nothing
	})
}

func TestFactoryNamesUnsyncedInformers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, asked := cachetest.NewSource(), []string{}
		src.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		f := NewSharedInformerFactory(0, WithNamespace("team-a"))
		defer f.Shutdown()
		s := InformerFor(f, kindOf(src, &asked))
		listen(t, s)
		f.Start(t.Context())
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := f.WaitForCacheSync(ctx)
		var notSynced *NotSyncedError
		if !errors.As(err, &notSynced) || !errors.Is(err, context.DeadlineExceeded) || len(notSynced.Waiting) != 1 {
			t.Fatalf("error is %v", err)
		}
		if w := notSynced.Waiting[0]; w.Status.Resource != widgets || w.Handler != "" || w.Status.Phase != status.Degraded || w.Status.Reason != status.Forbidden {
			t.Errorf("the entry is %+v", w)
		}
		for _, want := range []string{"widgets.test.example.com in namespace team-a: Degraded for ", "s (Forbidden: ", "no right to list"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error does not say %q:\n%v", want, err)
			}
		}
	})
}

func TestFactoryLogsMissingStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, asked := NewSharedInformerFactory(0), []string{}
		defer f.Shutdown()
		listen(t, InformerFor(f, kindOf(cachetest.NewSource(), &asked)))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := f.WaitForCacheSync(ctx)
		if err == nil || !strings.Contains(err.Error(), "widgets.test.example.com: Pending for 60s (not started)") {
			t.Errorf("error is %v", err)
		}
	})
}

func TestFactoryStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		f := NewSharedInformerFactory(0)
		s := InformerFor(f, kindOf(cachetest.NewSource(), &asked))
		ctx, cancel := context.WithCancel(t.Context())
		f.Start(ctx)
		synctest.Wait()
		cancel()
		synctest.Wait()
		if s.Status().Phase != status.Stopped {
			t.Errorf("phase is %s after the context ended", s.Status().Phase)
		}
		f.Shutdown()
	})
}

// TestShutdownEndsWhatOthersRun shuts a factory down whose informer a caller runs with a context of its
// own, before the factory is started or without a start.
func TestShutdownEndsWhatOthersRun(t *testing.T) {
	for _, starts := range []int{0, 1, 2} {
		synctest.Test(t, func(t *testing.T) {
			var asked []string
			src := cachetest.NewSource()
			src.Set("a", "w", nil)
			f := NewSharedInformerFactory(0)
			s := InformerFor(f, kindOf(src, &asked))
			other := kindOf(src, &asked)
			other.Resource.Resource = "others"
			InformerFor(f, other)
			returned := make(chan struct{})
			go func() {
				s.Run(t.Context())
				close(returned)
			}()
			synctest.Wait()
			for range starts {
				f.Start(t.Context())
				synctest.Wait()
			}
			if s.Status().Phase != status.Watching || src.Count("list") != 1+min(starts, 1) {
				t.Errorf("%d starts: the informer is %v after %d lists of two informers", starts, s.Status(), src.Count("list"))
			}
			running := make(chan struct{})
			if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) {
				close(running)
				time.Sleep(time.Minute)
			}}); err != nil {
				t.Fatal(err)
			}
			<-running
			began := time.Now()
			f.Shutdown()
			if time.Since(began) != time.Minute || !isClosed(s.Ended()) {
				t.Errorf("%d starts: Shutdown took %s, and the informer is %v", starts, time.Since(began), s.Status())
			}
			synctest.Wait()
			if !isClosed(returned) {
				t.Errorf("%d starts: Run has not returned", starts)
			}
		})
	}
}

func TestListers(t *testing.T) {
	resource := schema.GroupResource{Group: "test.example.com", Resource: "widgets"}
	src := cachetest.NewSource()
	x := NewIndexer(Indexers[object]{"letters": cachetest.ByLetters})
	x.Add(src.Set("a", "one", map[string]string{"letters": "x"}))
	x.Add(src.Set("a", "two", nil))
	x.Add(src.Set("b", "one", map[string]string{"letters": "x"}))
	x.Add(src.Set("", "cluster", nil))
	lister := NewLister(x, resource)
	informer := informerOf(Config[object]{ListerWatcher: src, Resource: widgets})
	for obj := range x.All() {
		informer.GetIndexer().Add(obj)
	}
	generic := NewGenericInformer(informer).Lister()

	labelled := labels.SelectorFromSet(labels.Set{"letters": "x"})
	for _, test := range []struct {
		namespace string
		selector  labels.Selector
		want      int
	}{
		{"*", nil, 4}, {"*", labels.Everything(), 4}, {"*", labels.Nothing(), 0}, {"*", labelled, 2},
		{"a", nil, 2}, {"a", labelled, 1}, {"c", nil, 0},
	} {
		list, listGeneric := lister.List, generic.List
		if test.namespace != "*" {
			list, listGeneric = lister.Namespace(test.namespace).List, generic.ByNamespace(test.namespace).List
		}
		objs, err := list(test.selector)
		if err != nil || len(objs) != test.want {
			t.Errorf("List(%v) in %s: %d objects, %v, want %d", test.selector, test.namespace, len(objs), err, test.want)
		}
		any, err := listGeneric(test.selector)
		if err != nil || len(any) != test.want {
			t.Errorf("generic List(%v) in %s: %d objects, %v, want %d", test.selector, test.namespace, len(any), err, test.want)
		}
	}
	if obj, err := lister.Namespace("a").Get("one"); err != nil || obj.Namespace != "a" {
		t.Errorf("Get = %v, %v", obj, err)
	}
	if obj, err := lister.Get("cluster"); err != nil || obj.Name != "cluster" {
		t.Errorf("Get = %v, %v", obj, err)
	}
	_, err := lister.Namespace("a").Get("three")
	_, genericErr := generic.ByNamespace("a").Get("three")
	for _, err := range []error{err, genericErr} {
		if reasonOf(err) != status.NotFound || !strings.Contains(err.Error(), `widgets.test.example.com "three" not found`) {
			t.Errorf("error is %v", err)
		}
	}
	if obj, err := generic.ByNamespace("b").Get("one"); err != nil || obj.GetNamespace() != "b" {
		t.Errorf("generic Get = %v, %v", obj, err)
	}
	if objs, err := lister.ByIndex("letters", "x"); err != nil || len(objs) != 2 {
		t.Errorf("ByIndex = %v, %v", objs, err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = lister.Namespace("a").Get("one") }); n != 0 {
		t.Errorf("Get allocates %v times", n)
	}
}

// TestListersOfNamespaces counts the listers that a Lister keeps.
func TestListersOfNamespaces(t *testing.T) {
	src, x := cachetest.NewSource(), NewIndexer[object](nil)
	lister := NewLister(x, widgets.GroupResource())
	known := &lister.reader.(*erasedLister).namespaces
	kept := func() (n int) {
		table := known.table.Load()
		for i := range *table {
			if (*table)[i].Load() != nil {
				n++
			}
		}
		if n != known.used || 2*n > len(*table) {
			t.Fatalf("a table of %d has %d listers, counted as %d", len(*table), n, known.used)
		}
		return n
	}
	const count = 200
	for round := range 5 {
		var objs []object
		for i := range count {
			objs = append(objs, src.Set(fmt.Sprintf("ns-%d-%d", round, i), "one", nil))
		}
		x.Replace(objs)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for _, obj := range objs {
					if got, err := lister.Namespace(obj.Namespace).Get("one"); err != nil || got != obj {
						t.Errorf("%s: %v, %v", obj.Namespace, got, err)
					}
				}
			})
		}
		wg.Wait()
		for _, obj := range objs {
			if n := lister.Namespace(obj.Namespace); n.namespace != obj.Namespace || n != lister.Namespace(obj.Namespace) {
				t.Errorf("the lister of %s is that of %s, or another one each time", obj.Namespace, n.namespace)
			}
		}
		if n := kept(); n < count || n > 2*count+16 {
			t.Errorf("round %d: %d listers of %d namespaces are kept", round, n, count)
		}
	}
	before := kept()
	for i := range count {
		lister.Namespace(fmt.Sprint("unknown-", i))
	}
	if n := kept(); n != before {
		t.Errorf("%d listers of namespaces without objects are kept", n-before)
	}
}

func TestGenericInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "one", nil)
		s := start(t, Config[object]{ListerWatcher: src})
		var informer SharedInformer[Object] = NewGenericInformer(s).Informer()
		var heard []string
		reg, err := informer.AddEventHandler(ResourceEventHandlerFuncs[Object]{
			AddFunc:    func(obj Object, _ bool) { heard = append(heard, "add "+obj.GetName()) },
			UpdateFunc: func(_, obj Object) { heard = append(heard, "update "+obj.GetName()) },
			DeleteFunc: func(obj Object, _ bool) { heard = append(heard, "delete "+obj.GetName()) },
		})
		if err != nil {
			t.Fatal(err)
		}
		<-reg.Synced()
		src.Set("a", "one", nil)
		src.Remove("a", "one")
		synctest.Wait()
		cachetest.WantLines(t, heard, "add one", "update one", "delete one")
		store := informer.GetStore()
		if obj, ok := store.Get(ObjectName{"a", "one"}); ok || obj != nil {
			t.Errorf("Get of what is gone = %v, %v", obj, ok)
		}
		src.Set("a", "two", nil)
		synctest.Wait()
		obj, ok := store.Get(ObjectName{"a", "two"})
		if !ok || obj.GetName() != "two" || store.Len() != 1 || len(store.List()) != 1 {
			t.Errorf("Get = %v, %v of %d", obj, ok, store.Len())
		}
		for obj := range store.All() {
			if obj.GetName() != "two" {
				t.Errorf("All yields %v", obj)
			}
		}
		if err := informer.RemoveEventHandler(reg); err != nil {
			t.Error(err)
		}
	})
}

func TestFilteringHandler(t *testing.T) {
	heard := &cachetest.Recorder{}
	h := FilteringResourceEventHandler[object]{FilterFunc: func(obj object) bool { return obj.Labels["letters"] != "" }, Handler: heard}
	src := cachetest.NewSource()
	out := src.Set("a", "w", nil).DeepCopy()
	in := src.Set("a", "w", map[string]string{"letters": "x"}).DeepCopy()
	in2 := src.Set("a", "w", map[string]string{"letters": "y"}).DeepCopy()
	h.OnAdd(out, true)
	h.OnUpdate(out, in)
	h.OnUpdate(in, in2)
	h.OnUpdate(in2, out)
	h.OnUpdate(out, out)
	h.OnDelete(out, false)
	h.OnAdd(in, true)
	h.OnDelete(in, true)
	cachetest.WantLines(t, heard.Drain(),
		"add a/w@102 initial=false", "update a/w@102->103", "delete a/w@103 unknown=false",
		"add a/w@102 initial=true", "delete a/w@102 unknown=true")
}

func TestObjectNames(t *testing.T) {
	for key, want := range map[string]ObjectName{"a/b": {"a", "b"}, "b": {"", "b"}} {
		got, err := ParseObjectName(key)
		if err != nil || got != want || got.String() != key {
			t.Errorf("ParseObjectName(%q) = %v, %v", key, got, err)
		}
	}
	if got := MetaNamespaceKeyFunc(cachetest.NewSource().Set("a", "b", nil)); got != "a/b" {
		t.Errorf("key is %q", got)
	}
}
