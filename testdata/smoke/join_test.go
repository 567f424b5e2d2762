package smoke

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
	fortv1 "github.com/typedinformers/informer-gen/testdata/dependency/fort/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/testdata/generated/informers/externalversions"
	shopinformers "github.com/typedinformers/informer-gen/testdata/generated/informers/externalversions/shop/v1"
	importedfake "github.com/typedinformers/informer-gen/testdata/imported/clientset/versioned/fake"
	imported "github.com/typedinformers/informer-gen/testdata/imported/informers/externalversions"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

var gadgets = schema.GroupVersionResource{Group: "gadgets.example.com", Version: "v1", Resource: "gadgets"}

// serverOfGadgets serves one Gadget, in pages and as a stream. It calls heard for each request.
func serverOfGadgets(t *testing.T, heard func(*http.Request)) *versioned.Clientset {
	const lamp = `{"kind":"Gadget","apiVersion":"gadgets.example.com/v1","metadata":{"namespace":"east","name":"lamp","resourceVersion":"1"},"spec":{"watts":40}}`
	return clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		heard(r)
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") != "" {
			if r.URL.Query().Get("sendInitialEvents") != "" {
				fmt.Fprintf(w, `{"type":"ADDED","object":%s}{"type":"BOOKMARK","object":{"kind":"Gadget","apiVersion":"gadgets.example.com/v1",
					"metadata":{"resourceVersion":"2","annotations":{"k8s.io/initial-events-end":"true"}}}}`, lamp)
			}
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		fmt.Fprintf(w, `{"kind":"GadgetList","apiVersion":"gadgets.example.com/v1","metadata":{"resourceVersion":"2"},"items":[%s]}`, lamp)
	})
}

// lifecycle is what all factories have.
type lifecycle interface {
	Start(ctx context.Context)
	WaitForCacheSync(ctx context.Context) error
	Shutdown()
	Inner() *cache.SharedInformerFactory
}

// joined are the factories of two packages that share their informers.
type joined struct {
	generated     informers.SharedInformerFactory
	imported      imported.SharedInformerFactory
	first, second lifecycle
}

// joinings join the factories in both orders.
func joinings() map[string]func() joined {
	orders, towers := order("tea", "ann"), &fortv1.Tower{ObjectMeta: metav1.ObjectMeta{Name: "north"}}
	return map[string]func() joined{
		"one order": func() joined {
			first := informers.NewSharedInformerFactory(fake.NewSimpleClientset(orders), 0)
			second := imported.Join(first.Inner(), importedfake.NewSimpleClientset(towers))
			return joined{first, second, first, second}
		},
		"the other order": func() joined {
			first := imported.NewSharedInformerFactory(importedfake.NewSimpleClientset(towers), 0)
			second := informers.Join(first.Inner(), fake.NewSimpleClientset(orders))
			return joined{second, first, first, second}
		},
	}
}

// TestJoin has one factory for two generated packages and a dynamic kind. Each of the two
// starts, waits for and stops all of it.
func TestJoin(t *testing.T) {
	client := serverOfGadgets(t, func(*http.Request) {})
	for order, join := range joinings() {
		for _, by := range []string{"the first", "the second"} {
			t.Run(order+", by "+by, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				j := join()
				starter, stopper := j.first, j.second
				if by == "the second" {
					starter, stopper = j.second, j.first
				}
				if statuses := slices.Collect(j.generated.Statuses()); len(statuses) != 0 {
					t.Errorf("there are informers that nothing has asked for: %v", statuses)
				}
				orders, towers := j.generated.Shop().V1().Orders(), j.imported.Fort().V1().Towers()
				orders.Informer()
				towers.Informer()
				dynamic := cache.InformerFor(j.second.Inner(), informers.DynamicKind[*unstructured.Unstructured](client, gadgets, true))
				starter.Start(ctx)
				defer starter.Shutdown()
				if err := stopper.WaitForCacheSync(ctx); err != nil {
					t.Fatal(err)
				}

				if all, err := orders.Lister().List(labels.Everything()); err != nil || len(all) != 1 {
					t.Errorf("the orders are %v, %v", all, err)
				}
				if _, err := towers.Lister().Get("north"); err != nil {
					t.Error(err)
				}
				lamp, ok := dynamic.GetIndexer().Get(cache.ObjectName{Namespace: "east", Name: "lamp"})
				if watts, _, _ := unstructured.NestedInt64(lamp.Object, "spec", "watts"); !ok || watts != 40 {
					t.Errorf("the lamp is %v, %v", lamp, ok)
				}
				for _, statuses := range [][]status.Informer{slices.Collect(j.generated.Statuses()), slices.Collect(j.imported.Statuses())} {
					var got []string
					for _, s := range statuses {
						got = append(got, s.Resource.Resource+" "+s.Object)
					}
					slices.Sort(got)
					if want := []string{"gadgets *unstructured.Unstructured", "orders *v1.Order", "towers *v1.Tower"}; !slices.Equal(got, want) {
						t.Errorf("the informers are %q, want %q", got, want)
					}
				}

				stopper.Shutdown()
				for what, now := range map[string]cache.Status{"orders": orders.Informer().Status(), "towers": towers.Informer().Status(), "gadgets": dynamic.Status()} {
					if now.Phase != status.Stopped {
						t.Errorf("after Shutdown %s are %v", what, now)
					}
				}
				late := j.generated.Vessels().V1().Types().Informer()
				starter.Start(ctx)
				starter.Shutdown() // would wait for an informer that was started
				if late.HasSynced() {
					t.Error("an informer was started after Shutdown")
				}
			})
		}
	}
}

// TestJoinAfterStart joins a factory that is running, and twice.
func TestJoinAfterStart(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// The option is for a kind of the package that is joined later.
	factory := informers.NewSharedInformerFactory(fake.NewSimpleClientset(order("tea", "ann")), 0)
	factory.Shop().V1().Orders().Informer()
	factory.Start(ctx)
	defer factory.Shutdown()
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
	client := importedfake.NewSimpleClientset(&fortv1.Tower{ObjectMeta: metav1.ObjectMeta{Name: "north"}})
	later := imported.Join(factory.Inner(), client)
	towers := later.Fort().V1().Towers().Informer()
	if again := imported.Join(factory.Inner(), client).Fort().V1().Towers().Informer(); again != towers {
		t.Error("a second Join has another informer for the same kind")
	}
	later.Start(ctx)
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
	if towers.GetIndexer().Len() != 1 {
		t.Errorf("there are %d towers", towers.GetIndexer().Len())
	}
}

// TestJoinedOptions sets options for a kind of a package that is joined later, for which
// no informer is asked.
func TestJoinedOptions(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	factory := informers.NewSharedInformerFactory(fake.NewSimpleClientset(), 0, cache.WithOptionsFor[*fortv1.Tower](cache.WithLabelSelector("high")))
	imported.Join(factory.Inner(), importedfake.NewSimpleClientset())
	factory.Start(ctx)
	defer factory.Shutdown()
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Errorf("the options of a joined kind are a mistake: %v", err)
	}
}

type wrappedClient struct {
	rest.Interface
	notComparable []int
}

// TestTwoServers reads one kind from two servers, and from a third client of one of them.
func TestTwoServers(t *testing.T) {
	var east, west *versioned.Clientset
	for _, client := range []**versioned.Clientset{&east, &west} {
		*client = serverOfGadgets(t, func(*http.Request) {})
	}
	factory := informers.NewSharedInformerFactory(east, 0)
	defer factory.Shutdown()
	here := factory.Shop().V1().Orders().Informer()
	there := informers.Join(factory.Inner(), west).Shop().V1().Orders().Informer()
	if here == there {
		t.Error("one informer is for two servers")
	}
	if again := informers.Join(factory.Inner(), versioned.New(west.ShopV1().RESTClient())).Shop().V1().Orders().Informer(); again != there {
		t.Error("two clients of one server have two informers of one kind")
	}
	// A REST client that wraps another one has the same server. Its type is not comparable.
	wrapped := versioned.New(wrappedClient{west.ShopV1().RESTClient(), nil})
	if again := informers.Join(factory.Inner(), wrapped).Shop().V1().Orders().Informer(); again != there {
		t.Error("a client that wraps another one has an informer of its own")
	}
	server := shopinformers.OrderKind(east).Server.String()
	if !strings.HasPrefix(server, "http://127.0.0.1:") || !strings.HasSuffix(server, "/cluster/7") {
		t.Errorf("the server is %q", server)
	}
	if dynamic := informers.DynamicKind[*unstructured.Unstructured](east, gadgets, true).Server.String(); dynamic != server {
		t.Errorf("the servers of two kinds of one client are %q and %q", server, dynamic)
	}
	if kind := shopinformers.OrderKind(fake.NewSimpleClientset()); kind.Server != nil {
		t.Errorf("the server of a fake is %v", kind.Server)
	}
}

// TestKind makes an informer of a kind without a factory.
func TestKind(t *testing.T) {
	kind := shopinformers.OrderKind(fake.NewSimpleClientset(order("tea", "ann")))
	if kind.Resource != shopv1.SchemeGroupVersion.WithResource("orders") || kind.Kind != "Order" || !kind.Namespaced {
		t.Errorf("the kind is %+v", kind)
	}
	informer, err := kind.NewInformer(cache.WithNamespace("east"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	ended := make(chan struct{})
	go func() { defer close(ended); informer.Run(ctx) }()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		t.Error(err)
	}
	if _, ok := informer.GetIndexer().Get(cache.ObjectName{Namespace: "east", Name: "tea"}); !ok {
		t.Error("there is no tea")
	}
	cancel()
	<-ended
}
