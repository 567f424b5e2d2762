// Package status has what an informer says of itself: its state and the reason, its counters, and what a person can do. Package
// cache makes the values, new ones at each call, and the packages observe, debugpage, healthz and prometheus read them.
//
//	Source ─▶ Informer ─┬─ Status      the phase, since when, and why; one Scope for each scope
//	                    ├─ Stats       counters, HandlerStats and IndexStats, durations in a Histogram
//	                    └─▶ Advice     what a person can do
//
// A SharedInformerFactory is a Source:
//
//	for informer := range factory.Statuses() {
//		fmt.Println(informer.Resource, informer.String())
//	}
//
// Package cache has other names for two of the types: cache.Status and cache.Reason.
package status
