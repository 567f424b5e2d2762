// Package cache keeps a local, indexed copy of one kind of object of a Kubernetes API
// server, and calls handlers for every change. It is the runtime of the code that
// informer-gen emits, typed from the wire to the handler. It can also be used without
// the generator.
//
// How an object reaches a handler:
//
//	body ─▶ wire, or a typed client
//	           │ pages, events
//	           ▼
//	    ListerWatcher ──▶ Reflector ─deltas─▶ DeltaFIFO ─batch─▶ informer ◀─ own writes
//	                                                                 │ one lock a batch
//	                                            ┌────────────────────┤
//	                                            ▼                    ▼
//	                          Lister ─reads─▶ Indexer            processor
//	                                                                 │ one queue and one
//	                                                                 ▼ goroutine a handler
//	                                                       ResourceEventHandler
//
// What a program calls is typed by T. It converts, and calls a machine that has no type parameter, so that the machine is
// compiled once; docs/design/runtime.md has the reasons.
//
//	factory.go          SharedInformerFactory: the informers of one program
//	lease.go            Lease: a counted use of one of them
//	options.go          SharedInformerOption: options of a factory, a kind or one informer
//	kind.go             Kind: a kind and the client for it
//	config.go           config: what an informer is made of
//	packing.go          Compression, of packed objects; packing_default.go: a build tag of tests
//	transform.go        TransformFunc
//	shared_informer.go  SharedIndexInformer and Controller: an informer as a program calls it
//	informer.go         informer: its machine: how it is made, runs and stops
//	observed.go         its Status, its counters and its name
//	core.go             core: a batch of deltas on its way to the cache and to the handlers, in one step
//	handler.go          ResourceEventHandler, its adapters and options; registration.go: the result of adding one
//	hooks.go            WatchErrorHandler and StatusHandler
//	status.go           Status and Reason
//	sync.go             Syncer and WaitForCacheSync
//	scope.go            Scope; scope_options.go: options with scopes; cluster_watch.go: those of WithClusterWatch
//	scope_source.go     ScopeSource; scopes_of.go: the one whose scopes are objects
//	fields.go           Field: selectors of fields
//	scope_set.go        the Reflectors of an informer, which come and go with its scopes
//	scope_reflector.go  the Reflector of one scope, and its Sink: the queue
//	handover.go         the Reflector of a new scope takes over from those that had its objects
//	reflector.go        Reflector: copies a collection to a store of the program, its Sink
//	record.go           what is known of a Reflector, and who hears of it: the half that all Sinks share
//	stats.go            InformerStatus: the state and the counters, for metrics and pages
//	advice.go           Advice: what a person can do, also in the log of outages
//	errors.go           the errors
//	listwatch.go        ListerWatcher, of a typed client, and OpenFunc
//	object.go           Object and ObjectName
//	indexer.go          Indexer: the cache as a program reads it
//	own_writes.go       the responses to writes in the cache, for ReadYourWrites
//	lister.go           Lister: typed reads; and generic.go: reads of kinds known only at run time
//	internal/source     lists and watches, by bodies or by a typed client
//	internal/reflector  from a Source to a Sink: what to request, and what to make of it
//	internal/protocol   what a Reflector requests next, and when, as pure functions
//	internal/progress   the phase of a Reflector, and why
//	internal/frontier   how far the history of a scope is known
//	internal/deltafifo  deltas in the order of their arrival
//	internal/indexer    applies deltas to a store: one writer, many readers
//	internal/store      objects in slots, by name and by the values of indexes
//	internal/pack       objects as compressed text, in the slots of a store
//	internal/processor  the queue and the goroutine of each handler
//	internal/scoping    which objects a scope cannot have, and what is requested of it
//	internal/partition  which scope speaks about each object
//	internal/initial    which first lists the cache, or a handler, has, and how many run at one time
//	internal/listed     what was listed, while it is being read, and what is undecodable
//	internal/pending    own writes that the watch has not confirmed
//	internal/hook       calls the hooks, in a goroutine that exists only meanwhile
//	internal/outage     logs that an informer does not follow its server
//	internal/stats      counters that cost the path of an event next to nothing
//	internal/mistakes   the mistakes in the options of a factory
//	internal/mutation   finds the handler that changed a shared object
//
// # What it promises
//
//  1. The cache and each handler get the states of one object in the order of the
//     server, and never an earlier one after a later one.
//  2. The cache and its indexes change before a handler is called.
//  3. A handler gets one OnAdd for an object, then updates, then OnDelete. A relist
//     causes exactly the difference. OnDelete always has the last known object, and
//     reports whether its final state is unknown.
//  4. A handler that is added late first gets every cached object, with
//     isInInitialList true, and misses nothing afterwards.
//  5. HasSynced of a registration is true only when that handler has returned from
//     its last initial event.
//  6. A relist calls no handler for an object with the same version and content. A
//     server may answer with other content at the same version: a new
//     default in a CRD, pruning, conversion, an upgrade. Then handlers get an update.
//     If a collection has several states of one object, the last one counts.
//  7. An object that cannot be decoded or transformed is never dropped without an
//     error: the list fails, and Status names the object and the reason. With
//     WithSkipUndecodable the informer skips an object that cannot be decoded,
//     or that is larger than WithMaxObjectBytes allows. Status lists it until a later
//     state can be decoded or the object is gone.
//  8. When Run or Shutdown has returned, no goroutine of this package is left and no
//     handler and no hook is running.
//  9. This package never writes to objects in the cache. A mutation detector for
//     tests finds a handler that does.
//  10. Each list has a cause, which Stats counts: it is the first one of a scope, or the server has lost the
//     version of the watch, or an object could not be decoded, or the program has changed the scopes, or nothing has
//     confirmed a write. On a healthy server each scope lists once.
//  11. After a failure the informer follows the server again at least as soon as one of client-go: while a server
//     fails, no wait is longer than ten seconds, apart from Retry-After, the codes 401, 403 and 404 and objects that cannot
//     be decoded, and any answer of a healthy server ends the waits. What a list can give is never refused because a stream fails.
//
// A server whose requests fail gets about ten requests a minute, and one that fails now and then at
// most forty; see WithBackoff. A server that ends each watch after its first event gets
// about forty. Further pages of a list are not counted. When the server is well again, an informer follows it after at
// most eight seconds. While only watches fail, lists refresh the cache. Status is Watching only while a watch
// is open, or in the two seconds that a server has to answer the next one.
//
// A panic of a handler, a hook, an index function or a transform ends the program.
// WithHandlerPanicRecovery lets handlers and hooks continue instead. A handler that calls
// runtime.Goexit continues with the next event, and Status reports it. In an index
// function or a transform, that call ends the informer.
//
// # What it does not do
//
// It does not write to the API server. It has no work queue; client-go's util/workqueue
// is a good one. It does not copy the objects that it returns: they are shared, and parts of
// them, other than labels and annotations, with other objects of the informer. So a caller that wants to change one calls its DeepCopy first.
package cache
