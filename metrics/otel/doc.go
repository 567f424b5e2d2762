// Package informertrace makes OpenTelemetry traces of the lists of informers.
//
//	factory := cache.NewSharedInformerFactory(0,
//		cache.WithRelistHandler(informertrace.Trace(otel.Tracer("informers"))))
//
// Each list that failed or was applied is a trace of its own. So an operator sees how long a relist
// of a large collection took, and which part of it:
//
//	informer.relist
//	├─ informer.list      from the first request until its response began
//	├─ informer.decode    until the last object was decoded
//	├─ informer.apply     until the cache had the list
//	└─ informer.handler   for each handler, until it had returned from the last event
//
// Nothing is measured without the option. With it an informer notes the moments and makes the
// spans when all is over. They have the times at which things happened. Watches have no spans: the
// metrics count their events and failures.
//
// # Attributes
//
// A relist has k8s.api.group, k8s.api.version and k8s.api.resource; k8s.namespace.name if it is of
// one namespace; informer.cause, the cache.Reason of the relist, which the first list does not have;
// informer.streamed or informer.pages; informer.objects and informer.bytes. informer.dropped is the
// number of relists before it that have no trace, because hooks did not return.
//
// A handler has informer.handler, its name, and informer.events. informer.abandoned is set if it was
// removed or stopped before it had returned from the last event.
//
// The status of a failed relist is Error, with its reason, as is that of the part that failed. No
// attribute and no status has the name of an object or a text of it: the WatchErrorHandler gets
// the whole error.
package informertrace
