package informermetrics

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// Collector is a prometheus.Collector of the informers of some sources. Any goroutine may use it,
// and it may be registered in several registries.
type Collector struct {
	sources []cache.StatusSource
	// server adds the label server.
	server bool
	descs  []*prometheus.Desc // one for each of metrics
}

// NewCollector returns a Collector of all informers of sources. It has the informers that exist at
// the time of a scrape. A registry accepts one Collector, so pass all sources to one. NewCollector
// panics if a source is nil, because each scrape would fail.
func NewCollector(sources ...cache.StatusSource) *Collector {
	for i, source := range sources {
		if source == nil {
			panic(fmt.Sprintf("informermetrics.NewCollector: source %d is nil; pass a factory, an informer or a cache", i))
		}
	}
	return newCollector(sources, false)
}

// WithServer returns a Collector whose series also have the label server: the URL of the API
// server, without user information and query. It is for programs with informers of several
// clusters. Without it, the informers of all clusters have the same series.
func (c *Collector) WithServer() *Collector { return newCollector(c.sources, true) }

func newCollector(sources []cache.StatusSource, server bool) *Collector {
	c := &Collector{sources: sources, server: server}
	for i := range metrics {
		m := &metrics[i]
		c.descs = append(c.descs, prometheus.NewDesc(m.name, m.help, append(labelNames(server), m.labels...), nil))
	}
	return c
}

// Describe sends the descriptions of all metrics.
func (c *Collector) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range c.descs {
		descs <- desc
	}
}

// Collect reads all informers, and then sends their series.
func (c *Collector) Collect(series chan<- prometheus.Metric) {
	for _, informer := range c.read() {
		for i, desc := range c.descs {
			for j := range informer.points[i] {
				series <- &sample{desc: desc, metric: &metrics[i], point: &informer.points[i][j]}
			}
		}
	}
}

// read returns the series of all informers, in the order of the sources.
func (c *Collector) read() (all []*merged) {
	known := map[labels]*merged{}
	for _, source := range c.sources {
		for status := range source.Statuses() {
			key := labelsOf(&status, c.server)
			into := known[key]
			if into == nil {
				into = newMerged(key.pairs(c.server))
				known[key], all = into, append(all, into)
			}
			into.add(&status)
		}
	}
	return all
}
