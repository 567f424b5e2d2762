// Package crcache is the cache of a controller-runtime manager, over the informers of this
// repository. One line switches a project to it:
//
//	import crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
//
//	mgr, err := ctrl.NewManager(config, ctrl.Options{NewCache: crcache.New})
//
// How a read and an event pass through it:
//
//	client.Get, List                  controllers, source.Kind            your code
//	      │                                 │ GetInformer                    │ IndexField
//	      ▼                                 ▼                                ▼
//	reader.go, layout.go               informer.go, follow.go ◀── one for each kind and form
//	      │ copies                          │ a view of adapters/clientgo
//	      ▼                                 ▼
//	      └───────────────▶ entry.go ◀──────┘  one for each kind and form, or for typed and metadata
//	                           │
//	                           ▼
//	              cache.SharedIndexInformer[Object]
//	                           ▲
//	                           │ bodies
//	                        rest.go
//
//	new.go         NewFunc and New
//	cache.go       Cache: its informers, Start, and waiting for them
//	options.go     cache.Options with all defaults, or the mistakes in them
//	plan.go        what the options mean for the namespaces of one kind
//	entry.go       a kind in one form: its list, its watch and its store
//	form.go        typed, unstructured, metadata
//	informer.go    a kind in one form, as client-go's SharedIndexInformer
//	follow.go      metadata of an entry of typed objects, as long as these can be decoded
//	reader.go      Get and List
//	layout.go      copies objects to what a caller passed
//	rest.go        requests for lists and watches
//	namespaces.go  WithNamespacesLabeled and WithNamespacesOf
//	referenced.go  WithReferenced and By
//	live.go        reads from the server of objects that are not referenced
//	packed.go      WithPackedObjects
//	fields.go      WithFields, the guard of updates, and WithFieldDetector
//	decoder.go     WithReferenceDecoder and WithDecoderCheck
//	writes.go      WithReadYourWrites, and WaitFor
//	status.go      Kinds and Statuses: the state and the counters, for the page and the metrics
//	health.go      ReadyChecker
//	source.go      NewSource: the events of an informer of your own, for a controller
//
// NewFunc takes options. With WithFields, the cache keeps only some fields of objects. With WithReadYourWrites, it also has the response to each write of the
// manager's client, before the watch reports it. With WithReferenced, it has those objects of a kind
// that others refer to, and with WithNamespacesLabeled, the namespaces that have a label now.
//
// # What it promises
//
// It behaves as the cache of controller-runtime v0.25 does, and passes the tests of that cache. It works with controller-runtime from v0.22.4 on.
// Those of the differences that are most visible:
//
//   - Metadata of a kind that is read typed comes from the typed cache, so no event is seen before its object.
//   - GetInformer returns a complete SharedIndexInformer, also over several namespaces.
//   - A wait for an informer that ends names the reason: the right that is missing, or the CRD.
//   - When Start has returned, no goroutine of the cache is left, and no handler is running.
//
// Each public field of cache.Options has an effect, or New returns an error.
//
// # What is different
//
//   - If Options.NewInformer is set, New returns controller-runtime's own cache.
//   - labels.Nothing or fields.Nothing in the options, two entries of ByObject for one kind, and different SyncPeriods
//     for namespaces of a kind are errors of New. controller-runtime selects everything, or uses one by chance.
//   - If a transform returns another Go type, the list fails. controller-runtime's reads fail, and handlers get it.
//   - TransformStripManagedFields for all namespaces of a kind lets the decoder skip managedFields.
//   - Typed objects in handlers, and of reads without a copy, never have a kind. In controller-runtime they have one
//     if they come from a list of custom resources.
//   - The index of IndexField has each value once, and is not in GetIndexers of the informer.
//   - SetTransform, SetWatchErrorHandler and SetShardSelector of an informer return errors; use the options.
//   - DefaultWatchErrorHandler gets a Reflector that has only the name and type of the informer, and delays nothing.
//   - Lists are LIST, in one piece, and in pages of 500 after that has failed. controller-runtime asks for a stream first.
//   - With several namespaces, a read of one waits until all of them are listed, so it needs the rights in all.
//     controller-runtime has a cache for each.
//   - A failed request is repeated after 0.3 to 0.6 s, up to 4 to 8 s, and after Forbidden and NotFound up to 15 to
//     30 s. After a connection that was reset or closed it is repeated each second. controller-runtime waits 0.8 to 1.6 s, up to 30 to 60 s.
//   - rest.Config.ContentType, AcceptContentTypes, QPS and Burst have no effect on the cache. A RateLimiter is used.
//   - The first reader of metadata uses the typed informer of the kind if that is synced and has no transform. It goes on
//     after RemoveInformer of the typed one. If an object does not fit the Go type, it gets a list and a watch of its own, and
//     its handlers and indexes move there.
//   - A list without a resourceVersion is an error.
//   - Run of an informer of the cache does nothing: the cache runs it.
//   - A redirect to another host is an error, also in discovery if Options.Mapper is nil. The manager makes its own
//     mapper and client, which follow it: see MapperProvider, NewClient and package redirect.
//   - A List over several namespaces is one snapshot.
//   - A read of a new kind after the cache has ended is an error at once.
//
// # What it does not do
//
// It is not used if Options.NewInformer is set: then New returns controller-runtime's own cache, and
// NewFunc with options an error. It does not write to the API server. WithReferenced follows each object by a
// request of its own, however many there are: one watch of a namespace has no earlier events of an
// object that something refers to later, so that would have to be read, and put in order with the watch.
package crcache
