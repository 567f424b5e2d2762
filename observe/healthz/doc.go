// Package healthz reports whether the informers of a program are ready, for the probes of the
// kubelet and for the person who reads why they are not.
//
//	mux.Handle("/readyz", healthz.Handler(factory))
//
// In a manager of controller-runtime:
//
//	err := mgr.AddReadyzCheck("informers", healthz.Readiness(factory))
//
// # What is ready
//
// An informer is ready when its cache holds the first list and each of its handlers has returned
// from the last event of that list. It stays ready when it fails later: the cache keeps its last
// state, and the program can answer from it. An API server that is away for a minute, or a right
// that is taken from a service account, fails all replicas at one time. If they all became unready,
// a Service would have no endpoints, and webhooks and APIs that could still answer would be down
// too, while no restart and no other replica would help. So the page and the metrics report a
// failure after the first list, and not the probe. A program for which stale answers are worse than
// no answers sets WithDegradedLimit or WithStalenessLimit. An informer that has stopped is never ready.
//
// The same holds for scopes. The first list is the list of all scopes that the informer had when it was
// started, or which SetScopes set first. A scope that is added later does not make it unready,
// for example a namespace that someone labels and in which the program has no rights. A replica that starts after that is not ready.
//
// A handler that has panicked and continues does not change readiness, because the cache follows the
// server.
//
// A source without informers is ready, because a program may make them later, for example when it
// becomes the leader. An informer that exists and was not started is not ready.
//
// Use the result for a readiness probe, or a startup probe. It must not be a liveness probe: a
// restart gives no right, installs no CRD, and drops the cache.
//
// # What it costs
//
// A check reads counters. It calls no server and waits for no handler. No informer waits for
// it, however slow the client reads.
package healthz
