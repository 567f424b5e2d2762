package clientgo

// client-go has shards from v0.38 on, and this module compiles with v0.34. A build tag would not do: go mod tidy reads files
// with any tag, and would raise the apimachinery of users. So hack/test-matrix.sh adds this file to the package.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// collection is a ListerWatcher of objects that all requests get, whatever their shard. applied is the selector that its lists say
// they have.
type collection struct {
	objects []metav1.PartialObjectMetadata
	applied string
	events  *watch.FakeWatcher

	mu        sync.Mutex
	selectors []string // of the requests
}

func (c *collection) note(options metav1.ListOptions) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.selectors = append(c.selectors, options.ShardSelector)
}

func (c *collection) IsWatchListSemanticsUnSupported() bool { return true }

func (c *collection) List(options metav1.ListOptions) (runtime.Object, error) {
	return c.ListWithContext(context.Background(), options)
}

func (c *collection) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return c.WatchWithContext(context.Background(), options)
}

func (c *collection) ListWithContext(_ context.Context, options metav1.ListOptions) (runtime.Object, error) {
	c.note(options)
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "10"}, Items: slices.Clone(c.objects)}
	if c.applied != "" {
		list.ShardInfo = &metav1.ShardInfo{Selector: c.applied}
	}
	return list, nil
}

func (c *collection) WatchWithContext(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
	c.note(options)
	return c.events, nil
}

// newCollection returns n objects in some namespaces.
func newCollection(n int) *collection {
	c := &collection{events: watch.NewFakeWithChanSize(100, false)}
	for i := range n {
		obj := newObject(fmt.Sprintf("%s/widget-%d", namespaceOf(i), i), "red")
		obj.ResourceVersion = fmt.Sprint(1 + i%10)
		c.objects = append(c.objects, *obj)
	}
	return c
}

// namespaceOf returns the namespace of an object. Their hashes are spread, as those of names that only differ in a number are not.
func namespaceOf(i int) string { return strings.Repeat(string(rune('a'+i%7)), 1+i%7) + "-team" }

// shardedInformers make informers of a shard, ours and client-go's. A nil selector selects everything.
var shardedInformers = map[string]func(c *collection, selector sharding.Selector) (toolscache.SharedIndexInformer, error){
	"client-go": func(c *collection, selector sharding.Selector) (toolscache.SharedIndexInformer, error) {
		informer := toolscache.NewSharedIndexInformer(c, &metav1.PartialObjectMetadata{}, 0, nil)
		return informer, informer.SetShardSelector(selector)
	},
	"SetShardSelector": func(c *collection, selector sharding.Selector) (toolscache.SharedIndexInformer, error) {
		informer := NewSharedIndexInformer(c, &metav1.PartialObjectMetadata{}, 0, nil)
		return informer, informer.SetShardSelector(selector)
	},
	"options": func(c *collection, selector sharding.Selector) (toolscache.SharedIndexInformer, error) {
		return NewSharedIndexInformerWithOptions(c, &metav1.PartialObjectMetadata{}, toolscache.SharedIndexInformerOptions{ShardSelector: selector}), nil
	},
	"NewShardedListWatch": func(c *collection, selector sharding.Selector) (toolscache.SharedIndexInformer, error) {
		return NewSharedIndexInformer(toolscache.NewShardedListWatch(c, selector), &metav1.PartialObjectMetadata{}, 0, nil), nil
	},
	"ListerWatcher": func(c *collection, selector sharding.Selector) (toolscache.SharedIndexInformer, error) {
		kind := cache.Kind[object]{Resource: widgets, ListWatch: func(string) cache.ListerWatcher[object] {
			return ListerWatcher[object](toolscache.NewShardedListWatch(c, selector))
		}}
		informer, err := kind.NewInformer()
		return SharedIndexInformer(informer), err
	},
	"typed": func(c *collection, selector sharding.Selector) (toolscache.SharedIndexInformer, error) {
		kind := cache.Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(string) cache.ListerWatcher[object] { return ListerWatcher[object](c) }}
		informer, err := kind.NewInformer()
		if err != nil {
			return nil, err
		}
		adapter := SharedIndexInformer(informer)
		return adapter, adapter.SetShardSelector(selector)
	},
}

// selectors returns random selectors, and those that select everything.
func selectors(random *rand.Rand) []sharding.Selector {
	all := []sharding.Selector{nil, sharding.Everything()}
	for _, key := range []string{"object.metadata.uid", "object.metadata.namespace"} {
		for range 5 {
			n := 1 + random.IntN(5)
			one, err := sharding.NewShardRangeSelector(key, random.IntN(n), n)
			if err != nil {
				panic(err)
			}
			first, _ := sharding.NewShardRangeSelector(key, 0, n+2)
			last, _ := sharding.NewShardRangeSelector(key, n+1, n+2)
			all = append(all, one, sharding.NewSelector(append(first.Requirements(), last.Requirements()...)...))
		}
	}
	return all
}

// TestShards compares the objects that each informer of a shard has with those of client-go's, of a server that ignores shards.
func TestShards(t *testing.T) {
	most, least := 0, 80
	for _, selector := range selectors(rand.New(rand.NewPCG(1, 2))) {
		text := "none"
		if selector != nil {
			text = selector.String()
		}
		results, requests := map[string][]string{}, map[string][]string{}
		for name, create := range shardedInformers {
			synctest.Test(t, func(t *testing.T) {
				c := newCollection(40)
				informer, err := create(c, selector)
				if err != nil {
					t.Fatalf("%s, %s: %v", name, text, err)
				}
				run(t, informer.RunWithContext)
				time.Sleep(10 * time.Second)
				for i := range 40 {
					obj := newObject(fmt.Sprintf("%s/later-%d", namespaceOf(i), i), "blue")
					obj.ResourceVersion = fmt.Sprint(11 + i)
					c.events.Add(obj)
				}
				synctest.Wait()
				results[name] = informer.GetStore().ListKeys()
				slices.Sort(results[name])
				if err := informer.SetShardSelector(selector); err == nil {
					t.Errorf("%s, %s: SetShardSelector returns no error after the start", name, text)
				}
				c.mu.Lock()
				defer c.mu.Unlock()
				requests[name] = c.selectors
			})
		}
		want := results["client-go"]
		most = max(most, len(want))
		least = min(least, len(want))
		for name, got := range results {
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: it has %q, want %q", name, text, got, want)
			}
			for _, sent := range requests[name] {
				if sent != requests["client-go"][0] {
					t.Errorf("%s, %s: a request has the selector %q, want %q", name, text, sent, requests["client-go"][0])
				}
			}
		}
	}
	if most != 80 || least > 40 {
		t.Errorf("the selectors select from %d to %d objects of 80", least, most)
	}
}

// TestShardOfAnotherSelector follows a server that says that it has applied another selector, or this one.
func TestShardOfAnotherSelector(t *testing.T) {
	first, _ := sharding.NewShardRangeSelector("object.metadata.uid", 0, 2)
	second, _ := sharding.NewShardRangeSelector("object.metadata.uid", 1, 2)
	for name, create := range shardedInformers {
		for _, applied := range []sharding.Selector{first, second} {
			synctest.Test(t, func(t *testing.T) {
				c := newCollection(10)
				c.applied = applied.String()
				informer, err := create(c, first)
				if err != nil {
					t.Fatal(err)
				}
				run(t, informer.RunWithContext)
				time.Sleep(time.Minute)
				synctest.Wait()
				if got := informer.HasSynced(); got != (applied == first) {
					t.Errorf("%s: with %s applied instead of %s, synced: %t", name, applied, first, got)
				}
			})
		}
	}
}

// unknown is a selector of another language.
type unknown struct{ sharding.Selector }

func (unknown) Empty() bool    { return false }
func (unknown) String() string { return "every second one" }

// TestSelectorsThatAreRefused sets selectors that no server knows, and one of a view.
func TestSelectorsThatAreRefused(t *testing.T) {
	informer := NewSharedIndexInformer(newCollection(1), &metav1.PartialObjectMetadata{}, 0, nil)
	if err := informer.SetShardSelector(unknown{}); err == nil || !strings.Contains(err.Error(), "every second one") {
		t.Errorf("an unknown selector: %v", err)
	}
	kind := cache.Kind[object]{Resource: widgets, ListWatch: func(string) cache.ListerWatcher[object] { return ListerWatcher[object](newCollection(1)) }}
	typed, err := kind.NewInformer()
	if err != nil {
		t.Fatal(err)
	}
	view := SharedIndexInformerOf(typed, View{Object: func(obj cache.Object) runtime.Object { return obj }})
	half, _ := sharding.NewShardRangeSelector("object.metadata.uid", 0, 2)
	if err := view.SetShardSelector(half); err == nil || !strings.Contains(err.Error(), "another form") {
		t.Errorf("of a view: %v", err)
	}
}

// TestShardOfARequest reads the query of the requests that an informer of generated code sends.
func TestShardOfARequest(t *testing.T) {
	half, _ := sharding.NewShardRangeSelector("object.metadata.namespace", 0, 2)
	queries := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		queries <- "watch " + query.Get("watch") + " " + query.Get("shardSelector")
		w.Header().Set("Content-Type", "application/json")
		if query.Get("watch") == "" {
			fmt.Fprintf(w, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7","shardInfo":{"selector":%q}},"items":[]}`, half)
			return
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close) // after the informer has ended
	gv := schema.GroupVersion{Group: widgets.Group, Version: widgets.Version}
	client, err := rest.RESTClientFor(&rest.Config{Host: server.URL, APIPath: "/apis", ContentConfig: rest.ContentConfig{
		GroupVersion: &gv, NegotiatedSerializer: serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	informer := NewInformer(Source{Resource: widgets, Object: &metav1.PartialObjectMetadata{}, Client: client})
	if err := informer.SetShardSelector(half); err != nil {
		t.Fatal(err)
	}
	run(t, informer.RunWithContext)
	for _, want := range []string{"watch  " + half.String(), "watch true " + half.String()} {
		if got := <-queries; got != want {
			t.Errorf("the query is %q, want %q", got, want)
		}
	}
}
