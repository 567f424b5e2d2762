// Package cache keeps a local, indexed copy of one kind of object of a
// Kubernetes API server, and tells handlers of every change to it. It is the
// runtime that the code emitted by informer-gen stands on, typed from the wire
// to the handler, and it can be used without the generator as well.
//
// What happens to an object on its way to a handler:
//
//	body ─▶ wire, or a typed client
//	           │ pages, events
//	           ▼
//	    ListerWatcher ──▶ Reflector ─deltas─▶ DeltaFIFO ─batch─▶ Controller
//	                                                                 │ one lock a batch
//	                                            ┌────────────────────┤
//	                                            ▼                    ▼
//	                          Lister ─reads─▶ Indexer            processor
//	                                                                 │ one queue and one
//	                                                                 ▼ goroutine a handler
//	                                                       ResourceEventHandler
//
//	object.go          Object, ObjectName and the keys of work queues
//	listwatch.go       ListerWatcher: where objects come from; NewListWatch over a typed client
//	source.go          other sources: bodies, views, and the one that always fails
//	undecodable.go     the set of objects that cannot be decoded, and its log
//	reflector.go       Reflector: the requests, and lists
//	reflector_watch.go watches and streaming lists, and events to deltas
//	reflector_state.go what the Reflector does next, as a pure function
//	backoff.go         how long to wait before a request is made again
//	initial_list.go    a collection while it is being read
//	status.go          where an informer is, and why
//	delta.go           Delta, DeltaFIFO: what happened, in the order it happened
//	free_list.go       memory of batches that is used again
//	indexer.go         Indexer: the cache as its readers see it
//	indexer_apply.go   deltas to changes of the cache, and what handlers hear of it
//	relist.go          a whole collection to changes of the cache
//	internal/store     objects in slots, by name and by the values of indexes
//	lister.go          Lister: typed reads, and those of kinds known only at run time
//	handler.go         ResourceEventHandler and its adapters
//	registration.go    what AddEventHandler returns
//	processor.go       batches to the listeners of all handlers
//	listener.go        the queue and the goroutine of one handler
//	handler_panics.go  handlers that panic, or end their goroutine
//	coalesce.go        the bounded queue of a slow handler
//	mutation_detector.go who has changed a shared object
//	difference.go      in which fields two objects differ
//	controller.go      Controller: Reflector to queue to one consumer
//	shared_informer.go SharedIndexInformer: Controller, Indexer and processor together
//	factory.go         SharedInformerFactory: the informers of one program
//	factory_options.go what can be set for all of them, or for one kind
//	sync.go            waiting for the first list
//	errors.go          errors that callers can tell apart
//
// # What it promises
//
//  1. States of one object reach the cache and each handler in the order of the
//     server; none goes backwards.
//  2. The cache and its indexes change before a handler hears of it.
//  3. A handler hears OnAdd once an object, then updates, then OnDelete. A relist
//     produces exactly the difference. OnDelete always carries the last known
//     object, and says whether its final state is unknown.
//  4. A handler added late first hears every cached object, with isInInitialList
//     true, and misses nothing after.
//  5. HasSynced of a registration is true only when that handler has returned
//     from its last initial event.
//  6. A relist of an object that did not change, in version and content, tells no one.
//     A server may answer with other content at the same version: a new default in a
//     CRD, pruning, conversion, an upgrade. Then handlers hear an update. If a
//     collection has several states of one object, the last one counts.
//  7. An object that cannot be taken (it does not decode, or its transform fails)
//     stops nothing silently: the list fails, and Status names the object and the
//     reason. One that does not decode can be skipped instead, with
//     DecodeOptions.SkipUndecodable: it is in Status for as long as it does not. So is
//     one that is larger than DecodeOptions.MaxObjectBytes.
//  8. When Run or Shutdown has returned, no goroutine of this package is left and
//     no handler is running.
//  9. Objects in the cache are never written to by this package; a mutation
//     detector for tests says which handler did.
//
// A server that fails is asked at most ten times a minute, and one that ends each
// watch as soon as it has brought something sixty times, the pages of a list aside;
// see Config.Backoffs. Status is Watching only while a watch is open, but for the
// two seconds that a server has to answer the next one.
//
// A panic of foreign code, be it a handler, an index function or a transform,
// ends the program. Handlers can be made to go on: Config.RecoverHandlerPanics. A
// handler that calls runtime.Goexit goes on with the next event, and Status says so;
// in an index function or a transform that call ends the informer.
//
// # What it does not do
//
// It does not write to the API server, it has no work queue (client-go's
// util/workqueue is a good one), and it does not copy what it hands out:
// objects in the cache are shared, so whoever wants to change one calls its
// DeepCopy first.
package cache
