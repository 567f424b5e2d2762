package status

import (
	"cmp"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
)

// Advice says what a person can do about an informer that does not follow the server.
type Advice struct {
	// Reason is the Reason of the error, or empty if there is none.
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
	runbook string // the result of Runbook, or empty for the one of Reason
}

// Runbook is the heading of docs/observability.md that explains the reason, as the fragment of a
// URL, such as forbidden. Without an error it is pending, listing, stopped or handler, and for a
// source of scopes that fails, or has set none yet, it is scopes.
func (a Advice) Runbook() string { return cmp.Or(a.runbook, strings.ToLower(string(a.Reason))) }

// String returns the text and the missing rule in one line, for logs.
func (a Advice) String() string { return cmp.Or(a.line, a.Text) }

// Advice returns what to do about the informer. It is about the error of each of its namespaces
// that has one, with one Advice for those that need the same. Without an error it is about an
// informer that was not started, that waits for its first scopes, that has been reading a list for ten
// seconds, or that has stopped.
// After that come the handlers that have been in one call for ten seconds.
func (s *Informer) Advice() (all []Advice) {
	for _, failed := range s.Failures() {
		all = append(all, adviceOn(&failed))
	}
	if len(all) == 0 {
		all = s.adviceOnPhase()
	}
	for i := range s.Stats.Handlers {
		if h := &s.Stats.Handlers[i]; h.Running >= advice.After {
			all = append(all, newAdvice(advice.Handler(h.Name, h.Running, h.Backlog), "handler"))
		}
	}
	return all
}

// adviceOnPhase returns what to do about an informer without an error.
func (s *Informer) adviceOnPhase() []Advice {
	switch phase := s.Status.Phase; phase {
	case Pending:
		return []Advice{newAdvice(advice.Pending(), "pending")}
	case Listing:
		if of := s.Status.Awaits; of != nil {
			return []Advice{newAdvice(advice.NoScopes(of.Status.Resource.GroupResource(), of.Status.Phase == Pending), "scopes")}
		}
		if lasted := time.Since(s.Status.Since); lasted >= advice.After && !s.Status.Since.IsZero() {
			return []Advice{newAdvice(advice.Listing(lasted, s.Stats.Synced, s.Stats.BytesRead), "listing")}
		}
	case Stopped:
		return []Advice{newAdvice(advice.Stopped(), "stopped")}
	}
	return nil
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

// Failures returns why the informer does not follow its server, for the log of package cache: one failure for all
// namespaces that need the same advice.
func (s *Informer) Failures() (all []advice.Failure) {
	type cause struct {
		reason, verb string
		isAll        bool // of all namespaces, which needs other rights
	}
	known := map[cause]int{}
	if failure := s.Status.failure(); failure.IsSource {
		all = append(all, failure)
	}
	for i := range s.Status.Scopes {
		scope := &s.Status.Scopes[i]
		failure := scope.Status.failure()
		if failure.Err == nil {
			continue
		}
		key := cause{failure.Reason, failure.Verb, scope.Status.Reason == Forbidden && scope.Namespace == ""}
		if failure.IsOutage() {
			key.verb = "" // it is the same one
		}
		n, found := known[key]
		if !found {
			n = len(all)
			known[key] = n
			failure.Resource = s.Resource
			all = append(all, failure)
		}
		if in := all[n].Namespaces; len(in) == 0 || in[len(in)-1] != scope.Namespace { // scopes are sorted
			all[n].Namespaces = append(in, scope.Namespace)
		}
	}
	if len(all) == 0 && s.Status.Err != nil {
		failure := s.Status.failure()
		failure.Resource = s.Resource
		if s.Status.Reason != HandlerPanic && s.Status.Reason != Misconfigured { // which are not about one of them
			failure.Namespaces = s.Namespaces
		}
		all = append(all, failure)
	}
	return all
}
