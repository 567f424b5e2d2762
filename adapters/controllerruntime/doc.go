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
//	reader.go, layout.go               informer.go ◀────── one for each kind and form
//	      │ copies                          │ a view of adapters/clientgo
//	      ▼                                 ▼
//	      └───────────────▶ entry.go ◀──────┘  one for each kind: decodes to the forms in use
//	                           │
//	                           ▼
//	              cache.SharedIndexInformer[Object]
//	                           ▲
//	                           │ bodies
//	                        rest.go
//
//	cache.go     Cache: its informers, Start, and waiting for them
//	options.go   cache.Options with all defaults, or the mistakes in them
//	plan.go      what the options mean for the namespaces of one kind
//	entry.go     a kind: its informer, and the forms that it decodes to
//	form.go      typed, unstructured, metadata: one object in another form
//	informer.go  a kind in one form, as client-go's SharedIndexInformer
//	reader.go    Get and List
//	layout.go    copies objects to what a caller passed
//	rest.go      requests for lists and watches
//	writes.go    ReadYourWrites, and WaitFor
//	status.go    Kinds and Statuses: the state and the counters, for the page and the metrics
//	health.go    ReadyChecker
//	source.go    NewSource: the events of an informer of your own, for a controller
//
// With ReadYourWrites in place of New, the cache also has the response to each write of the
// manager's client, before the watch reports it.
//
// # What it promises
//
// It behaves as the cache of controller-runtime v0.25 does, and passes the tests of that cache. It works with controller-runtime from v0.22.4 on.
// docs/controller-runtime.md has the differences. Those that are most visible:
//
//   - Typed, unstructured and metadata readers of a kind share one list, one watch and one store.
//   - GetInformer returns a complete SharedIndexInformer, also over several namespaces.
//   - A wait for an informer that ends names the reason: the right that is missing, or the CRD.
//   - When Start has returned, no goroutine of the cache is left, and no handler is running.
//
// Each public field of cache.Options has an effect, or New returns an error.
//
// # What it does not do
//
// It is not used if Options.NewInformer is set: then New returns controller-runtime's own cache, and
// ReadYourWrites an error. It does not write to the API server.
package crcache
