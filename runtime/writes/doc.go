// Package writes tells informers of the writes of their own program. The response to a write
// has the new state of the object, so a cache does not have to wait for its watch to have it.
//
//	own := &writes.Observer{}
//	config.Wrap(own.Transport) // a *rest.Config, before clients are made of it
//
// How a response gets to informers:
//
//	caller ─request─▶ Transport ────────────────▶ next ─▶ API server
//	   ▲                  │ not a write of a subscribed   │
//	   │                  │ resource: the response itself │
//	   ├──────────────────┤◀──────────response────────────┘
//	   │                  │ a write: read the body
//	   │                  ▼
//	   │              metadata ──▶ Write ──▶ Informer.Wrote, of each subscription
//	   └──────────────────┘ the same bytes
//
// The Transport sends all requests but those that a guard refuses: an update of an object whose informer leaves fields out would
// delete them. See Observer.Guard.
//
// Start at Observer. Its Transport serves all clients of a rest.Config: generated and dynamic
// ones, and those of client-go and controller-runtime. No client is wrapped.
//
// # What it promises
//
//   - A caller receives the same as without the Transport: the same response, with
//     the same bytes and the same error while its body is read. Only the time differs: the
//     body of a write to a subscribed resource is read before the caller has the response.
//   - An Informer hears of a write in the goroutine of the writer, before the writer has the
//     response. No lock is held during the call, and there is no other goroutine.
//   - Other requests, such as lists and watches, are passed on unread. They cost a comparison
//     of the method and allocate nothing.
//   - A Write has the name and the namespace of the URL, and a UID. Gone is set only if the
//     server has removed that object; see Write.Gone.
//
// # What it does not promise
//
// An Informer does not hear of the writes of other programs. It does not hear of a write whose
// response is lost, has more than 8 MiB, is compressed, or is neither JSON nor protobuf. It does
// not hear of a request that deletes a collection, nor of one to another version of the resource.
// The watch reports all of these, so it remains the source of truth. The writes of one object by
// several goroutines may be reported in any order.
//
// A subresource that answers a write with a JSON stream that does not end needs a client
// without the Transport. Package writes never reads the responses of attach, exec, log,
// portforward and proxy.
package writes
