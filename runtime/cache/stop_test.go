package cache

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// reads are all reads of a cache that return an error. The object and the values exist before
// Stop.
func reads(s *SharedIndexInformer[object]) map[string]func() (int, error) {
	lister := NewLister(s.GetIndexer(), widgets.GroupResource())
	generic := NewGenericInformer(s).Lister()
	selector := labels.SelectorFromSet(labels.Set{"letters": "x"})
	one := func(obj Object, err error) (int, error) {
		if err != nil {
			return 0, err
		}
		return 1, nil
	}
	return map[string]func() (int, error){
		"List":              func() (int, error) { return count(lister.List(nil)) },
		"List selected":     func() (int, error) { return count(lister.List(selector)) },
		"Get":               func() (int, error) { return one(lister.Get("cluster")) },
		"ByIndex":           func() (int, error) { return count(lister.ByIndex("letters", "x")) },
		"namespace List":    func() (int, error) { return count(lister.Namespace("a").List(nil)) },
		"namespace select":  func() (int, error) { return count(lister.Namespace("a").List(selector)) },
		"namespace Get":     func() (int, error) { return one(lister.Namespace("a").Get("w")) },
		"generic List":      func() (int, error) { return count(generic.List(nil)) },
		"generic Get":       func() (int, error) { return one(generic.Get("cluster")) },
		"generic namespace": func() (int, error) { return count(generic.ByNamespace("a").List(nil)) },
		"generic name":      func() (int, error) { return one(generic.ByNamespace("a").Get("w")) },
		"Indexer.ByIndex":   func() (int, error) { return count(s.GetIndexer().ByIndex(NamespaceIndex, "a")) },
		"IndexKeys":         func() (int, error) { return count(s.GetIndexer().IndexKeys("letters", "x")) },
		"GetByKey": func() (int, error) {
			_, exists, err := s.GetIndexer().GetByKey("a/w")
			if exists {
				return 1, err
			}
			return 0, err
		},
	}
}

func count[T any](all []T, err error) (int, error) { return len(all), err }

// stoppable returns a source with a cluster-scoped object and one in namespace a.
func stoppable() *cachetest.Source {
	src := cachetest.NewSource()
	src.Set("", "cluster", map[string]string{"letters": "x"})
	src.Set("a", "w", map[string]string{"letters": "x"})
	return src
}

func TestReadsAfterStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, Config[object]{ListerWatcher: stoppable(), Indexers: Indexers[object]{"letters": cachetest.ByLetters}})
		synctest.Wait()
		index, err := AddIndex(s, "late", cachetest.ByLetters)
		if err != nil {
			t.Fatal(err)
		}
		all := reads(s)
		for name, read := range all {
			if n, err := read(); n == 0 || err != nil {
				t.Errorf("%s before Stop: %d, %v", name, n, err)
			}
		}
		s.Stop()
		for name, read := range all {
			n, err := read()
			if n != 0 || !errors.Is(err, ErrStopped) || apierrors.IsNotFound(err) || !strings.Contains(fmt.Sprint(err), "widgets.test.example.com: informer has stopped") {
				t.Errorf("%s after Stop: %d, %v", name, n, err)
			}
		}
		if objs := index.Get("x"); len(objs) != 0 || !errors.Is(index.Err(), ErrStopped) {
			t.Errorf("an index has %d objects and the error %v", len(objs), index.Err())
		}
		if _, ok := s.GetStore().Get(ObjectName{"a", "w"}); ok || s.GetStore().Len() != 0 || len(s.GetStore().List()) != 0 {
			t.Error("the cache is not empty")
		}
		if _, err := AddIndex(s, "later", cachetest.ByLetters); !errors.Is(err, ErrStopped) {
			t.Errorf("an index is added: %v", err)
		}
		if _, err := s.GetIndexer().ByIndex("none", "x"); !errors.Is(err, ErrNoIndex) {
			t.Errorf("an index that never was: %v", err)
		}
		s.Stop()
	})
}

// TestReadsAfterTheContextEnded has an informer that was not stopped by Stop.
func TestReadsAfterTheContextEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := informerOf(via(Config[object]{ListerWatcher: stoppable(), Resource: widgets, WatchErrorHandler: quiet,
			Indexers: Indexers[object]{"letters": cachetest.ByLetters}}))
		stop := cachetest.Run(t, s.Run)
		synctest.Wait()
		stop()
		for name, read := range reads(s) {
			if n, err := read(); n == 0 || err != nil {
				t.Errorf("%s: %d, %v", name, n, err)
			}
		}
		lister := NewLister(s.GetIndexer(), widgets.GroupResource())
		if _, err := lister.Get("none"); !apierrors.IsNotFound(err) {
			t.Errorf("a missing object: %v", err)
		}
		if objs, err := lister.Namespace("none").List(nil); objs == nil || err != nil {
			t.Errorf("a missing namespace: %v, %v", objs, err)
		}
		s.Stop()
		if _, err := lister.Namespace("a").Get("w"); !errors.Is(err, ErrStopped) {
			t.Errorf("after Stop: %v", err)
		}
	})
}

// TestReadsDuringStop has readers that must not conclude that an object was deleted.
func TestReadsDuringStop(t *testing.T) {
	s := informerOf(Config[object]{ListerWatcher: cachetest.NewSource(), Resource: widgets, Indexers: Indexers[object]{"letters": cachetest.ByLetters}})
	index, err := AddIndex(s, "late", cachetest.ByLetters)
	if err != nil {
		t.Fatal(err)
	}
	objs := []object{cachetest.Many(0, 1, "x"), cachetest.Many(0, 1, "x")}
	objs[0].Namespace, objs[0].Name, objs[1].Namespace, objs[1].Name = "", "cluster", "a", "w"
	for i := range 1000 {
		objs = append(objs, cachetest.Many(i, 1, "x"))
	}
	s.GetIndexer().Replace(objs)
	all := reads(s)
	all["Index.Get"] = func() (int, error) {
		if objs := index.Get("x"); len(objs) > 0 {
			return len(objs), nil
		}
		return 0, index.Err()
	}
	var reading sync.WaitGroup
	begun := make(chan struct{}, len(all))
	for name, read := range all {
		reading.Go(func() {
			for times := 0; ; times++ {
				n, err := read()
				if n == 0 && !errors.Is(err, ErrStopped) {
					t.Errorf("%s missed an object, with the error %v", name, err)
					return
				}
				if err != nil {
					return
				}
				if times == 0 {
					begun <- struct{}{}
				}
			}
		})
	}
	for range all {
		<-begun
	}
	s.Stop()
	reading.Wait()
}

// TestStopFreesTheCache keeps a lister and the informer.
func TestStopFreesTheCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		for i := range 600 {
			src.Set("a", fmt.Sprint(i), nil)
		}
		s := start(t, Config[object]{ListerWatcher: src})
		listen(t, s)
		lister := NewLister(s.GetIndexer(), widgets.GroupResource())
		time.Sleep(time.Minute)
		var cached []weak.Pointer[metav1.PartialObjectMetadata]
		for obj := range s.GetStore().All() {
			cached = append(cached, weak.Make(obj))
		}
		if len(cached) != 600 {
			t.Fatalf("%d objects are cached", len(cached))
		}
		s.Stop()
		runtime.GC()
		runtime.GC()
		for _, pointer := range cached {
			if pointer.Value() != nil {
				t.Fatal("an object of the cache is alive after Stop")
			}
		}
		runtime.KeepAlive(lister)
		runtime.KeepAlive(s)
	})
}
