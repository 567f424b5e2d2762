package clientgo

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// BenchmarkReads reads 10,000 objects in 100 namespaces, through the adapter and from client-go's
// own indexer.
func BenchmarkReads(b *testing.B) {
	const objects, namespaces = 10_000, 100
	byNamespace := toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc}
	indexers := []struct {
		name    string
		indexer toolscache.Indexer
	}{
		{"adapter", Indexer(cache.NewIndexer[object](nil))},
		{"generic", Indexer(cache.NewIndexer[cache.Object](nil))},
		{"clientgo", toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, byNamespace)},
	}
	objs := make([]any, objects)
	keys := make([]string, objects)
	for i := range objs {
		obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprintf("namespace-%d", i%namespaces), Name: fmt.Sprintf("object-%d", i)}}
		objs[i], keys[i] = obj, cache.MetaNamespaceKeyFunc(obj)
	}
	for _, x := range indexers {
		if err := x.indexer.Replace(append([]any(nil), objs...), "1"); err != nil {
			b.Fatal(err)
		}
		b.Run("List/"+x.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n := len(x.indexer.List()); n != objects {
					b.Fatal(n)
				}
			}
		})
		b.Run("ByIndex/"+x.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if found, err := x.indexer.ByIndex(toolscache.NamespaceIndex, "namespace-7"); err != nil || len(found) != objects/namespaces {
					b.Fatal(len(found), err)
				}
			}
		})
		b.Run("GetByKey/"+x.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, exists, err := x.indexer.GetByKey(keys[i%objects]); !exists || err != nil {
					b.Fatal(exists, err)
				}
			}
		})
		b.Run("GetByKeyParallel/"+x.name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for i := 0; pb.Next(); i++ {
					if _, exists, err := x.indexer.GetByKey(keys[i%objects]); !exists || err != nil {
						b.Error(exists, err)
					}
				}
			})
		})
	}
}
