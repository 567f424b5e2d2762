package cache

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

var (
	// ErrStopped is wrapped if a handler is added to an informer that has stopped. It is
	// also the cause if WaitForCacheSync waits for such an informer. Reads of the cache return
	// it after Stop or the last Release, which empty the cache: then an object that is missing
	// was not deleted.
	ErrStopped = errors.New("informer has stopped")
	// ErrNoIndex is wrapped by reads of an index that was never added, or was removed.
	ErrNoIndex = indexer.ErrNoIndex
)

// DecodeError names an object that cannot be decoded, the path in it, and the reason.
type DecodeError = wire.DecodeError

// OptionError is a mistake in the options of a factory or an informer.
type OptionError struct {
	// Option is the name of the function, such as WithNamespaces.
	Option string
	// Object is the Go type of the kind, such as *v1.Foo. It is empty for all kinds of a factory.
	Object string
	Err    error
}

// Error names the option and the kind, and says what to write instead.
func (e *OptionError) Error() string {
	if e.Object == "" {
		return fmt.Sprintf("cache.%s: %v", e.Option, e.Err)
	}
	return fmt.Sprintf("cache.%s for %s: %v", e.Option, e.Object, e.Err)
}

// Unwrap returns the reason.
func (e *OptionError) Unwrap() error { return e.Err }

// ObjectError is an error about one object that was read from the server, but cannot be
// stored in the cache.
type ObjectError struct {
	Resource schema.GroupVersionResource
	Object   ObjectName
	Err      error
}

// Error names the resource, the object and the reason.
func (e *ObjectError) Error() string {
	return fmt.Sprintf("%s %s: %v", e.Resource.GroupResource(), printable.Text(e.Object.String()), e.Err)
}

// Unwrap returns the reason.
func (e *ObjectError) Unwrap() error { return e.Err }

// Is makes the error match protocol.ErrObject.
func (e *ObjectError) Is(target error) bool { return target == protocol.ErrObject }

// HandlerPanicError reports a handler or a hook that panicked, or that ended its goroutine.
type HandlerPanicError struct {
	// Handler is its name: that of WithHandlerName, or its Go type. A hook has the name of
	// its type, such as StatusHandler.
	Handler string
	// Object is the name of the object that the handler was called with. It is empty for a
	// hook.
	Object ObjectName
	// Value is the value of the panic as text. Stack is the stack of the handler.
	Value string
	Stack []byte
	// Exited is set if the handler did not panic, but called runtime.Goexit, as t.Fatal
	// of a test does. Value is empty then.
	Exited bool
}

// Error names the handler, the object and the value.
func (e *HandlerPanicError) Error() string {
	object := ""
	if e.Object != (ObjectName{}) {
		object = " on " + printable.Text(e.Object.String())
	}
	if e.Exited {
		return fmt.Sprintf("handler %s called runtime.Goexit%s", e.Handler, object)
	}
	return fmt.Sprintf("handler %s panicked%s: %s", e.Handler, object, e.Value)
}

// NotSyncedError is returned by WaitForCacheSync when its context ended first, or
// when something that it waited for stopped.
type NotSyncedError struct {
	// Waiting has an entry for each informer and each handler that is not synced. A
	// handler whose informer is not synced has none.
	Waiting []NotSynced
	// Cause is the reason why the wait ended: context.Cause of the context, or ErrStopped.
	Cause error
}

// NotSynced is an informer, or a handler of it, that is not synced.
type NotSynced struct {
	// Resource is the one of the informer. Only Reason is set for a Syncer of another
	// package.
	Resource schema.GroupVersionResource
	// Handler is the name of the handler: that of WithHandlerName, or its Go type. It is
	// empty for an informer.
	Handler string
	// Reason is the result of NotSyncedReason.
	Reason string
	// Status is that of the informer when the wait ended.
	Status Status
}

// Error returns a line for each entry of Waiting, with its Reason.
func (e *NotSyncedError) Error() string {
	text := fmt.Sprintf("not synced (%v):", e.Cause)
	for _, w := range e.Waiting {
		text += "\n\t" + w.Reason
	}
	return text
}

// Unwrap returns Cause.
func (e *NotSyncedError) Unwrap() error { return e.Cause }

// ScopeSourceError is the Err of a Status while the ScopeSource of the informer fails, or has set
// invalid scopes. The informer keeps its scopes.
type ScopeSourceError struct {
	// Err is the error that the source returned, or the error that set returned to the source.
	Err error
}

// Error returns the text of Err after "scopes: ".
func (e *ScopeSourceError) Error() string { return "scopes: " + e.Err.Error() }

// Unwrap returns Err.
func (e *ScopeSourceError) Unwrap() error { return e.Err }

// Advice says what a person can do about an informer that does not follow the server.
type Advice struct {
	// Reason is that of the error, or empty if there is none.
	Reason Reason
	// Namespaces are the namespaces to follow the advice in, sorted, each once; nil for all.
	// An empty name stands for all namespaces too: an informer may follow both all namespaces and some
	// by name.
	Namespaces []string
	// Text says in a few sentences what to do. It has no text of an object.
	Text string
	// Manifest is a part of a YAML manifest that does it, such as the missing rule of a Role, or
	// empty.
	Manifest string
	// Check is a shell command that shows whether the cause is gone, such as one of kubectl, or
	// empty.
	Check string

	line    string // the text and the missing rule
	runbook string // the result of Runbook, unless it is that of Reason
}

// Runbook is the heading of docs/observability.md that explains the reason, as the fragment of a
// URL, such as forbidden. Without an error it is pending, listing, stopped or handler, and for a
// source of scopes that fails, or has set none yet, it is scopes.
func (a Advice) Runbook() string { return cmp.Or(a.runbook, strings.ToLower(string(a.Reason))) }

// String returns the text and the missing rule in one line, for logs.
func (a Advice) String() string { return cmp.Or(a.line, a.Text) }

// Advice returns what to do about the informer. It is about the error of each of its namespaces
// that has one, with one Advice for those that need the same. Without an error it is about an
// informer that was not started, that waits for the scopes of its ScopeSource, that has been reading a list for ten
// seconds, or that has stopped.
// After that come the handlers that have been in one call for ten seconds.
func (s *InformerStatus) Advice() (all []Advice) {
	for _, failed := range failuresOf(&s.Status, s.Resource, s.Namespaces) {
		all = append(all, adviceOn(&failed))
	}
	if len(all) == 0 {
		all = s.adviceOnPhase()
	}
	for i := range s.Stats.Handlers {
		if h := &s.Stats.Handlers[i]; h.Running >= outage.After {
			all = append(all, newAdvice(advice.Handler(h.Name, h.Running, h.Backlog), "handler"))
		}
	}
	return all
}

// adviceOnPhase returns what to do about an informer without an error.
func (s *InformerStatus) adviceOnPhase() []Advice {
	switch phase := s.Status.Phase; phase {
	case Pending:
		return []Advice{newAdvice(advice.Pending(), "pending")}
	case Listing:
		if awaits := s.Status.awaits; awaits != nil {
			return []Advice{newAdvice(awaits.advice, "scopes")}
		}
		if lasted := time.Since(s.Status.Since); lasted >= outage.After && !s.Status.Since.IsZero() {
			return []Advice{newAdvice(adviceOnListing(lasted, &s.Stats), "listing")}
		}
	case Stopped:
		return []Advice{newAdvice(advice.Stopped(), "stopped")}
	}
	return nil
}

func adviceOnListing(lasted time.Duration, stats *Stats) advice.Advice {
	if stats.Synced {
		return advice.Listing(lasted, -1)
	}
	return advice.Listing(lasted, stats.BytesRead)
}

func newAdvice(a advice.Advice, runbook string) Advice {
	return Advice{Text: a.Text, Manifest: a.Manifest, Check: a.Check, line: a.Line(), runbook: runbook}
}

func adviceOn(failed *advice.Failure) Advice {
	runbook := ""
	if failed.IsSource {
		runbook = "scopes"
	}
	a := newAdvice(advice.Of(*failed), runbook)
	a.Reason, a.Namespaces = Reason(failed.Reason), failed.Namespaces
	return a
}

// failuresOf returns the failures of an informer that is limited to namespaces, or to none if they
// are nil. It returns one for all namespaces that need the same.
func failuresOf(status *Status, resource schema.GroupVersionResource, namespaces []string) (all []advice.Failure) {
	type cause struct {
		reason Reason
		verb   string
		isAll  bool // of all namespaces, which needs other rights
	}
	known := map[cause]int{}
	if failure := status.failure(); failure.IsSource {
		all = append(all, failure)
	}
	for i := range status.Scopes {
		scope, s := &status.Scopes[i], &status.Scopes[i].Status
		if s.Err == nil {
			continue
		}
		key := cause{s.Reason, s.Verb, s.Reason == Forbidden && scope.Namespace == ""}
		if failure := s.failure(); failure.IsOutage() {
			key.verb = "" // it is the same one
		}
		n, found := known[key]
		if !found {
			n = len(all)
			known[key] = n
			all = append(all, advice.Failure{Reason: string(s.Reason), Verb: s.Verb, Resource: resource, Err: s.Err})
		}
		if in := all[n].Namespaces; len(in) == 0 || in[len(in)-1] != scope.Namespace { // scopes are sorted
			all[n].Namespaces = append(in, scope.Namespace)
		}
	}
	if len(all) == 0 && status.Err != nil {
		if status.Reason == HandlerPanic || status.Reason == Misconfigured {
			namespaces = nil // it is not about one of them
		}
		all = append(all, advice.Failure{Reason: string(status.Reason), Verb: status.Verb, Resource: resource, Namespaces: namespaces, Err: status.Err})
	}
	return all
}

// observedInformer is an informer as its log of outages reads it.
type observedInformer struct{ *informer }

// Failures returns the failures of lists and watches. It leaves out a handler that has panicked.
func (s observedInformer) Failures() []advice.Failure {
	status := s.statusOfAll()
	return failuresOf(&status, s.config.Resource, s.namespaces())
}

// About returns what to say of a list that takes long, or of scopes that are not set.
func (s observedInformer) About(lasted time.Duration) advice.Advice {
	if awaits := s.statusOfAll().awaits; awaits != nil {
		return awaits.advice
	}
	return adviceOnListing(lasted, &Stats{Synced: s.HasSynced(), BytesRead: s.counters.Bytes.Load()})
}

// Logger returns that of Run, with the name of the collection.
func (s observedInformer) Logger() klog.Logger {
	return klog.FromContext(s.panics.ctx).WithValues("resource", s.name())
}

// LateHandlers returns the handlers that have not returned from their initial list.
func (s observedInformer) LateHandlers() (late []outage.Handler) {
	for _, l := range s.processor.Listeners() {
		if !l.Lists().Has(s.mark()) {
			late = append(late, outage.Handler{ID: l, Name: l.Name(), Backlog: l.Backlog()})
		}
	}
	return late
}

// observedReflector is a Reflector without a Controller as its log of outages reads it.
type observedReflector struct {
	*storeReflector
	logger klog.Logger
}

func (r observedReflector) Failures() []advice.Failure {
	status := r.Status()
	return failuresOf(&status, r.config.Resource, namespacesOf(r.config))
}

// namespacesOf returns the namespace that a Config is limited to; nil for all.
func namespacesOf(c *config) []string {
	if c.Namespace == "" {
		return nil
	}
	return []string{c.Namespace}
}

func (r observedReflector) About(lasted time.Duration) advice.Advice {
	return adviceOnListing(lasted, &Stats{Synced: r.Status().ResourceVersion != "", BytesRead: r.traffic.Bytes.Load()})
}

func (r observedReflector) Logger() klog.Logger { return r.logger }

func (r observedReflector) LateHandlers() []outage.Handler { return nil }
