package cache_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// The examples of this package use the kind Foo. A program has such a type in its API package, and informer-gen
// writes the rest: the clientset, FooKind, DynamicKind, and a factory with an accessor for each kind. All of that is
// small here, and it uses an API server in memory.

// Foo runs some replicas on a node.
type Foo struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec FooSpec `json:"spec"`
}

type FooSpec struct {
	NodeName string `json:"nodeName,omitempty"`
	Replicas int32  `json:"replicas"`
	Notes    string `json:"notes,omitempty"`
}

type FooList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Foo `json:"items"`
}

func (f *Foo) DeepCopy() *Foo {
	copied := *f
	f.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

func (f *Foo) DeepCopyObject() runtime.Object { return f.DeepCopy() }

func (l *FooList) DeepCopyObject() runtime.Object {
	copied := *l
	l.ListMeta.DeepCopyInto(&copied.ListMeta)
	copied.Items = slices.Clone(l.Items)
	return &copied
}

// foos is the resource of Foo.
var foos = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"}

// newFoo returns a Foo on a node, with the label app=name.
func newFoo(namespace, name, node string) *Foo {
	return &Foo{
		TypeMeta:   metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Foo"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": name}},
		Spec:       FooSpec{NodeName: node, Replicas: 1},
	}
}

// Client stands for a generated clientset.
type Client struct {
	Server    *apitest.Server
	transport http.RoundTripper
}

// NewClient returns a client of a server that has some objects, as fake.NewClientset of a generated clientset does.
func NewClient(objects ...runtime.Object) *Client {
	server, err := apitest.New(apitest.WithKinds(apitest.Kind{
		GroupVersionKind: foos.GroupVersion().WithKind("Foo"), Resource: foos.Resource, Namespaced: true, SelectableFields: []string{"spec.nodeName"},
	}))
	if err == nil {
		err = server.Add(objects...)
	}
	if err != nil {
		panic(err)
	}
	return &Client{Server: server, transport: server}
}

// Wrap is that of a rest.Config.
func (c *Client) Wrap(wrapper func(http.RoundTripper) http.RoundTripper) {
	c.transport = wrapper(c.transport)
}

// String returns the URL of the server.
func (c *Client) String() string { return c.Server.URL() }

// FooKind describes Foo to informers.
func FooKind(client *Client) cache.Kind[*Foo] {
	kind := DynamicKind[*Foo](client, foos, true)
	kind.Kind = "Foo"
	return kind
}

// DynamicKind describes a kind that is known only at run time.
func DynamicKind[T cache.Object](client *Client, resource schema.GroupVersionResource, namespaced bool) cache.Kind[T] {
	return cache.Kind[T]{Resource: resource, Namespaced: namespaced, Server: client, Open: func(namespace string) bodies.OpenFunc {
		return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
			query, err := metav1.ParameterCodec.EncodeParameters(&options, schema.GroupVersion{Version: "v1"})
			if err != nil {
				return nil, err
			}
			return client.do(ctx, http.MethodGet, resource, namespace, "?"+query.Encode(), accept, nil)
		}
	}}
}

// do sends a request and returns the body of the response.
func (c *Client) do(ctx context.Context, method string, resource schema.GroupVersionResource, namespace, rest, accept string, body []byte) (io.ReadCloser, error) {
	path := "/apis/" + resource.GroupVersion().String()
	if resource.Group == "" {
		path = "/api/" + resource.Version
	}
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	request, err := http.NewRequestWithContext(ctx, method, c.Server.URL()+path+"/"+resource.Resource+rest, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = http.Header{"Accept": {accept}, "Content-Type": {"application/json"}}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 300 {
		return response.Body, nil
	}
	defer response.Body.Close()
	status := &apierrors.StatusError{}
	if err := json.NewDecoder(response.Body).Decode(&status.ErrStatus); err != nil {
		return nil, fmt.Errorf("%s: %w", response.Status, err)
	}
	return nil, status
}

// Foos returns the client of the Foos of a namespace.
func (c *Client) Foos(namespace string) FooClient { return FooClient{c, namespace} }

// FooClient lists, watches and writes Foos.
type FooClient struct {
	client    *Client
	namespace string
}

func (c FooClient) write(ctx context.Context, method, rest string, foo *Foo) (*Foo, error) {
	text, err := json.Marshal(foo)
	if err != nil {
		return nil, err
	}
	body, err := c.client.do(ctx, method, foos, c.namespace, rest, "application/json", text)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	written := &Foo{}
	if err := json.NewDecoder(body).Decode(written); err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, body)
	return written, err
}

func (c FooClient) Create(ctx context.Context, foo *Foo, _ metav1.CreateOptions) (*Foo, error) {
	return c.write(ctx, http.MethodPost, "", foo)
}

func (c FooClient) Update(ctx context.Context, foo *Foo, _ metav1.UpdateOptions) (*Foo, error) {
	return c.write(ctx, http.MethodPut, "/"+foo.Name, foo)
}

func (c FooClient) Delete(ctx context.Context, name string, _ metav1.DeleteOptions) error {
	_, err := c.write(ctx, http.MethodDelete, "/"+name, nil)
	return err
}

func (c FooClient) get(ctx context.Context, options metav1.ListOptions) (io.ReadCloser, error) {
	return DynamicKind[*Foo](c.client, foos, true).Open(c.namespace)(ctx, options, "application/json")
}

func (c FooClient) List(ctx context.Context, options metav1.ListOptions) (*FooList, error) {
	body, err := c.get(ctx, options)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	list := &FooList{}
	return list, json.NewDecoder(body).Decode(list)
}

func (c FooClient) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	options.Watch = true
	body, err := c.get(ctx, options)
	if err != nil {
		return nil, err
	}
	return watch.NewStreamWatcher(fooEvents{json.NewDecoder(body), body}, apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding")), nil
}

// fooEvents decodes the body of a watch.
type fooEvents struct {
	*json.Decoder
	io.Closer
}

func (d fooEvents) Decode() (watch.EventType, runtime.Object, error) {
	event := struct {
		Type   watch.EventType
		Object *Foo
	}{}
	err := d.Decoder.Decode(&event)
	return event.Type, event.Object, err
}

func (d fooEvents) Close() { _ = d.Closer.Close() }

// namesOf returns the names of objects, sorted: a cache returns them in no particular order.
func namesOf[T cache.Object](objects []T) []string {
	names := map[string]bool{}
	for _, object := range objects {
		names[cache.MetaObjectToName(object).String()] = true
	}
	return slices.Sorted(maps.Keys(names))
}
