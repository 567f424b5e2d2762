package smoke

import (
	"context"
	"net/http"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
	typedshopv1 "github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/typed/shop/v1"
	informers "github.com/typedinformers/informer-gen/testdata/generated/informers/externalversions"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// streams counts the requests for streaming lists.
type streams struct {
	mu    sync.Mutex
	count int
}

func (s *streams) heard(asked bool) {
	if asked {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.count++
	}
}

// ordersByHand is a clientset whose client of Orders is written by hand, and has no server.
type ordersByHand struct {
	versioned.Interface
	*streams
}

func (c ordersByHand) ShopV1() typedshopv1.ShopV1Interface { return shopByHand{streams: c.streams} }

type shopByHand struct {
	typedshopv1.ShopV1Interface
	*streams
}

func (shopByHand) RESTClient() rest.Interface { return nil }

func (c shopByHand) Orders(string) typedshopv1.OrderInterface {
	return orderClientByHand{streams: c.streams}
}

type orderClientByHand struct {
	typedshopv1.OrderInterface
	*streams
}

func (orderClientByHand) List(context.Context, metav1.ListOptions) (*shopv1.OrderList, error) {
	return &shopv1.OrderList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
}

func (c orderClientByHand) Watch(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
	stream := options.SendInitialEvents != nil
	c.heard(stream)
	w := watch.NewFakeWithChanSize(1, false)
	if stream {
		w.Action(watch.Bookmark, &shopv1.Order{ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: "1", Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"},
		}})
	}
	return w, nil
}

// TestStreamsByClient has clients with and without streaming lists, alone and two of them in
// one factory. Whether there are such lists is a property of each client.
func TestStreamsByClient(t *testing.T) {
	var count streams
	real := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		stream := r.URL.Query().Get("sendInitialEvents") != ""
		count.heard(stream)
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "" {
			_, _ = w.Write([]byte(`{"kind":"OrderList","apiVersion":"shop.example.com/v1","metadata":{"resourceVersion":"2"},"items":[]}`))
			return
		}
		if stream {
			_, _ = w.Write([]byte(`{"type":"BOOKMARK","object":{"kind":"Order","apiVersion":"shop.example.com/v1","metadata":{"resourceVersion":"2","annotations":{"k8s.io/initial-events-end":"true"}}}}` + "\n"))
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	byHand := ordersByHand{fake.NewSimpleClientset(), &count}
	for name, test := range map[string]struct {
		clients []versioned.Interface
		want    int
	}{
		"a server":                   {[]versioned.Interface{real}, 1},
		"a fake":                     {[]versioned.Interface{fake.NewSimpleClientset()}, 0},
		"a wrapper of a fake":        {[]versioned.Interface{struct{ versioned.Interface }{fake.NewSimpleClientset()}}, 0},
		"a client by hand":           {[]versioned.Interface{byHand}, 1},
		"a fake, joined by a server": {[]versioned.Interface{fake.NewSimpleClientset(), real}, 1},
		"a server, joined by a fake": {[]versioned.Interface{real, fake.NewSimpleClientset()}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			count.count = 0
			factory := informers.NewSharedInformerFactory(test.clients[0], 0, cache.WithStreamingList())
			factory.Shop().V1().Orders().Informer()
			for _, client := range test.clients[1:] {
				informers.Join(factory.Inner(), client).Shop().V1().Orders().Informer()
			}
			start(t, factory)
			factory.Shutdown()
			if count.count != test.want {
				t.Errorf("there are %d requests for streaming lists, want %d", count.count, test.want)
			}
		})
	}
}
