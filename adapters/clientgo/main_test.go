package clientgo

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"

	"github.com/typedinformers/informer-gen/internal/packing"
	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

func TestMain(m *testing.M) {
	packing.Default = packingtest.Compression()
	goleak.VerifyTestMain(m)
}

// object is the kind that these tests are about.
type object = *metav1.PartialObjectMetadata

var widgets = schema.GroupVersionResource{Group: "test.example.com", Version: "v1", Resource: "widgets"}

// newObject returns an object with a name as in a key, and a label.
func newObject(key, color string) object {
	name, err := cache.ParseObjectName(key)
	if err != nil {
		panic(err)
	}
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: name.Namespace, Name: name.Name, UID: types.UID("uid of " + key), Labels: map[string]string{"color": color},
	}}
}

// byColor is an index function of client-go.
func byColor(obj any) ([]string, error) {
	return []string{obj.(metav1.Object).GetLabels()["color"]}, nil
}

// newSource returns a source of client-go's tests with some objects.
func newSource(t testing.TB, objs ...object) *fcache.FakeControllerSource {
	source := fcache.NewFakeControllerSource()
	t.Cleanup(source.Shutdown)
	for _, obj := range objs {
		source.Add(obj)
	}
	return source
}

// failing is a source whose lists fail while fails is set.
type failing struct {
	toolscache.ListerWatcher
	fails atomic.Bool
}

func (f *failing) List(options metav1.ListOptions) (runtime.Object, error) {
	if f.fails.Load() {
		return nil, errors.New("no disk")
	}
	//lint:ignore SA1019 the fake source has no other method
	return f.ListerWatcher.List(options)
}

// newInformer returns an informer of ours over a ListerWatcher of client-go.
func newInformer(lw toolscache.ListerWatcher) *cache.SharedIndexInformer[object] {
	informer, err := cache.Kind[object]{Resource: widgets, ListWatch: func(string) cache.ListerWatcher[object] { return ListerWatcher[object](lw) }}.NewInformer()
	if err != nil {
		panic(err)
	}
	return informer
}

// run runs an informer until stop is called, or the test ends.
func run(t testing.TB, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(ctx)
	}()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

// recorder is a handler of client-go that records its calls.
type recorder struct {
	mu    sync.Mutex
	lines []string
}

func (r *recorder) OnAdd(obj any, isInInitialList bool) {
	r.write("add %s initial=%v", describe(obj), isInInitialList)
}

func (r *recorder) OnUpdate(oldObj, newObj any) {
	r.write("update %s to %s", describe(oldObj), describe(newObj))
}

func (r *recorder) OnDelete(obj any) { r.write("delete %s", describe(obj)) }

func (r *recorder) write(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// take returns what was recorded since the last call.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	return lines
}

// describe returns the type, the key and the color of an object or a tombstone.
func describe(obj any) string {
	switch obj := obj.(type) {
	case toolscache.DeletedFinalStateUnknown:
		return fmt.Sprintf("tombstone %s of %s", obj.Key, describe(obj.Obj))
	case object:
		return cache.MetaNamespaceKeyFunc(obj) + " " + obj.Labels["color"]
	default:
		return fmt.Sprintf("%T", obj)
	}
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func wantSorted(t *testing.T, got []string, want ...string) {
	t.Helper()
	wantLines(t, slices.Sorted(slices.Values(got)), want...)
}

func describeAll(objs []any) (all []string) {
	for _, obj := range objs {
		all = append(all, describe(obj))
	}
	return slices.Sorted(slices.Values(all))
}

// The functions below call what only newer versions of client-go have.

// doneCheckerOf is client-go's DoneChecker, which it has since v0.36.
type doneCheckerOf interface {
	Name() string
	Done() <-chan struct{}
}

// checker returns the result of HasSyncedChecker, or with an older client-go what it would be.
func checker(of any) doneCheckerOf {
	result := reflect.ValueOf(of).MethodByName("HasSyncedChecker").Call(nil)[0].Interface()
	if found, ok := result.(doneCheckerOf); ok {
		return found
	}
	return of.(checked).synced()
}

// waitFor is client-go's WaitFor.
func waitFor(ctx context.Context, of ...any) bool {
	for _, next := range of {
		select {
		case <-checker(next).Done():
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// versionOf returns the version of a store, which is empty in one of an older client-go.
func versionOf(store toolscache.Store) string {
	if s, ok := store.(interface{ LastStoreSyncResourceVersion() string }); ok {
		return s.LastStoreSyncResourceVersion()
	}
	return ""
}

func bookmark(store toolscache.Store, version string) {
	if s, ok := store.(interface{ Bookmark(string) }); ok {
		s.Bookmark(version)
	}
}

// shutDownEventHandler is client-go's ShutDownEventHandler, which it has since v0.37.
func shutDownEventHandler(informer toolscache.SharedInformer, handle toolscache.ResourceEventHandlerRegistration) error {
	err := informer.RemoveEventHandler(handle)
	if err == nil {
		<-handle.(interface{ ShutdownChan() <-chan struct{} }).ShutdownChan()
	}
	return err
}
