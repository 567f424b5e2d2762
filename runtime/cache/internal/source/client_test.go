package source_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// clientOf returns the source of a client with one list, and one watch. Lists fail with err, if it is not nil.
func clientOf(list runtime.Object, w watch.Interface, err error) *source.Client {
	return &source.Client{
		ListFunc:  func(context.Context, metav1.ListOptions) (runtime.Object, error) { return list, err },
		WatchFunc: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return w, nil },
	}
}

func TestTypedClientLists(t *testing.T) {
	list := &metav1.PartialObjectMetadataList{
		ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: "more"},
		Items:    []metav1.PartialObjectMetadata{*cachetest.Numbered(1), *cachetest.Numbered(2)},
	}
	page, err := clientOf(list, nil, nil).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(page.Items) != 2 || page.ResourceVersion != "7" || page.Continue != "more" {
		t.Fatalf("page is %+v, %v", page, err)
	}
	list.Items[0].Name = "changed"
	if page.Items[0].Object.GetName() != "1" {
		t.Error("an item is a part of the list's array, and would keep all of it alive")
	}
	if _, err := clientOf(nil, nil, apierrors.NewForbidden(schema.GroupResource{}, "", nil)).List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("error is %v", err)
	}
}

func openFake(t *testing.T) (*watch.FakeWatcher, source.Stream) {
	t.Helper()
	fake := watch.NewFakeWithChanSize(5000, false)
	stream, err := clientOf(nil, fake, nil).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return fake, stream
}

func TestTypedClientWatchesInBatches(t *testing.T) {
	fake, stream := openFake(t)
	for n := range 3000 {
		fake.Modify(cachetest.Numbered(n))
	}
	total := 0
	var batch []wire.Event
	for total < 3000 {
		var err error
		if batch, err = stream.Next(t.Context(), batch); err != nil || len(batch) == 0 || len(batch) > source.MaxBatch {
			t.Fatalf("a batch of %d, %v", len(batch), err)
		}
		for _, e := range batch {
			if e.Type != watch.Modified || e.Object.GetName() != cachetest.Numbered(total).Name {
				t.Fatalf("event %d is %+v", total, e)
			}
			total++
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := stream.Next(ctx, batch); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	stream.Stop()
	if !fake.IsStopped() {
		t.Error("the watch was not stopped")
	}
}

func TestTypedClientReturnsEventsBeforeTheirError(t *testing.T) {
	gone := apierrors.NewResourceExpired("too old resource version").Status()
	bookmark := cachetest.Numbered(3)
	bookmark.ResourceVersion = "9"
	for name, test := range map[string]struct {
		end  func(*watch.FakeWatcher)
		want func(error) bool
	}{
		"closed":  {(*watch.FakeWatcher).Stop, func(err error) bool { return err == io.EOF }},
		"expired": {func(w *watch.FakeWatcher) { w.Error(&gone) }, apierrors.IsResourceExpired},
		"another type": {func(w *watch.FakeWatcher) { w.Add(&metav1.Table{}) },
			func(err error) bool {
				return protocol.ReasonOf(err) == protocol.Decode && strings.Contains(err.Error(), "*v1.Table")
			}},
		"another event": {func(w *watch.FakeWatcher) { w.Action("MOVED", cachetest.Numbered(4)) },
			func(err error) bool { return strings.Contains(err.Error(), `"MOVED"`) }},
	} {
		t.Run(name, func(t *testing.T) {
			fake, stream := openFake(t)
			fake.Add(cachetest.Numbered(1))
			fake.Delete(cachetest.Numbered(2))
			fake.Action(watch.Bookmark, runtime.Object(bookmark))
			test.end(fake)
			batch, err := stream.Next(t.Context(), nil)
			if err != nil || len(batch) != 3 || batch[1].Type != watch.Deleted || batch[1].Object.GetName() != "2" {
				t.Errorf("batch is %+v, %v", batch, err)
			}
			if last := batch[2]; last.Type != watch.Bookmark || last.Object != nil || last.ResourceVersion != "9" {
				t.Errorf("bookmark is %+v", last)
			}
			for range 2 {
				if batch, err := stream.Next(t.Context(), nil); !test.want(err) || len(batch) != 0 {
					t.Errorf("then come %+v, %v", batch, err)
				}
			}
		})
	}
}

// pointed is a kind that embeds pointers to its metadata.
type pointed struct {
	*metav1.TypeMeta
	*metav1.ObjectMeta
}

func (p *pointed) DeepCopyObject() runtime.Object { panic("this is not needed") }

// pointedList is a list of pointers.
type pointedList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []*pointed
}

func (l *pointedList) DeepCopyObject() runtime.Object { panic("this is not needed") }

// TestTypedClientOfPointers lists and watches with a client whose objects may have no
// metadata.
func TestTypedClientOfPointers(t *testing.T) {
	good := &pointed{ObjectMeta: &metav1.ObjectMeta{Name: "a"}}
	page, err := clientOf(&pointedList{Items: []*pointed{good}}, nil, nil).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(page.Items) != 1 || page.Items[0].Object != wire.Object(good) {
		t.Errorf("listed %v, %v", page.Items, err)
	}
	for name, bad := range map[string]*pointed{"without metadata": {}, "nil": nil} {
		w := watch.NewFakeWithChanSize(1, false)
		client := clientOf(&pointedList{Items: []*pointed{good, bad}}, w, nil)
		if _, err := client.List(t.Context(), metav1.ListOptions{}); protocol.ReasonOf(err) != protocol.Decode {
			t.Errorf("%s: the error of the list is %v", name, err)
		}
		stream, err := client.Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w.Add(bad)
		if events, err := stream.Next(t.Context(), nil); len(events) != 0 || protocol.ReasonOf(err) != protocol.Decode {
			t.Errorf("%s: the watch has %v, %v", name, events, err)
		}
		stream.Stop()
	}
}
