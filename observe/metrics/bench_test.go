package informermetrics

import (
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// BenchmarkScrape scrapes 1,000 informers of different resources, with two handlers each, or of one
// resource, as of as many namespaces.
func BenchmarkScrape(b *testing.B) {
	for _, resources := range []int{1, 1000} {
		b.Run(fmt.Sprint("resources=", resources), func(b *testing.B) {
			var all source
			for i := range 1000 {
				status := healthy()
				status.Resource.Resource = fmt.Sprint("widgets", i%resources)
				all = append(all, status)
			}
			registry := prometheus.NewRegistry()
			registry.MustRegister(NewCollector(all))
			b.ReportAllocs()
			series := 0
			for b.Loop() {
				families, err := registry.Gather()
				if err != nil {
					b.Fatal(err)
				}
				series = 0
				for _, family := range families {
					series += len(family.GetMetric())
				}
			}
			b.ReportMetric(float64(series), "series")
		})
	}
}
