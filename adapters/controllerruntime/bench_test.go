package crcache

import (
	"encoding/json"
	"runtime"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"context"
	"fmt"
	"testing"

	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// benchmarkReads measures the reads of a cache with 10,000 widgets in 100 namespaces.
func benchmarkReads(b *testing.B, newCache ctrlcache.NewCacheFunc) {
	s := newServer(b)
	for i := range 10000 {
		s.put("widgets", newWidget(fmt.Sprintf("team-%d", i%100), fmt.Sprintf("widget-%d", i), fmt.Sprintf("color-%d", i%1000)))
	}
	c, err := newCache(s.config(), ctrlcache.Options{HTTPClient: s.client(), Scheme: testScheme(), Mapper: testMapper()})
	if err != nil {
		b.Fatal(err)
	}
	ctx := b.Context()
	if err := c.IndexField(ctx, &widget{}, "spec.color", func(obj client.Object) []string { return []string{obj.(*widget).Spec.Color} }); err != nil {
		b.Fatal(err)
	}
	done := make(chan error)
	defer func() { <-done }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { done <- c.Start(ctx) }()
	if !c.WaitForCacheSync(ctx) {
		b.Fatal("not synced")
	}
	key := client.ObjectKey{Namespace: "team-7", Name: "widget-7"}
	for _, share := range []bool{false, true} {
		name := "copy"
		var get []client.GetOption
		var list []client.ListOption
		if share {
			name = "share"
			get, list = append(get, client.UnsafeDisableDeepCopy), append(list, client.UnsafeDisableDeepCopy)
		}
		b.Run("Get/"+name, func(b *testing.B) {
			b.ReportAllocs()
			var out widget
			for b.Loop() {
				if err := c.Get(ctx, key, &out, get...); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("GetParallel/"+name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				var out widget
				for pb.Next() {
					if err := c.Get(ctx, key, &out, get...); err != nil {
						b.Error(err)
					}
				}
			})
		})
		for what, options := range map[string][]client.ListOption{
			"Namespace100":      {client.InNamespace("team-7")},
			"Index10":           {client.MatchingFields{"spec.color": "color-7"}},
			"Labels10":          {client.MatchingLabels{"color": "color-7"}},
			"NamespaceLabels10": {client.InNamespace("team-7"), client.MatchingLabels{"color": "color-7"}},
			"All10000":          nil,
		} {
			b.Run("List"+what+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					var out widgetList
					if err := c.List(ctx, &out, append(options, list...)...); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkReads compares the reads with those of the cache of controller-runtime.
func BenchmarkReads(b *testing.B) {
	b.Run("side=informer-gen", func(b *testing.B) { benchmarkReads(b, New) })
	b.Run("side=controller-runtime", func(b *testing.B) { benchmarkReads(b, ctrlcache.New) })
}

// BenchmarkMemory measures the memory of a cached object of 2 KB, by the forms in which it is read.
func BenchmarkMemory(b *testing.B) {
	const n = 20000
	s := newServer(b)
	for i := range n {
		s.put("widgets", largeWidget(i))
	}
	text, err := json.Marshal(largeWidget(0))
	if err != nil {
		b.Fatal(err)
	}
	readers := map[string]client.ObjectList{"typed": &widgetList{}, "metadata": partialWidgets(), "unstructured": untypedWidgets()}
	for _, forms := range []string{"metadata", "typed", "unstructured", "typed,metadata", "unstructured,metadata", "typed,unstructured", "typed,unstructured,metadata"} {
		for name, newCache := range map[string]ctrlcache.NewCacheFunc{"ours": New, "controller-runtime": ctrlcache.New} {
			b.Run(forms+"/"+name, func(b *testing.B) {
				for b.Loop() {
					before := heap()
					c, err := newCache(s.config(), ctrlcache.Options{HTTPClient: s.client(), Scheme: testScheme(), Mapper: testMapper()})
					if err != nil {
						b.Fatal(err)
					}
					ctx, cancel := context.WithCancel(b.Context())
					done := make(chan error)
					go func() { done <- c.Start(ctx) }()
					c.WaitForCacheSync(ctx)
					for form := range strings.SplitSeq(forms, ",") {
						if err := c.List(ctx, readers[form], client.Limit(1)); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(heap()-before)/n, "B/object")
					cancel()
					<-done
				}
				b.ReportMetric(float64(len(text)), "B/text")
			})
		}
	}
}

// heap returns the size of the live objects.
func heap() int64 {
	var stats runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// largeWidget returns a widget of 2 KB.
func largeWidget(i int) *unstructured.Unstructured {
	u := newWidget(fmt.Sprintf("team-%d", i%100), fmt.Sprintf("widget-%d", i), fmt.Sprintf("color-%d", i%1000))
	parts := map[string]any{}
	for n := range 24 {
		parts[fmt.Sprintf("part-%d", n)] = fmt.Sprintf("the text of part %d of the widget %d, which is long", n, i)
	}
	unstructured.SetNestedMap(u.Object, parts, "spec", "parts")
	u.SetAnnotations(map[string]string{"example.com/owner": fmt.Sprintf("team %d", i%100)})
	u.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "manager", Operation: "Update", APIVersion: "example.com/v1", FieldsType: "FieldsV1",
		FieldsV1: fieldsV1(`{"f:metadata":{"f:labels":{".":{},"f:color":{},"f:name":{}}},"f:spec":{".":{},"f:color":{},"f:parts":{},"f:sizes":{}}}`)}})
	return u
}
