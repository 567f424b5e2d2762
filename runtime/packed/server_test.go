package packed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/packed"
)

// Foo is a kind with a text of some length.
type Foo struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec FooSpec `json:"spec"`
}

type FooSpec struct {
	Node  string            `json:"node,omitempty"`
	Env   map[string]string `json:"env,omitempty"`
	Count int64             `json:"count"`
}

func (f *Foo) DeepCopyObject() runtime.Object {
	copied := *f
	f.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	copied.Spec.Env = map[string]string{}
	for name, value := range f.Spec.Env {
		copied.Spec.Env[name] = value
	}
	return &copied
}

var foos = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"}

// newFoo returns the n-th Foo. Those of even numbers have the label even.
func newFoo(n int) *Foo {
	foo := &Foo{
		TypeMeta:   metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Foo"},
		ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprintf("team-%d", n%7), Name: fmt.Sprintf("foo-%d", n), Labels: map[string]string{"even": fmt.Sprint(n%2 == 0)}},
		Spec:       FooSpec{Node: fmt.Sprintf("node-%d", n%10), Count: int64(n), Env: map[string]string{}},
	}
	for i := range 20 {
		foo.Spec.Env[fmt.Sprintf("A_VARIABLE_OF_THE_PROGRAM_%d", i)] = fmt.Sprintf("its value, which says something of %d", n*i)
	}
	return foo
}

// world is a server and an informer of its Foos.
type world struct {
	*testing.T
	server   *apitest.Server
	informer *cache.SharedIndexInformer[*Foo]
}

// newWorld makes an informer with packed objects and some options. It does not run.
func newWorld(t *testing.T, count int, set ...cache.SharedInformerOption) *world {
	t.Helper()
	server, err := apitest.New(apitest.WithKinds(apitest.Kind{GroupVersionKind: foos.GroupVersion().WithKind("Foo"), Resource: foos.Resource, Namespaced: true}))
	if err != nil {
		t.Fatal(err)
	}
	for n := range count {
		if err := server.Add(newFoo(n)); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{T: t, server: server}
	if w.informer, err = FooKind(server).NewInformer(append(set, packed.WithPackedObjects())...); err != nil {
		t.Fatal(err)
	}
	return w
}

// FooKind describes Foo to informers. Generated packages have such a function for each of their kinds.
func FooKind(client *apitest.Server) cache.Kind[*Foo] {
	return cache.Kind[*Foo]{Resource: foos, Kind: "Foo", Namespaced: true, Open: func(namespace string) bodies.OpenFunc {
		return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
			query, err := metav1.ParameterCodec.EncodeParameters(&options, schema.GroupVersion{Version: "v1"})
			if err != nil {
				return nil, err
			}
			return do(ctx, client, http.MethodGet, namespace, "?"+query.Encode(), accept, nil)
		}
	}}
}

// do sends a request and returns the body of the response.
func do(ctx context.Context, server *apitest.Server, method, namespace, rest, accept string, body []byte) (io.ReadCloser, error) {
	path := "/apis/example.com/v1"
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	request, err := http.NewRequestWithContext(ctx, method, server.URL()+path+"/foos"+rest, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = http.Header{"Accept": {accept}, "Content-Type": {"application/json"}}
	response, err := server.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 300 {
		text, _ := io.ReadAll(response.Body)
		return nil, fmt.Errorf("%s: %s", response.Status, text)
	}
	return response.Body, nil
}

// update writes a Foo over the present version.
func (w *world) update(foo *Foo) {
	w.Helper()
	present, err := do(w.Context(), w.server, http.MethodGet, foo.Namespace, "/"+foo.Name, "application/json", nil)
	if err != nil {
		w.Fatal(err)
	}
	defer present.Close()
	var has Foo
	if err := json.NewDecoder(present).Decode(&has); err != nil {
		w.Fatal(err)
	}
	foo.ResourceVersion = has.ResourceVersion
	text, err := json.Marshal(foo)
	if err != nil {
		w.Fatal(err)
	}
	body, err := do(w.Context(), w.server, http.MethodPut, foo.Namespace, "/"+foo.Name, "application/json", text)
	if err != nil {
		w.Fatal(err)
	}
	_ = body.Close()
}

// delete deletes a Foo.
func (w *world) delete(foo *Foo) {
	w.Helper()
	body, err := do(w.Context(), w.server, http.MethodDelete, foo.Namespace, "/"+foo.Name, "application/json", nil)
	if err != nil {
		w.Fatal(err)
	}
	_ = body.Close()
}

// stats returns the sizes of the packed objects.
func (w *world) stats() status.PackedStats {
	for informer := range w.informer.Statuses() {
		return informer.Stats.Packed
	}
	return status.PackedStats{}
}
