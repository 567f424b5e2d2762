package smoke

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/testdata/generated/informers/externalversions"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// gadget is a struct of a program's own, with what it reads of a Gadget.
type gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Watts int `json:"watts"`
	} `json:"spec"`
}

func (g *gadget) DeepCopyObject() runtime.Object {
	copied := *g
	g.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

// TestDynamicKind reads one resource as three Go types, in one factory.
func TestDynamicKind(t *testing.T) {
	var mu sync.Mutex
	accepted := map[string]bool{}
	client := serverOfGadgets(t, func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if !strings.HasPrefix(r.URL.Path, "/cluster/7/apis/gadgets.example.com/v1/namespaces/east/gadgets") {
			t.Errorf("the path is %s", r.URL.Path)
		}
		accepted[r.Header.Get("Accept")] = true
	})
	factory := informers.NewSharedInformerFactory(client, 0, informers.WithNamespace("east"))
	wholes := cache.InformerFor(factory.Inner(), informers.DynamicKind[*unstructured.Unstructured](client, gadgets, true))
	metas := cache.InformerFor(factory.Inner(), informers.DynamicKind[*metav1.PartialObjectMetadata](client, gadgets, true))
	own := cache.InformerFor(factory.Inner(), informers.DynamicKind[*gadget](client, gadgets, true))
	if again := cache.InformerFor(factory.Inner(), informers.DynamicKind[*gadget](client, gadgets, true)); again != own {
		t.Error("a second call makes another informer")
	}
	start(t, factory)
	name := cache.ObjectName{Namespace: "east", Name: "lamp"}
	if obj, ok := wholes.GetIndexer().Get(name); !ok || obj.GetKind() != "Gadget" || obj.GetAPIVersion() != "gadgets.example.com/v1" {
		t.Errorf("the whole is %v, %v", obj, ok)
	}
	if obj, ok := metas.GetIndexer().Get(name); !ok || obj.ResourceVersion != "1" {
		t.Errorf("the metadata is %v, %v", obj, ok)
	}
	if obj, ok := own.GetIndexer().Get(name); !ok || obj.Spec.Watts != 40 {
		t.Errorf("the gadget is %v, %v", obj, ok)
	}
	mu.Lock()
	defer mu.Unlock()
	acceptOf := func(kind string) string {
		as := ";as=" + kind + ";g=meta.k8s.io;v=v1,"
		return "application/vnd.kubernetes.protobuf" + as + "application/json" + as + "application/json"
	}
	delete(accepted, acceptOf("PartialObjectMetadata")) // of the watch, which may not have begun
	if want := map[string]bool{"application/json": true, acceptOf("PartialObjectMetadataList"): true}; !maps.Equal(accepted, want) {
		t.Errorf("the requests accept %v, want %v", accepted, want)
	}
}

// TestMetadataOfPlainServer reads metadata from a server that has whole objects in JSON only, and refuses
// a request that does not accept them. The objects are those of client-go's metadata client, and items without a kind have that of the
// list.
func TestMetadataOfPlainServer(t *testing.T) {
	const lamp = `{%s"metadata":{"namespace":"east","name":"%s","uid":"u","resourceVersion":"%d"},"spec":{"watts":40}}`
	const itsKind = `"kind":"Gadget","apiVersion":"gadgets.example.com/v1",`
	for _, typeMeta := range []string{itsKind, ""} { // of the items
		var url atomic.Value // a string
		client := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
			url.Store("http://" + r.Host + "/cluster/7")
			query := r.URL.Query()
			switch {
			case !slices.Contains(strings.Split(r.Header.Get("Accept"), ","), "application/json"):
				http.Error(w, "only application/json is acceptable", http.StatusNotAcceptable)
			case query.Get("sendInitialEvents") != "":
				http.Error(w, "no streaming lists", http.StatusBadRequest)
			case query.Get("watch") != "":
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"type":"ADDED","object":`+lamp+"}\n", itsKind, "later", 3)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			default:
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"kind":"GadgetList","apiVersion":"gadgets.example.com/v1","metadata":{"resourceVersion":"2"},"items":[`+lamp+`]}`, typeMeta, "lamp", 1)
			}
		})
		factory := informers.NewSharedInformerFactory(client, 0)
		informer := cache.InformerFor(factory.Inner(), informers.DynamicKind[*metav1.PartialObjectMetadata](client, gadgets, true))
		start(t, factory)
		peer, err := metadata.NewForConfig(&rest.Config{Host: url.Load().(string)})
		if err != nil {
			t.Fatal(err)
		}
		want, err := peer.Resource(gadgets).List(t.Context(), metav1.ListOptions{})
		if err != nil || len(want.Items) != 1 {
			t.Fatal(want, err)
		}
		want.Items[0].TypeMeta = metav1.TypeMeta{Kind: "Gadget", APIVersion: "gadgets.example.com/v1"}
		if obj, ok := informer.GetIndexer().Get(cache.ObjectName{Namespace: "east", Name: "lamp"}); !ok || !reflect.DeepEqual(obj, &want.Items[0]) {
			t.Errorf("the informer has\n%+v\nclient-go has\n%+v", obj, &want.Items[0])
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		if err := informer.WaitFor(ctx, "3"); err != nil {
			t.Error(err)
		}
		cancel()
		if _, ok := informer.GetIndexer().Get(cache.ObjectName{Namespace: "east", Name: "later"}); !ok {
			t.Error("the watch has no object")
		}
	}
}

// TestDynamicKindOfFake has no server. The error has the way to provide objects, which works.
func TestDynamicKindOfFake(t *testing.T) {
	client := fake.NewSimpleClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	failing := cache.InformerFor(factory.Inner(), informers.DynamicKind[*unstructured.Unstructured](client, gadgets, true))
	factory.Start(t.Context())
	var err error
	for began, failed := time.Now(), false; !failed && time.Since(began) < patience; {
		failed = failing.Status().Err != nil // before the wait, whose error has it then
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		err = factory.WaitForCacheSync(ctx)
		cancel()
	}
	factory.Shutdown()
	for _, part := range []string{"gadgets.gadgets.example.com", "a fake", "cache.WithListerWatcher", "cache.NewViewListWatch[*unstructured.Unstructured]", "dynamic client"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error has no %q: %v", part, err)
		}
	}

	lamp := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "gadgets.example.com/v1", "kind": "Gadget", "metadata": map[string]any{"namespace": "east", "name": "lamp"}, "spec": map[string]any{"watts": int64(40)},
	}}
	objects := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{gadgets: "GadgetList"}, lamp)
	factory = informers.NewSharedInformerFactory(client, 0)
	wholes := cache.InformerFor(factory.Inner(), informers.DynamicKind[*unstructured.Unstructured](client, gadgets, true),
		cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[*unstructured.Unstructured] {
			return cache.NewListWatch[*unstructured.Unstructured](objects.Resource(gadgets).Namespace(namespace))
		}))
	own := cache.InformerFor(factory.Inner(), informers.DynamicKind[*gadget](client, gadgets, true),
		cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[*gadget] {
			return cache.NewViewListWatch[*gadget](objects.Resource(gadgets).Namespace(namespace))
		}))
	start(t, factory)
	if wholes.GetIndexer().Len() != 1 {
		t.Errorf("there are %d gadgets", wholes.GetIndexer().Len())
	}
	if obj, ok := own.GetIndexer().Get(cache.ObjectName{Namespace: "east", Name: "lamp"}); !ok || obj.Spec.Watts != 40 {
		t.Errorf("the gadget is %v, %v", obj, ok)
	}
	for _, action := range objects.Actions() {
		if !slices.Contains([]string{"list", "watch"}, action.GetVerb()) {
			t.Errorf("the fake was asked to %s", action.GetVerb())
		}
	}
}
