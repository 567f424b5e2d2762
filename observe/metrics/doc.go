// Package informermetrics exports the state and the counters of informers to Prometheus.
//
// A program registers one Collector for all of its factories, informers and caches. WithSource adds
// those after the first:
//
//	registry.MustRegister(informermetrics.NewCollector(factory))
//
// With controller-runtime the registry is metrics.Registry of its package pkg/metrics, and the
// manager serves it.
//
//	status.Source ─Statuses()─▶ Collector ─▶ series, merged by their labels ─▶ registry
//	                              ▲
//	                           a scrape
//
// A Collector has no goroutine, and no state but the sums of informers with equal labels. Each scrape reads the counters, which the informers
// count anyway. No informer waits for a scrape.
//
// # Labels
//
// All metrics have the labels name, group, version and resource, as those of client-go 0.37 have.
// The name is that of cache.WithInformerName. Informers with equal labels have one series
// together, so that two factories with one name, or an informer for each of 1,000 namespaces, are
// no error: counts are added, and of durations the longest counts.
//
// No label has a namespace, the name of an object or a place in a program. An informer has at most
// 100 values of each other label, such as handler. All values after that have one series, "other".
//
// # Files
//
// The folder has alerts.yaml, a file of rules, and dashboard.json, a dashboard for Grafana.
// docs/observability.md describes what to do for each alert, and docs/observability-reference.md lists all metrics.
//
// # In a registry that has client-go's metrics
//
// Three metrics have names of client-go, because they mean the same. A registry that has those of
// client-go too needs a prefix: prometheus.WrapRegistererWithPrefix.
package informermetrics
