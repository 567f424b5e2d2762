// Package cache keeps a local, indexed copy of one kind of object of a Kubernetes API
// server, and calls handlers for every change. It is the runtime of the code that
// informer-gen emits, typed from the wire to the handler. It can also be used without
// the generator.
//
// With generated code, a program needs these lines:
//
//	factory := informers.NewSharedInformerFactory(clientset, 0)
//	foos := factory.Example().V1().Foos()
//	foos.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*v1.Foo]{AddFunc: func(foo *v1.Foo, isInInitialList bool) { … }})
//	factory.Start(ctx)
//	factory.WaitForCacheSync(ctx)                       // returns an error with the reason if an informer is not synced
//	foo, err := foos.Lister().Foos("team-a").Get("web") // *v1.Foo
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
//     It is not promised for each single outage, as waits are random, nor for the codes 401, 403 and 404, with WithBackoff, or for
//     each of more than eight scopes, which share one early retry each 0.8 s.
//
// A server whose requests fail gets about ten requests a minute, and one that fails now and then at
// most forty; see WithBackoff. One that resets or closes connections without an answer, or names a shorter wait by Retry-After, gets
// at most 75 early ones from all scopes together. A server that ends each watch after its first event gets
// about forty. Further pages of a list are not counted. When the server is well again, an informer follows it after at
// most eight seconds. While only watches fail, lists refresh the cache. Status is Watching only while a watch
// is open, or in the two seconds that a server has to answer the next one.
//
// A panic of a handler, a hook, an index function or a transform ends the program.
// WithHandlerPanicRecovery lets handlers and hooks continue instead. A handler that calls
// runtime.Goexit continues with the next event, and Status reports it. In an index
// function or a transform, that call ends the informer.
//
// # The names that most programs need
//
//	SharedInformerFactory, NewSharedInformerFactory   the informers of one program
//	SharedIndexInformer, WaitForCacheSync             an informer, and the wait for it
//	ResourceEventHandler, ResourceEventHandlerFuncs   what is called for each change
//	FilteringResourceEventHandler, ObjectNameHandler  a handler of some objects, and one of names, for a work queue
//	Lister, Indexer, IndexFunc                        typed reads
//	Object, ObjectName                                a pointer to an API type, and a name with a namespace
//	Kind, InformerFor                                 a kind with its client, for an informer that no generated factory has
//	Status, ErrStopped                                why an informer does not follow its server: see package status
//	WithOptionsFor                                    options for one kind of a factory
//	WithNamespaces, WithLabelSelector, WithFields     less to list, to decode and to keep
//	WithReadYourWrites                                own writes in the cache before their calls return
//
// Each function that returns an option begins with With: WithHandlerName, WithHandlerResync, WithBacklogLimit and WithRelistUpdates are options
// of a handler, all others of informers.
//
// # Which informer to take
//
// There are six ways to get an informer. The cache, the handlers and the options are the same.
//
//	InformerFor             the informer of a kind in a factory, as the accessors of generated code return it: take it unless
//	                        one of the next two is needed
//	Acquire                 the same as a Lease, for a part of a program that comes and goes: the informer stops with its last Lease
//	Kind.NewInformer        an informer without a factory, such as a second one of a kind: the caller runs it and gets the mistakes
//	                        in its options
//	NewSharedIndexInformer  Kind.NewInformer, for code that was written for client-go
//	NewInformer             a Store, and a Controller that fills it and calls one handler, also for such code
//	NewIndexerInformer      NewInformer with an Indexer
//
// A Reflector copies a collection to a Store of the program instead.
//
// # The way of an object
//
//	body ─▶ wire, or a ListerWatcher
//	           │ pages, events
//	           ▼
//	    gate of types ──▶ Reflector ─deltas─▶ DeltaFIFO ─batch─▶ informer ◀─ own writes
//	                                                                 │ one lock a batch
//	                                            ┌────────────────────┤
//	                                            ▼                    ▼
//	                          Lister ─reads─▶ Indexer            processor
//	                                                                 │ one queue and one
//	                                                                 ▼ goroutine a handler
//	                                                       ResourceEventHandler
//
// docs/design/runtime.md has the files.
//
// # What it does not do
//
// It does not write to the API server. It has no work queue; client-go's util/workqueue
// is a good one. It does not copy the objects that it returns: they are shared, and parts of
// them, other than labels and annotations, with other objects of the informer. So a caller that wants to change one calls its DeepCopy first.
package cache
