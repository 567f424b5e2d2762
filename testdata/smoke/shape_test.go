package smoke

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/testdata/apis/shapes/slim"
	shapesv1 "github.com/typedinformers/informer-gen/testdata/apis/shapes/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/testdata/generated/informers/externalversions"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// shapeClient is the client of a kind in one namespace.
type shapeClient[T cache.Object, L runtime.Object] interface {
	cache.TypedClient[L]
	Create(ctx context.Context, obj T, opts metav1.CreateOptions) (T, error)
	Update(ctx context.Context, obj T, opts metav1.UpdateOptions) (T, error)
	Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error
	Get(ctx context.Context, name string, opts metav1.GetOptions) (T, error)
}

// shape is a kind of group shapes, with a list of type L.
type shape[T cache.Object, L runtime.Object] struct {
	kind     string
	new      func(meta metav1.ObjectMeta) T
	client   func(versioned.Interface) shapeClient[T, L]
	informer func(informers.SharedInformerFactory) *cache.SharedIndexInformer[T]
}

// shapeTest is shape without its types.
type shapeTest interface {
	name() string
	ofFake(t *testing.T)
	ofServer(t *testing.T, options ...cache.SharedInformerOption)
	withoutMetadata(t *testing.T)
}

func (s shape[T, L]) name() string { return s.kind }

var shapes = []shapeTest{
	shape[*shapesv1.Crate, *shapesv1.CrateList]{
		"Crate",
		func(meta metav1.ObjectMeta) *shapesv1.Crate { return &shapesv1.Crate{ObjectMeta: meta} },
		func(c versioned.Interface) shapeClient[*shapesv1.Crate, *shapesv1.CrateList] {
			return c.ShapesV1().Crates("east")
		},
		func(f informers.SharedInformerFactory) *cache.SharedIndexInformer[*shapesv1.Crate] {
			return f.Shapes().V1().Crates().Informer()
		},
	},
	shape[*shapesv1.Parcel, *shapesv1.ParcelList]{
		"Parcel",
		func(meta metav1.ObjectMeta) *shapesv1.Parcel {
			return &shapesv1.Parcel{ObjectMeta: slim.ObjectMeta{Namespace: meta.Namespace, Name: meta.Name, Labels: meta.Labels}}
		},
		func(c versioned.Interface) shapeClient[*shapesv1.Parcel, *shapesv1.ParcelList] {
			return c.ShapesV1().Parcels("east")
		},
		func(f informers.SharedInformerFactory) *cache.SharedIndexInformer[*shapesv1.Parcel] {
			return f.Shapes().V1().Parcels().Informer()
		},
	},
	shape[*shapesv1.Pallet, *shapesv1.PalletList]{
		"Pallet",
		func(meta metav1.ObjectMeta) *shapesv1.Pallet { return &shapesv1.Pallet{ObjectMeta: &meta} },
		func(c versioned.Interface) shapeClient[*shapesv1.Pallet, *shapesv1.PalletList] {
			return c.ShapesV1().Pallets("east")
		},
		func(f informers.SharedInformerFactory) *cache.SharedIndexInformer[*shapesv1.Pallet] {
			return f.Shapes().V1().Pallets().Informer()
		},
	},
	shape[*shapesv1.Barrel, *shapesv1.BarrelList]{
		"Barrel",
		func(meta metav1.ObjectMeta) *shapesv1.Barrel { return &shapesv1.Barrel{ObjectMeta: &meta} },
		func(c versioned.Interface) shapeClient[*shapesv1.Barrel, *shapesv1.BarrelList] {
			return c.ShapesV1().Barrels("east")
		},
		func(f informers.SharedInformerFactory) *cache.SharedIndexInformer[*shapesv1.Barrel] {
			return f.Shapes().V1().Barrels().Informer()
		},
	},
	shape[*shapesv1.Tin, *shapesv1.TinList]{
		"Tin",
		func(meta metav1.ObjectMeta) *shapesv1.Tin { return &shapesv1.Tin{Metadata: meta} },
		func(c versioned.Interface) shapeClient[*shapesv1.Tin, *shapesv1.TinList] {
			return c.ShapesV1().Tins("east")
		},
		func(f informers.SharedInformerFactory) *cache.SharedIndexInformer[*shapesv1.Tin] {
			return f.Shapes().V1().Tins().Informer()
		},
	},
}

// ownedBy returns the metadata of an object with an owner.
func ownedBy(owner, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "east", Name: name, Labels: map[string]string{"owner": owner}}
}

// namesOf returns the names of the objects of a list, and the version of the list.
func namesOf(t *testing.T, list runtime.Object, err error) (names, version string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	listMeta, err := meta.ListAccessor(list)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	if err := meta.EachListItem(list, func(obj runtime.Object) error {
		all = append(all, obj.(metav1.Object).GetName())
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return strings.Join(all, " "), listMeta.GetResourceVersion()
}

// heard is what handlers are told, a word for each event.
type heard[T cache.Object] chan string

func (h heard[T]) handler() cache.ResourceEventHandler[T] {
	return cache.ResourceEventHandlerFuncs[T]{
		AddFunc:    func(obj T, _ bool) { h <- "add " + obj.GetName() + " " + obj.GetLabels()["owner"] },
		UpdateFunc: func(_, obj T) { h <- "update " + obj.GetName() + " " + obj.GetLabels()["owner"] },
		DeleteFunc: func(obj T, _ bool) { h <- "delete " + obj.GetName() + " " + obj.GetLabels()["owner"] },
	}
}

func (h heard[T]) want(t *testing.T, events ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, want := range events {
		select {
		case got := <-h:
			if got != want {
				t.Fatalf("a handler heard %q, want %q", got, want)
			}
		case <-ctx.Done():
			t.Fatalf("a handler has not heard %q", want)
		}
	}
}

// everything are the options that touch all objects.
var everything = []cache.SharedInformerOption{
	cache.WithMutationDetector(), cache.WithoutUpdateGuard(), cache.WithoutFields("metadata.managedFields", "metadata.annotations[drop]"),
}

// follow starts an informer, and returns what a handler hears, and the informer.
func (s shape[T, L]) follow(t *testing.T, client versioned.Interface, options ...cache.SharedInformerOption) (heard[T], *cache.SharedIndexInformer[T]) {
	t.Helper()
	factory := informers.NewSharedInformerFactory(client, 0, append(options, everything...)...)
	informer := s.informer(factory)
	events := make(heard[T], 100)
	if _, err := informer.AddEventHandler(events.handler()); err != nil {
		t.Fatal(err)
	}
	start(t, factory)
	return events, informer
}

// ofFake creates, lists and watches with a fake clientset.
func (s shape[T, L]) ofFake(t *testing.T) {
	clientset := fake.NewSimpleClientset(s.new(ownedBy("ann", "a")))
	client := s.client(clientset)
	if created, err := client.Create(t.Context(), s.new(ownedBy("bob", "b")), metav1.CreateOptions{}); err != nil || created.GetName() != "b" {
		t.Fatalf("created %v, %v", created, err)
	}
	list, err := client.List(t.Context(), metav1.ListOptions{})
	whole, version := namesOf(t, list, err)
	if whole != "a b" || (version != "") != trackerHasVersions(t) {
		t.Errorf("listed %q at version %q", whole, version)
	}
	list, err = client.List(t.Context(), metav1.ListOptions{LabelSelector: "owner=bob"})
	if names, again := namesOf(t, list, err); names != "b" || again != version {
		t.Errorf("selected %q at version %q, want b at %q", names, again, version)
	}

	events, informer := s.follow(t, clientset)
	events.wantInAnyOrder(t, "add a ann", "add b bob")
	if _, err := client.Create(t.Context(), s.new(ownedBy("ann", "c")), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	events.want(t, "add c ann")
	if _, err := client.Update(t.Context(), s.new(ownedBy("bob", "c")), metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	events.want(t, "update c bob")
	if err := client.Delete(t.Context(), "b", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	events.want(t, "delete b bob")
	if count := informer.GetIndexer().Len(); count != 2 {
		t.Errorf("the cache holds %d objects", count)
	}
}

func (h heard[T]) wantInAnyOrder(t *testing.T, events ...string) {
	t.Helper()
	var got []string
	for range events {
		select {
		case event := <-h:
			got = append(got, event)
		default: // the informer is synced
		}
	}
	if slices.Sort(got); !slices.Equal(got, events) {
		t.Errorf("a handler heard %q, want %q", got, events)
	}
}

// text is an object as a server writes it. Servers leave the kind out of some items.
func (s shape[T, L]) text(owner, name, version string, withKind bool) string {
	kind := ""
	if withKind {
		kind = `"kind":"` + s.kind + `","apiVersion":"shapes.example.com/v1",`
	}
	return `{` + kind + `"metadata":{"namespace":"east","name":"` + name + `","uid":"` + name + `","resourceVersion":"` + version + `",` +
		`"labels":{"owner":"` + owner + `"},"annotations":{"drop":"1","keep":"2"},"managedFields":[{"manager":"m"}]},"spec":{"weight":7}}`
}

func (s shape[T, L]) list(items ...string) string {
	return `{"kind":"` + s.kind + `List","apiVersion":"shapes.example.com/v1","metadata":{"resourceVersion":"7"},"items":[` + strings.Join(items, ",") + `]}`
}

// serve answers lists with list, and watches with events. A streaming list begins with
// initial.
func (s shape[T, L]) serve(t *testing.T, list func() string, initial, events []string) *versioned.Clientset {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		query := r.URL.Query()
		switch {
		case query.Get("watch") == "":
			_, _ = io.WriteString(w, list())
			return
		case query.Get("sendInitialEvents") == "true":
			for _, object := range initial {
				_, _ = io.WriteString(w, `{"type":"ADDED","object":`+object+"}\n")
			}
			_, _ = io.WriteString(w, `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n")
		}
		for _, event := range events {
			_, _ = io.WriteString(w, event+"\n")
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	client, err := versioned.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// ofServer lists and watches by the decoder, and by client-go's.
func (s shape[T, L]) ofServer(t *testing.T, options ...cache.SharedInformerOption) {
	items := []string{s.text("ann", "a", "5", true), s.text("bob", "b", "6", false)}
	client := s.serve(t, func() string { return s.list(items...) }, []string{s.text("ann", "a", "5", true), s.text("bob", "b", "6", true)}, []string{
		`{"type":"MODIFIED","object":` + s.text("cid", "a", "8", true) + `}`,
		`{"type":"DELETED","object":` + s.text("bob", "b", "9", true) + `}`,
	})
	list, err := s.client(client).List(t.Context(), metav1.ListOptions{})
	if names, version := namesOf(t, list, err); names != "a b" || version != "7" {
		t.Errorf("the client lists %q at version %q", names, version)
	}
	events, informer := s.follow(t, client, options...)
	events.want(t, "add a ann", "add b bob", "update a cid", "delete b bob")
	a, ok := informer.GetIndexer().Get(cache.ObjectName{Namespace: "east", Name: "a"})
	if !ok || informer.GetIndexer().Len() != 1 {
		t.Fatalf("the cache holds %v", informer.GetIndexer().List())
	}
	// What apimachinery makes of the same text, less what is left out.
	want := s.new(metav1.ObjectMeta{})
	text := strings.NewReplacer(`"drop":"1",`, "", `,"managedFields":[{"manager":"m"}]`, "").Replace(s.text("cid", "a", "8", true))
	if err := json.Unmarshal([]byte(text), want); err != nil {
		t.Fatal(err)
	}
	if got, want := jsonOf(t, a), jsonOf(t, want); got != want {
		t.Errorf("the cache has\n%s\nwant\n%s", got, want)
	}
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withoutMetadata has a server answer with an object without metadata, once. That is an
// error of the informer, which lists again.
func (s shape[T, L]) withoutMetadata(t *testing.T) {
	var informer *cache.SharedIndexInformer[T]
	requests := 0
	var now cache.Status
	client := s.serve(t, func() string {
		if requests++; requests == 1 {
			return s.list(`{"kind":"` + s.kind + `","apiVersion":"shapes.example.com/v1","spec":{"weight":7}}`)
		}
		now = informer.Status()
		return s.list(s.text("ann", "a", "5", true))
	}, nil, nil)
	factory := informers.NewSharedInformerFactory(client, 0, append(everything, cache.WithBackoff(status.Decode, cache.Backoff{Initial: time.Millisecond, Max: time.Second}))...)
	informer = s.informer(factory)
	start(t, factory)
	if now.Reason != status.Decode || now.Err == nil || !strings.Contains(now.Err.Error(), "metadata") {
		t.Errorf("the status after an object without metadata is %v", now)
	}
	if count := informer.GetIndexer().Len(); count != 1 {
		t.Errorf("the cache holds %d objects", count)
	}
}

// TestShapes uses kinds whose metadata and lists have unusual forms.
func TestShapes(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name(), func(t *testing.T) {
			t.Run("fake", s.ofFake)
			t.Run("streamed", func(t *testing.T) { s.ofServer(t) })
			t.Run("in pages", func(t *testing.T) { s.ofServer(t) })
			t.Run("without metadata", s.withoutMetadata)
		})
	}
}
