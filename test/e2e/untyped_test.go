package e2e

import (
	"context"
	"fmt"
	"io"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// openWith opens bodies of databases in the form that the informer asks for.
func openWith(client rest.Interface, namespace string) bodies.OpenFunc {
	return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		return client.Get().Namespace(namespace).Resource(databases.Resource).
			SpecificallyVersionedParams(&options, metav1.ParameterCodec, schema.GroupVersion{Version: "v1"}).
			SetHeader("Accept", accept).Stream(ctx)
	}
}

// TestInformersWithoutAGeneratedType follows one collection as what it is, as
// unstructured objects and as metadata, and compares what they end with.
func TestInformersWithoutAGeneratedType(t *testing.T) {
	client := clientOf(t, shared)
	const namespace = "untyped"
	for _, stream := range []bool{true, false} {
		t.Run(fmt.Sprintf("streaming list %v", stream), func(t *testing.T) {
			ctx := within(t)
			all := client.DataV1().Databases(namespace)
			for i := range 30 {
				if _, err := all.Create(ctx, database(fmt.Sprintf("db-%d", i), 1), metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			free := followAs[*unstructured.Unstructured](t, openWith(client.DataV1().RESTClient(), namespace), stream)
			partial := followAs[*metav1.PartialObjectMetadata](t, openWith(client.DataV1().RESTClient(), namespace), stream)
			if err := cache.WaitForCacheSync(ctx, free.informer, partial.informer); err != nil {
				t.Fatal(err)
			}
			for i := range 20 {
				db, err := all.Get(ctx, fmt.Sprintf("db-%d", i), metav1.GetOptions{})
				if err != nil {
					t.Fatal(err)
				}
				db.Spec.StorageGi, db.Labels = int32(10+i), map[string]string{"changed": "yes"}
				if _, err := all.Update(ctx, db, metav1.UpdateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if err := all.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "!changed"}); err != nil {
				t.Fatal(err)
			}
			last, err := all.Create(ctx, database("last", 7), metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			free.await(t, last)
			partial.await(t, last)
			compareUntyped(ctx, t, namespace, free, partial)
			if err := all.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// compareUntyped compares the caches with what client-go's clients read.
func compareUntyped(ctx context.Context, t *testing.T, namespace string, free *following[*unstructured.Unstructured], partial *following[*metav1.PartialObjectMetadata]) {
	t.Helper()
	dynamics, err := dynamic.NewForConfig(shared.Config())
	if err != nil {
		t.Fatal(err)
	}
	want, err := dynamics.Resource(databases).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Items) != 21 || free.informer.GetStore().Len() != 21 || partial.informer.GetStore().Len() != 21 {
		t.Fatalf("the server has %d, the caches %d and %d, want 21", len(want.Items), free.informer.GetStore().Len(), partial.informer.GetStore().Len())
	}
	for i := range want.Items {
		item := &want.Items[i]
		got, _ := free.informer.GetStore().Get(cache.MetaObjectToName(item))
		if !equality.Semantic.DeepEqual(got, item) {
			t.Errorf("%s is\n%v\nwant\n%v", item.GetName(), got, item)
		}
	}
	metadatas, err := metadata.NewForConfig(shared.Config())
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Items {
		item, err := metadatas.Resource(databases).Namespace(namespace).Get(ctx, want.Items[i].GetName(), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := partial.informer.GetStore().Get(cache.MetaObjectToName(item))
		item.TypeMeta = metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"} // client-go drops it
		if !equality.Semantic.DeepEqual(got, item) {
			t.Errorf("the metadata of %s is\n%v\nwant\n%v", item.GetName(), got, item)
		}
	}
}

// following is an informer, and what its handler has heard.
type following[T cache.Object] struct {
	informer *cache.SharedIndexInformer[T]
	added    chan string // names
}

func followAs[T cache.Object](t *testing.T, open bodies.OpenFunc, stream bool) *following[T] {
	t.Helper()
	var options []cache.SharedInformerOption
	if stream {
		options = append(options, cache.WithStreamingList())
	}
	informer, err := cache.Kind[T]{Resource: databases, Open: func(string) bodies.OpenFunc { return open }}.NewInformer(options...)
	if err != nil {
		t.Fatal(err)
	}
	f := &following[T]{informer: informer, added: make(chan string, 1000)}
	if _, err := f.informer.AddEventHandler(cache.ResourceEventHandlerFuncs[T]{
		AddFunc: func(obj T, _ bool) { f.added <- obj.GetName() },
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.informer.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return f
}

// await returns when the handler has heard of obj, and so of all before it.
func (f *following[T]) await(t *testing.T, obj *datav1.Database) {
	t.Helper()
	ctx := within(t)
	for {
		select {
		case name := <-f.added:
			if name == obj.Name {
				return
			}
		case <-ctx.Done():
			t.Fatalf("the informer never told of %s: %v", obj.Name, f.informer.Status())
		}
	}
}
