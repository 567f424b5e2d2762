package clientgo

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// requests is a ListerWatcher of client-go that records its requests.
type requests struct {
	mu    sync.Mutex
	lines []string
	// refuse returns the error of a request for a streaming list.
	refuse func() error
	// unsupported is the result of IsWatchListSemanticsUnSupported.
	unsupported bool
}

func (r *requests) note(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

func (r *requests) IsWatchListSemanticsUnSupported() bool { return r.unsupported }

func (r *requests) List(metav1.ListOptions) (runtime.Object, error) { panic("without a context") }

func (r *requests) Watch(metav1.ListOptions) (watch.Interface, error) { panic("without a context") }

func (r *requests) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	r.note("list")
	return &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []metav1.PartialObjectMetadata{*newObject("a/w", "listed")}}, nil
}

func (r *requests) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if options.SendInitialEvents == nil {
		r.note("watch from " + options.ResourceVersion)
		return watch.NewFake(), nil
	}
	r.note("stream")
	if r.refuse != nil {
		return nil, r.refuse()
	}
	w := watch.NewFakeWithChanSize(3, false)
	w.Add(newObject("a/w", "streamed"))
	w.Action(watch.Bookmark, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "7", Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}})
	return w, nil
}

// TestStreamingLists reads lists as a stream where client-go does: if the feature is enabled, and the ListerWatcher has them.
func TestStreamingLists(t *testing.T) {
	connection := &url.Error{Op: "Get", URL: "https://localhost", Err: syscall.ECONNREFUSED}
	for name, test := range map[string]struct {
		source  *requests
		feature bool
		want    []string
		object  string
	}{
		"supported":           {&requests{}, true, []string{"stream"}, "a/w streamed"},
		"not enabled":         {&requests{}, false, []string{"list", "watch from 7"}, "a/w listed"},
		"not supported":       {&requests{unsupported: true}, true, []string{"list", "watch from 7"}, "a/w listed"},
		"refused by a client": {&requests{refuse: func() error { return errors.New("no resourceVersion") }}, true, []string{"stream", "list", "watch from 7"}, "a/w listed"},
		"no connection":       {&requests{refuse: failTwice(connection)}, true, []string{"stream", "stream", "stream", "list", "watch from 7"}, "a/w listed"},
	} {
		t.Run(name, func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, features.WatchListClient, test.feature)
			synctest.Test(t, func(t *testing.T) {
				informer := NewSharedIndexInformer(test.source, newObject("w", ""), 0, nil)
				run(t, informer.RunWithContext)
				time.Sleep(time.Minute)
				synctest.Wait()
				wantLines(t, test.source.lines, test.want...)
				wantLines(t, describeAll(informer.GetStore().List()), test.object)
			})
		})
	}
}

// failTwice returns err twice, and then an error of the client.
func failTwice(err error) func() error {
	n := 0
	return func() error {
		if n++; n <= 2 {
			return err
		}
		return errors.New("no resourceVersion")
	}
}

// TestNewSharedIndexInformer replaces client-go's function, with lists and watches of functions as
// in the tests of many programs: without resourceVersions.
func TestNewSharedIndexInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watcher := watch.NewFake()
		lw := &toolscache.ListWatch{
			//lint:ignore SA1019 many programs set it
			ListFunc: func(metav1.ListOptions) (runtime.Object, error) {
				return &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{*newObject("a/w", "red")}}, nil
			},
			//lint:ignore SA1019 many programs set it
			WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
				if options.SendInitialEvents != nil {
					return nil, errors.New("no streams")
				}
				return watcher, nil
			},
		}
		informer := NewSharedIndexInformer(lw, newObject("w", ""), 0, toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc, "color": byColor})
		heard := &recorder{}
		if _, err := informer.AddEventHandler(heard); err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		go informer.Run(stop)
		synctest.Wait()
		watcher.Add(newObject("a/v", "blue"))
		watcher.Modify(newObject("a/w", "green"))
		watcher.Delete(newObject("a/v", "blue"))
		synctest.Wait()
		wantLines(t, heard.take(), "add a/w red initial=true", "add a/v blue initial=false", "update a/w red to a/w green", "delete a/v blue")
		if objs, err := informer.GetIndexer().ByIndex("color", "green"); err != nil || len(objs) != 1 {
			t.Errorf("the index has %v: %v", objs, err)
		}
		close(stop)
		synctest.Wait()
		if !informer.IsStopped() {
			t.Error("it is not stopped")
		}
	})
}

func TestNewSharedIndexInformerRefusesIndexers(t *testing.T) {
	defer func() {
		if err, _ := recover().(error); err == nil || !strings.Contains(err.Error(), `index "color": it has no function`) {
			t.Errorf("the panic is %v", err)
		}
	}()
	NewSharedIndexInformer(newSource(t), nil, 0, toolscache.Indexers{"color": nil})
}

func TestResourceOf(t *testing.T) {
	kindless, kind := &unstructured.Unstructured{}, &unstructured.Unstructured{Object: map[string]any{"apiVersion": "test.example.com/v1", "kind": "Widget"}}
	for obj, want := range map[runtime.Object]string{
		nil:                                  "",
		runtime.Object(newObject("w", "")):   "partialobjectmetadatas",
		runtime.Object(kindless):             "unstructureds",
		runtime.Object(kind):                 "widgets.test.example.com",
		runtime.Object(&metav1.Status{}):     "statuses",
		runtime.Object(&metav1.APIGroup{}):   "apigroups",
		runtime.Object(&metav1.WatchEvent{}): "watchevents",
	} {
		if got := resourceOf(obj).GroupResource().String(); got != want {
			t.Errorf("the resource of %T is %q, want %q", obj, got, want)
		}
	}
}

// TestBothFaces adds handlers to an informer as client-go's and to its typed form, which have one cache.
func TestBothFaces(t *testing.T) {
	for _, test := range []struct {
		resync  time.Duration
		own     *time.Duration
		relists bool
	}{
		{0, nil, true},
		{0, new(time.Duration), true},
		{time.Hour, nil, true},
		{time.Hour, new(time.Duration), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			source := newSource(t, newObject("a/v", "red"), newObject("a/w", "red"))
			informer := NewInformer(Source{Resource: widgets, Object: newObject("w", ""), ListWatch: source, ResyncPeriod: test.resync})
			typed, err := TypedInformer[object](toolscache.SharedIndexInformer(struct{ toolscache.SharedIndexInformer }{informer}))
			if err != nil {
				t.Fatal(err)
			}
			theirs, changes := &recorder{}, &recorder{}
			if _, err := informer.AddEventHandlerWithOptions(theirs, toolscache.HandlerOptions{ResyncPeriod: test.own}); err != nil {
				t.Fatal(err)
			}
			if _, err := typed.AddEventHandler(ResourceEventHandler[object](changes)); err != nil {
				t.Fatal(err)
			}
			run(t, informer.RunWithContext)
			synctest.Wait()
			if v, ok := typed.GetStore().Get(cache.ObjectName{Namespace: "a", Name: "v"}); !ok || any(v) != informer.GetStore().List()[0] && any(v) != informer.GetStore().List()[1] {
				t.Error("the forms have different caches")
			}
			wantSorted(t, theirs.take(), "add a/v red initial=true", "add a/w red initial=true")
			changes.take()
			source.ModifyDropWatch(newObject("a/w", "blue"))
			source.ResetWatch()
			time.Sleep(time.Minute)
			synctest.Wait()
			wantLines(t, changes.take(), "update a/w red to a/w blue")
			want := []string{"update a/w red to a/w blue"}
			if test.relists {
				want = append(want, "update a/v red to a/v red")
			}
			wantLines(t, theirs.take(), want...)
		})
	}
}

// TestNoTypedInformer asks for the typed form of what has none.
func TestNoTypedInformer(t *testing.T) {
	ours := SharedIndexInformer(newInformer(newSource(t)))
	foreign := toolscache.NewSharedIndexInformer(newSource(t), newObject("w", ""), 0, nil)
	_, err := TypedInformer[object](foreign)
	if want := "the *cache.sharedIndexInformer is no adapter for objects of type *v1.PartialObjectMetadata: its cache is a *cache.cache"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, err := TypedInformer[cache.Object](ours); err == nil {
		t.Error("an informer of another type has one")
	}
}

// TestTheOtherDirection runs a handler and a transform of client-go in an informer of ours.
func TestTheOtherDirection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newSource(t, newObject("a/w", "red"))
		informer := newInformer(source)
		if err := informer.SetTransform(TransformFunc[object](func(obj any) (any, error) {
			if _, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
				t.Error("the transform got a tombstone")
			}
			obj.(object).Annotations = map[string]string{"transformed": "yes"}
			return obj, nil
		})); err != nil {
			t.Fatal(err)
		}
		heard := &recorder{}
		if _, err := informer.AddEventHandler(ResourceEventHandler[object](heard), cache.WithHandlerName("recorder")); err != nil {
			t.Fatal(err)
		}
		run(t, informer.Run)
		synctest.Wait()
		source.DeleteDropWatch(newObject("a/w", "red"))
		source.ResetWatch()
		time.Sleep(time.Minute)
		synctest.Wait()
		wantLines(t, heard.take(), "add a/w red initial=true", "delete tombstone a/w of a/w red")
		if TransformFunc[object](nil) != nil {
			t.Error("no transform became one")
		}
	})
}

// TestErrorsOfAWatch checks that a watch returns the errors of the ListerWatcher, except for a streaming list.
func TestErrorsOfAWatch(t *testing.T) {
	own, stream := errors.New("no disk"), true
	client := source{client: toolscache.ToListerWatcherWithContext(&toolscache.ListWatch{
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return nil, own },
	})}
	if _, err := client.Watch(t.Context(), metav1.ListOptions{}); err != own {
		t.Errorf("a watch: %v", err)
	}
	if _, err := client.Watch(t.Context(), metav1.ListOptions{SendInitialEvents: &stream}); !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), "no disk") {
		t.Errorf("a streaming list: %v", err)
	}
}

// TestNewSharedIndexInformerResyncs has a resync period.
func TestNewSharedIndexInformerResyncs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		informer := NewSharedIndexInformer(newSource(t, newObject("a/w", "red")), nil, time.Minute, nil)
		heard := &recorder{}
		if _, err := informer.AddEventHandler(heard); err != nil {
			t.Fatal(err)
		}
		run(t, informer.RunWithContext)
		time.Sleep(time.Minute)
		synctest.Wait()
		wantLines(t, heard.take(), "add a/w red initial=true", "update a/w red to a/w red")
	})
}
