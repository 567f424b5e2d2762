// Package clientgo_test has the tests of adapters/clientgo that need functions of the newest client-go. Tests in that
// module have to compile with the oldest one.
package clientgo_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"

	"github.com/typedinformers/informer-gen/adapters/clientgo"
)

type object = *metav1.PartialObjectMetadata

// newSource returns a source of client-go's tests with one object, and an adapter that reads it.
func newSource(t *testing.T) (*fcache.FakeControllerSource, toolscache.SharedIndexInformer) {
	source := fcache.NewFakeControllerSource()
	t.Cleanup(source.Shutdown)
	source.Add(red())
	return source, clientgo.NewSharedIndexInformer(source, red(), 0, nil)
}

func red() object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "w", Labels: map[string]string{"color": "red"}}}
}

// run runs an informer until the test ends.
func run(t *testing.T, informer toolscache.SharedIndexInformer) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.RunWithContext(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// TestWaitFor waits for an adapter and a handler as WaitForCacheSync of client-go's factories does.
func TestWaitFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, informer := newSource(t)
		handle, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if toolscache.WaitFor(ctx, "caches", informer.HasSyncedChecker()) {
			t.Error("it is synced before the start")
		}
		run(t, informer)
		if !toolscache.WaitFor(t.Context(), "caches", informer.HasSyncedChecker(), informer.GetController().HasSyncedChecker(), handle.HasSyncedChecker()) {
			t.Error("it is not synced")
		}
	})
}

// TestShutDownEventHandler waits for a call of a handler that is removed.
func TestShutDownEventHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, informer := newSource(t)
		ended := false
		handle, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) {
			time.Sleep(time.Hour)
			ended = true
		}})
		if err != nil {
			t.Fatal(err)
		}
		run(t, informer)
		synctest.Wait()
		if err := toolscache.ShutDownEventHandler(informer, handle); err != nil || !ended {
			t.Errorf("it returned %v, and the call had ended: %v", err, ended)
		}
	})
}

// TestTypedInformer uses client-go's typed API over the adapter.
func TestTypedInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, untyped := newSource(t)
		informer := toolscache.NewTypedSharedIndexInformer[object](untyped)
		if err := informer.AddTypedIndexers(toolscache.TypedIndexers[object]{"color": func(obj object) ([]string, error) { return []string{obj.Labels["color"]}, nil }}); err != nil {
			t.Fatal(err)
		}
		var added []object
		var deleted []toolscache.DeletedObject[object]
		_, err := informer.AddTypedEventHandler(toolscache.TypedResourceEventHandlerFuncs[object]{
			AddFunc:    func(obj object) { added = append(added, obj) },
			DeleteFunc: func(obj toolscache.DeletedObject[object]) { deleted = append(deleted, obj) },
		})
		if err != nil {
			t.Fatal(err)
		}
		run(t, untyped)
		synctest.Wait()
		found, err := informer.GetTypedIndexer().ByTypedIndex("color", "red")
		if err != nil || len(found) != 1 || len(added) != 1 || found[0] != added[0] {
			t.Errorf("the index has %v, and the handler got %v: %v", found, added, err)
		}
		source.DeleteDropWatch(red())
		source.ResetWatch()
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(deleted) != 1 || deleted[0].GetKey() != "a/w" || deleted[0].OptionalObj != added[0] || deleted[0].FinalStateUnknown == nil {
			t.Errorf("the handler got %+v", deleted)
		}
	})
}
