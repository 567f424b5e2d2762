package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// stranger is a source whose lists, or watches, have an object of another Go type.
type stranger struct{ inList bool }

func (s stranger) List(context.Context, metav1.ListOptions) (wire.Page, error) {
	page := wire.Page{Items: []wire.Item{cachetest.WireItem(cachetest.Numbered(1))}, ResourceVersion: "10"}
	if s.inList {
		page.Items = append(page.Items, cachetest.WireItem(&widgetSummary{metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "stranger", ResourceVersion: "2"}}}))
	}
	return page, nil
}

func (s stranger) Watch(ctx context.Context, _ metav1.ListOptions) (source.Stream, error) {
	return &strangeStream{left: 1}, nil
}

type strangeStream struct{ left int }

func (s *strangeStream) Next(ctx context.Context, reuse []wire.Event) ([]wire.Event, error) {
	if s.left == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	s.left--
	obj := &widgetSummary{metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "stranger", ResourceVersion: "20"}}}
	return append(reuse[:0], wire.Event{Type: watch.Added, Item: cachetest.WireItem(obj), ResourceVersion: "20"}), nil
}

func (*strangeStream) Stop() {}

// TestGate sends objects of another Go type by a list and by a watch, with and without a transform. A word of that type in the store would be read as a struct of the right one.
func TestGate(t *testing.T) {
	for _, from := range []source.Source{stranger{inList: true}, stranger{}} {
		inList := from == source.Source(stranger{inList: true})
		for _, transform := range []TransformFunc[object]{nil, func(obj object) (object, error) { return obj, nil }} {
			synctest.Test(t, func(t *testing.T) {
				settings := erasedConfig(Config[object]{ListerWatcher: cachetest.NewSource(), Resource: widgets, WatchErrorHandler: quiet, Transform: transform})
				settings.source = from
				s := newInformer(settings)
				cachetest.Run(t, s.Run)
				time.Sleep(time.Second)
				synctest.Wait()
				now := s.Status()
				want := fmt.Sprintf("a/stranger: %v: the client returned a *cache.widgetSummary instead of a *v1.PartialObjectMetadata", protocol.ErrUnexpectedType)
				if now.Phase != status.Degraded || now.Reason != status.Decode || !errors.Is(now.Err, protocol.ErrUnexpectedType) || !strings.Contains(now.Err.Error(), want) {
					t.Errorf("%T, in a list %v: %v, want an error with %q", from, inList, now, want)
				}
				if _, found := faceOf[object](s).GetIndexer().Get(ObjectName{"a", "stranger"}); found || inList != (s.core.Indexer.Len() == 0) {
					t.Errorf("%T, in a list %v: the cache has %d objects", from, inList, s.core.Indexer.Len())
				}
			})
		}
	}
}

// TestGateOfTheStore adds an object of another type through the informer of any kind.
func TestGateOfTheStore(t *testing.T) {
	typed := informerOf(Config[object]{ListerWatcher: cachetest.NewSource(), Resource: widgets})
	defer typed.Stop()
	any := NewGenericInformer(typed).(genericInformer).GetIndexer()
	any.Add(cachetest.Numbered(1))
	if obj, found := typed.GetIndexer().Get(MetaObjectToName(cachetest.Numbered(1))); !found || obj.Name != cachetest.Numbered(1).Name {
		t.Errorf("the typed informer has %v", obj)
	}
	text := panicOf(func() { any.Add(&widgetSummary{}) })
	if want := "a *cache.widgetSummary is to be stored in a cache of *v1.PartialObjectMetadata"; !strings.Contains(text, want) {
		t.Errorf("the panic is %q, want %q", text, want)
	}
}

// TestDeleteOfAnUnknownType: of an object of any type, only the names and the UID are known.
func TestDeleteOfAnUnknownType(t *testing.T) {
	r := storeReflectorOf(erasedConfig(Config[Object]{ListerWatcher: &cachetest.ListWatch[Object]{}, Resource: widgets}), erasedStore{})
	obj := r.named(&wire.DecodeError{Namespace: "a", Name: "b", UID: "u", ResourceVersion: "7"})
	if MetaObjectToName(obj) != (ObjectName{"a", "b"}) || obj.GetUID() != "u" || obj.GetResourceVersion() != "7" {
		t.Errorf("the object is %v", obj)
	}
}
