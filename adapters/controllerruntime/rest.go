package crcache

import (
	"context"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/typedinformers/informer-gen/runtime/bodies"
)

// errorCodecs decode the Status of a failed request. The scheme of a user may lack that kind.
var errorCodecs = func() serializer.CodecFactory {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	return serializer.NewCodecFactory(scheme)
}()

// restClient returns a client for lists and watches of a kind. Its base URL is that of each client of
// the rest.Config.
func (s *settings) restClient(mapping *meta.RESTMapping) (rest.Interface, error) {
	config := rest.CopyConfig(s.config)
	if config.RateLimiter == nil {
		// The pages of a list follow one another, and must not wait. What limits the requests of
		// an informer is that there is one at a time, and its backoff.
		config.QPS = -1
	}
	client, err := apiutil.RESTClientForGVK(mapping.GroupVersionKind, true, false, config, errorCodecs, s.client)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for %s: %w", mapping.Resource.GroupResource(), err)
	}
	return client, nil
}

// serverIn returns the server of all clients of a config, or nothing if none can be made.
func serverIn(config *rest.Config) string {
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return ""
	}
	return bodies.BaseURL(base)
}

// opener returns a function that returns how the bodies of the responses for a resource are
// read, in one namespace or in all. A watch asks for bookmarks if bookmarks reports that it may.
func opener(client rest.Interface, resource schema.GroupVersionResource, bookmarks func(namespace string) bool) func(namespace string) bodies.OpenFunc {
	return func(namespace string) bodies.OpenFunc {
		open := bodies.Open(client, resource, namespace)
		return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
			options.AllowWatchBookmarks = options.AllowWatchBookmarks && bookmarks(namespace)
			return open(ctx, options, accept)
		}
	}
}
