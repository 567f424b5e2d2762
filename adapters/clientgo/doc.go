// Package clientgo shows informers of this repository as those of client-go, from v0.34 on, so that a
// library that takes client-go's informers, indexers and listers takes ours. The other direction
// is here too: a ListerWatcher, a TransformFunc and a ResourceEventHandler of client-go for an
// informer of ours.
//
//	API server ─▶ cache.SharedIndexInformer[*v1.Foo] ── its cache, its queues
//	                              │ no copies
//	      SharedIndexInformer(informer) ─▶ cache.SharedIndexInformer of client-go
//	      GenericInformer(informer)     ─▶ informers.GenericInformer
//	      GenericLister(informer)       ─▶ cache.GenericLister
//	      Indexer(objects)              ─▶ cache.Indexer and cache.Store
//
// NewSharedIndexInformer replaces client-go's function of that name, over a ListerWatcher of
// client-go, for programs that know only at run time which objects they get. client-go's typed
// informers and listers work over an adapter, too:
//
//	typed := toolscache.NewTypedSharedIndexInformer[*v1.Foo](clientgo.SharedIndexInformer(informer))
//	lister := listersv1.NewFooLister(clientgo.SharedIndexInformer(informer).GetIndexer())
//
// An adapter has no cache and no goroutine. It takes about 330 bytes, for any number of
// objects. It returns the objects of the informer, and no one may change them. All methods may be called
// from any goroutine.
//
// # Read your own writes
//
// An adapter has what its informer has. So an adapter of an informer with cache.WithReadYourWrites has
// the response to a write in its Store, indexes and listers as soon as the call of the client
// returns, and handlers hear of it. For built-in kinds and a clientset of client-go:
//
//	own := &writes.Observer{}
//	config.Wrap(own.Transport) // before clients are made of it
//	client := kubernetes.NewForConfigOrDie(config)
//	factory := kubeinformers.NewSharedInformerFactory(client, 0, cache.WithReadYourWrites(own)) // of the module kubernetes
//	pods := clientgo.SharedIndexInformer(factory.Core().V1().Pods().Informer())
//
// The same works with a generated factory. NewSharedIndexInformer and ListerWatcher do not have it: a
// ListerWatcher of client-go does not tell which server and resource it reads from, nor does it
// return the bodies of responses. Nor does a fake clientset, which sends no requests.
//
// # What is the same
//
// The tests of client-go's informers, typed informers, indexers and listers run over the adapters,
// from client-go's own module. All of them pass but two. So these are as in client-go:
//
//   - OnDelete gets a DeletedFinalStateUnknown with the key and the last known object if the final
//     state is unknown, and only then. isInInitialList is true for the objects that were cached
//     when the handler was added.
//   - A registration has HasSynced, HasSyncedChecker and, for ShutDownEventHandler, ShutdownChan.
//     RemoveEventHandler may be called twice, and ignores a registration of another informer.
//   - SetTransform and SetWatchErrorHandler return an error after the start. Handlers, and indexes,
//     cannot be added after the end, with the same text at the end of the error.
//   - A panic of a handler goes to utilruntime.HandleCrashWithLogger, with the logger of
//     HandlerOptions. If utilruntime.ReallyCrash is false, the handler continues with the next event
//     after a second.
//   - An index function that returns an error panics.
//   - The cache keeps its objects after the end of Run. Stop of the informer empties it, and reads
//     with an error return one that wraps cache.ErrStopped.
//
// # What differs
//
// docs/design/differences.md has a table of all differences between the two informers. The suite
// behind it also runs over the adapters. These are the ones that code for client-go may notice:
//
//   - A relist of an informer that replaces one of client-go (NewInformer, NewSharedIndexInformer) calls OnUpdate for each
//     object, as there. A handler of another adapter, or of the TypedInformer, gets only those that changed. If an
//     object was deleted and created again meanwhile, a handler gets OnDelete with a DeletedFinalStateUnknown, and
//     then OnAdd.
//   - Each handler has its own resync period, without a minimum. The period of the informer does
//     not matter to it.
//   - The index by namespace always exists. AddIndexers accepts client-go's
//     MetaNamespaceIndexFunc for it, also if it is added again, and returns an error for another
//     function of that name.
//   - An object must keep its name and namespace in a transform. If a transform fails, the list
//     fails.
//
// And these concern the adapters alone:
//
//   - The WatchErrorHandler runs in a goroutine of its own, so the informer does not wait for it.
//     The Reflector that it gets only has a name and a type description.
//   - LastStoreSyncResourceVersion is never ahead of the cache. While changes wait to be stored, it
//     may be behind.
//   - GetIndexers returns a copy. List, ByIndex and Index return the objects in no order, as in
//     client-go.
//   - Add, Update, Delete and Replace of a Store are for tests, as those of cache.Indexer. They
//     return an error for an object of another type than the cache has, but for an informer that replaces one of client-go. The
//     typed form of that panics on such an object.
//   - A second Run returns at once, as in client-go. So does the first one after Start of the factory.
//     Shutdown of the factory also stops an informer that Run runs.
//   - Options for metrics do not exist, and KUBE_CACHE_MUTATION_DETECTOR has no effect; see
//     cache.WithMutationDetector.
package clientgo
