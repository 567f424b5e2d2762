package informermetrics

import (
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// Collector is a prometheus.Collector of informers. Any goroutine may use it, and it may be
// registered in several registries.
type Collector struct {
	sources []status.Source
	// server adds the label server.
	server bool
	descs  []*prometheus.Desc // one for each of metrics

	mu     sync.Mutex // held while the sources are read, so that no scrape sees counts of before the last one
	totals map[labels]totals
}

// NewCollector returns a Collector of the informers of source, such as a factory. It has the
// informers that exist at the time of a scrape. A registry accepts only one Collector, so a program
// with several factories adds the others by WithSource. NewCollector panics if a source is nil,
// because each scrape would fail.
func NewCollector(source status.Source, options ...Option) *Collector {
	c := &Collector{sources: []status.Source{source}}
	for _, option := range options {
		option(c)
	}
	if slices.Contains(c.sources, nil) {
		panic("informermetrics.NewCollector: a source is nil; pass a factory, an informer or a cache")
	}
	for i := range metrics {
		m := &metrics[i]
		c.descs = append(c.descs, prometheus.NewDesc(m.name, m.help, append(labelNames(c.server), m.labels...), nil))
	}
	return c
}

// Option sets a property of a Collector.
type Option func(*Collector)

// WithSource adds informers, for a program that has several factories.
func WithSource(source status.Source) Option {
	return func(c *Collector) { c.sources = append(c.sources, source) }
}

// WithServer adds the label server to all series: the URL of the API server, without user
// information and query. It is for a program with informers of several clusters. Without it, the
// informers of all clusters have the same series.
func WithServer() Option { return func(c *Collector) { c.server = true } }

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
	c.mu.Lock()
	defer c.mu.Unlock()
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
	last := c.totals
	c.totals = nil
	for key, series := range known {
		if kept := series.keep(last[key]); kept != nil {
			if c.totals == nil {
				c.totals = map[labels]totals{}
			}
			c.totals[key] = kept
		}
	}
	return all
}
