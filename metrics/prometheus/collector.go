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
// panics if a source is nil, because the first scrape would end the program.
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
		c.descs = append(c.descs, prometheus.NewDesc(m.name, m.help, append(c.labels(), m.labels...), nil))
	}
	return c
}

// labels returns the labels that all metrics have.
func (c *Collector) labels() []string {
	labels := []string{"name", "group", "version", "resource"}
	if c.server {
		labels = append(labels, "server")
	}
	return labels
}

// Describe sends the descriptions of all metrics.
func (c *Collector) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range c.descs {
		descs <- desc
	}
}

// Collect reads all informers, and then sends their series.
func (c *Collector) Collect(series chan<- prometheus.Metric) {
	read := c.read()
	for _, key := range read.order {
		merged := read.informers[key]
		values := key.values(c.server)
		for i, desc := range c.descs {
			for _, p := range merged.points[i] {
				series <- p.metric(desc, metrics[i].kind, append(values[:len(values):len(values)], p.labels...))
			}
		}
	}
}

// read returns the series of all informers.
func (c *Collector) read() *reading {
	r := &reading{informers: map[labels]*merged{}}
	for _, source := range c.sources {
		for status := range source.Statuses() {
			r.add(labelsOf(&status, c.server), &status)
		}
	}
	return r
}
