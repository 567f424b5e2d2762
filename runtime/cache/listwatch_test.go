package cache

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// typedClient is a generated client of PartialObjectMetadata.
type typedClient struct {
	list  *metav1.PartialObjectMetadataList
	watch watch.Interface
	err   error
}

func (c typedClient) List(context.Context, metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	return c.list, c.err
}

func (c typedClient) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return c.watch, c.err
}

func TestTypedClientLists(t *testing.T) {
	list := &metav1.PartialObjectMetadataList{
		ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: "more"},
		Items:    []metav1.PartialObjectMetadata{*cachetest.Numbered(1), *cachetest.Numbered(2)},
	}
	page, err := sourceOfClient(typedClient{list: list}).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(page.Items) != 2 || page.ResourceVersion != "7" || page.Continue != "more" {
		t.Fatalf("page is %+v, %v", page, err)
	}
	list.Items[0].Name = "changed"
	if page.Items[0].Object.GetName() != "1" {
		t.Error("an item is a part of the list's array, and would keep all of it alive")
	}
	if _, err := sourceOfClient(typedClient{err: errForbidden}).List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("error is %v", err)
	}
}

func openFake(t *testing.T) (*watch.FakeWatcher, source.Stream) {
	t.Helper()
	fake := watch.NewFakeWithChanSize(5000, false)
	stream, err := sourceOfClient(typedClient{watch: fake}).Watch(t.Context(), metav1.ListOptions{})
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
	gone := errGone.Status()
	bookmark := cachetest.Numbered(3)
	bookmark.ResourceVersion = "9"
	for name, test := range map[string]struct {
		end  func(*watch.FakeWatcher)
		want func(error) bool
	}{
		"closed":  {(*watch.FakeWatcher).Stop, func(err error) bool { return err == io.EOF }},
		"expired": {func(w *watch.FakeWatcher) { w.Error(&gone) }, apierrors.IsResourceExpired},
		"another type": {func(w *watch.FakeWatcher) { w.Add(&metav1.Table{}) },
			func(err error) bool { return reasonOf(err) == Decode && strings.Contains(err.Error(), "*v1.Table") }},
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
