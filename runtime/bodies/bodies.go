// Package bodies lists and watches with a REST client of client-go, and returns the bodies of the responses, which an informer
// decodes. It does not import client-go: a client is anything with the methods of a rest.Interface. Generated code and the adapters
// use it. A program needs it for a cache.Kind of its own:
//
//	kind := cache.Kind[*v1.Foo]{Resource: foos, Server: bodies.Server(client), Open: func(namespace string) bodies.OpenFunc {
//		return bodies.Open(client, foos, namespace)
//	}}
package bodies

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/redirect"
)

// OpenFunc sends the request for a collection, a WATCH if options.Watch is set and
// otherwise a LIST, and returns the body of the response. accept is the value of the
// Accept header, the encodings that the informer decodes fastest first. It decodes a body
// in any of them, not only in the requested one. The caller closes the body. Errors of the API
// server are returned unchanged (apierrors.APIStatus). An OpenFunc must not follow a
// redirect to another host, because it would send that host the credentials;
// redirect.Refuse makes such an HTTP client.
type OpenFunc func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error)

// Client is a rest.Interface of client-go.
type Client[R Request[R]] interface{ Get() R }

// Request is a *rest.Request of client-go.
type Request[R any] interface {
	AbsPath(segments ...string) R
	NamespaceIfScoped(namespace string, isScoped bool) R
	Resource(resource string) R
	SpecificallyVersionedParams(options runtime.Object, codec runtime.ParameterCodec, version schema.GroupVersion) R
	SetHeader(key string, values ...string) R
	MaxRetries(retries int) R
	Stream(ctx context.Context) (io.ReadCloser, error)
	URL() *url.URL
}

// Open returns an OpenFunc of a resource in a namespace. An empty namespace means all namespaces. Open returns nil if client is
// nil or a nil pointer, as that of a fake clientset, which has no server.
//
// The requests ask for what the informer decodes, whatever client prefers. They are not retried,
// because the informer decides what to do about an error. A redirect to another host is an error, because
// that host would receive the credentials. If client is not a *rest.RESTClient, its own HTTP
// client decides about redirects.
func Open[R Request[R]](client Client[R], resource schema.GroupVersionResource, namespace string) OpenFunc {
	if isNil(client) {
		return nil
	}
	client = refusing(client).(Client[R])
	root := []string{"/apis", resource.Group, resource.Version}
	if resource.Group == "" {
		root = []string{"/api", resource.Version}
	}
	return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		return client.Get().
			AbsPath(root...).
			NamespaceIfScoped(namespace, namespace != "").
			Resource(resource.Resource).
			SpecificallyVersionedParams(&options, metav1.ParameterCodec, schema.GroupVersion{Version: "v1"}).
			SetHeader("Accept", accept).
			MaxRetries(0).
			Stream(ctx)
	}
}

// Server returns the server of a client for cache.Kind, or nil if client is nil or a nil pointer. Its String is the BaseURL of the
// client.
func Server[R Request[R]](client Client[R]) fmt.Stringer {
	if isNil(client) {
		return nil
	}
	if reflect.TypeOf(client).Kind() == reflect.Pointer {
		return server[R]{client: client}
	}
	return server[R]{url: urlOf(client)}
}

// server is the API server of a client. It is comparable.
type server[R Request[R]] struct {
	client Client[R]
	// url is set if there is no client.
	url string
}

// String returns the base URL of the server.
func (s server[R]) String() string {
	if s.client == nil {
		return s.url
	}
	return urlOf(s.client)
}

func urlOf[R Request[R]](client Client[R]) string { return BaseURL(client.Get().AbsPath("/").URL()) }

// BaseURL returns the text of the URL of an API server, without a slash at the end and without a password.
func BaseURL(base *url.URL) string {
	return base.Scheme + "://" + base.Host + strings.TrimSuffix(base.Path, "/")
}

func isNil(client any) bool {
	if client == nil {
		return true
	}
	of := reflect.ValueOf(client)
	return of.Kind() == reflect.Pointer && of.IsNil()
}

// refusing returns a copy of a *rest.RESTClient whose HTTP client refuses redirects to other hosts. It returns another client itself.
// There is no other way to change the HTTP client of an existing *rest.RESTClient. Its only field that must not be
// shared is a flag for CBOR requests, of which the copy has its own.
func refusing(client any) any {
	of := reflect.TypeOf(client)
	if of.Kind() != reflect.Pointer || of.Elem().PkgPath() != "k8s.io/client-go/rest" || of.Elem().Name() != "RESTClient" {
		return client
	}
	copied := reflect.New(of.Elem())
	copied.Elem().Set(reflect.ValueOf(client).Elem())
	field := copied.Elem().FieldByName("Client")
	if !field.IsValid() {
		return client // of a later client-go; no program may fail to start because of it
	}
	httpClient, is := field.Addr().Interface().(**http.Client)
	if !is {
		return client
	}
	*httpClient = redirect.Refuse(*httpClient)
	return copied.Interface()
}
