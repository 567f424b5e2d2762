package cache_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/redirect"
)

// openURL returns an OpenFunc that requests the collection at a URL.
func openURL(client *http.Client, url string) bodies.OpenFunc {
	client = redirect.Refuse(client) // another host must not get the credentials
	return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		query, err := metav1.ParameterCodec.EncodeParameters(&options, schema.GroupVersion{Version: "v1"})
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"?"+query.Encode(), nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept", accept)
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		if response.StatusCode == http.StatusOK {
			return response.Body, nil
		}
		defer response.Body.Close()
		status := &apierrors.StatusError{}
		if err := json.NewDecoder(response.Body).Decode(&status.ErrStatus); err != nil {
			return nil, fmt.Errorf("%s: %w", response.Status, err)
		}
		return nil, status // the informer decides by its reason
	}
}

// An informer over net/http, for a program without client-go. Generated code makes an OpenFunc of client-go's client.
func ExampleOpenFunc() {
	ctx := context.Background()
	server := NewClient(newFoo("team-a", "web", "node-1")).Server // in memory
	client := &http.Client{Transport: server}

	kind := cache.Kind[*Foo]{
		Resource:   foos, // for logs, errors and Status
		Namespaced: true,
		Open: func(namespace string) bodies.OpenFunc {
			return openURL(client, server.URL()+"/apis/example.com/v1/namespaces/"+namespace+"/foos")
		},
	}
	informer, err := kind.NewInformer(cache.WithNamespace("team-a"))
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	fmt.Println(informer.GetStore().Len(), "object")
	// Output:
	// 1 object
}
