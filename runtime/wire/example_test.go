package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// The body of a LIST response, from any HTTP client. The objects may be of any Go type, such as *corev1.ConfigMap.
func ExampleDecoder_List() {
	ctx := context.Background()
	body := io.NopCloser(strings.NewReader(`{"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": [
		{"metadata": {"namespace": "team-a", "name": "web"}, "data": {"color": "blue"}},
		{"metadata": {"namespace": "team-a", "name": "db"}, "data": {"color": "red"}}
	]}`))

	decoder := wire.NewDecoder(reflect.TypeFor[*unstructured.Unstructured](), wire.Options{}, nil)
	page, err := decoder.List(ctx, body) // closes the body
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range page.Items {
		fmt.Println(item.Object.GetName(), item.Object.(*unstructured.Unstructured).Object["data"])
	}
	fmt.Println("version", page.ResourceVersion)
	// Output:
	// web map[color:blue]
	// db map[color:red]
	// version 7
}

// The body of a WATCH response. Next returns the events that have arrived.
func ExampleDecoder_Watch() {
	ctx := context.Background()
	body := io.NopCloser(strings.NewReader(`
		{"type": "ADDED", "object": {"metadata": {"name": "web", "resourceVersion": "8"}}}
		{"type": "DELETED", "object": {"metadata": {"name": "db", "resourceVersion": "9"}}}
		{"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "12"}}}
	`))

	stream := wire.NewDecoder(reflect.TypeFor[*metav1.PartialObjectMetadata](), wire.Options{}, nil).Watch(ctx, body)
	defer stream.Stop()
	var events []wire.Event
	for {
		var err error
		if events, err = stream.Next(ctx, events); errors.Is(err, io.EOF) {
			return // the server has closed the watch; the next one begins at the last version
		} else if err != nil {
			log.Fatal(err)
		}
		for _, event := range events {
			if event.Type == watch.Bookmark {
				fmt.Println(event.Type, event.ResourceVersion)
			} else {
				fmt.Println(event.Type, event.Object.GetName())
			}
		}
	}
	// Output:
	// ADDED web
	// DELETED db
	// BOOKMARK 12
}

// What is left out is not allocated, and an object that cannot be decoded is named instead of failing the list.
func ExampleOptions() {
	ctx := context.Background()
	body := io.NopCloser(strings.NewReader(`{"kind": "FooList", "apiVersion": "example.com/v1", "metadata": {"resourceVersion": "7"}, "items": [
		{"metadata": {"name": "web", "managedFields": [{"manager": "kubectl"}]}},
		{"metadata": {"name": "db", "labels": {"replicas": 3}}}
	]}`))

	decoder := wire.NewDecoder(reflect.TypeFor[*metav1.PartialObjectMetadata](), wire.Options{WithoutFields: []string{"metadata.managedFields"}, SkipUndecodable: true}, nil)
	page, err := decoder.List(ctx, body)
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range page.Items {
		if item.Err != nil {
			fmt.Println(item.Err.Name, item.Err.Path)
			continue
		}
		fmt.Println(item.Object.GetName(), item.Object.GetManagedFields())
	}
	// Output:
	// web []
	// db /metadata/labels/replicas
}

// The error of an object names the object, the faulty part and the reason.
func ExampleDecodeError() {
	decoder := wire.NewDecoder(reflect.TypeFor[*metav1.PartialObjectMetadata](), wire.Options{}, nil)
	_, err := decoder.Decode([]byte(`{"metadata": {"namespace": "team-a", "name": "db", "labels": {"replicas": 3}}}`))

	var undecodable *wire.DecodeError
	if errors.As(err, &undecodable) {
		fmt.Println(undecodable.Namespace, undecodable.Name, undecodable.Path)
	}
	// Output:
	// team-a db /metadata/labels/replicas
}
