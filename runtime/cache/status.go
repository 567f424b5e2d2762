package cache

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
)

// Phase is the stage of an informer.
type Phase string

const (
	// Pending: it has not been started.
	Pending Phase = progress.Pending
	// Listing: it is reading the collection, or waiting for the answer to its first
	// watch, or for the first SetScopes.
	Listing Phase = progress.Listing
	// Watching: the cache follows the server. A watch is open, or it ended without a failure
	// of the server, which has two seconds to answer the next one.
	Watching Phase = progress.Watching
	// Degraded: the last request failed and will be retried. The cache keeps the
	// objects that it had before.
	Degraded Phase = progress.Degraded
	// Stopped: Run has ended.
	Stopped Phase = progress.Stopped
)

// Reason is why an informer is degraded.
type Reason string

// reasonOf returns the reason of an error, by what can be done about it.
func reasonOf(err error) Reason {
	if mistake := (*OptionError)(nil); errors.As(err, &mistake) {
		return Misconfigured
	}
	return Reason(protocol.ReasonOf(err))
}

const (
	// Forbidden: the right to list or watch is missing.
	Forbidden Reason = protocol.Forbidden
	// Unauthorized: the server does not accept the credentials.
	Unauthorized Reason = protocol.Unauthorized
	// NotFound: the server does not serve the resource. Its CRD is not installed yet, or was deleted. Or the
	// resource is a part of Kubernetes, and the server is too old or too new for its version, or is no API server.
	NotFound Reason = protocol.NotFound
	// Expired: the server has forgotten the resourceVersion (410 Gone).
	Expired Reason = protocol.Expired
	// TooManyRequests: the server asks to slow down (429).
	TooManyRequests Reason = protocol.TooManyRequests
	// ServerError: the server failed (5xx), or is not ready to answer.
	ServerError Reason = protocol.ServerError
	// Refused: the server rejects the request, for example because of its selector.
	Refused Reason = protocol.Refused
	// Redirected: the server redirects to another host. The informer does not follow,
	// because it would send that host the credentials; see package redirect.
	Redirected Reason = protocol.Redirected
	// Decode: an object or a whole answer could not be read or transformed.
	Decode Reason = protocol.Decode
	// ClosedEarly: watches end normally as soon as they are open. Lists refresh the cache meanwhile. Over a typed client
	// they may have been cut off, which client-go does not report.
	ClosedEarly Reason = protocol.ClosedEarly
	// NoBookmark: a streaming list stalled, or the server ended it, before all of it had come. The informer lists
	// without a stream then.
	NoBookmark Reason = protocol.NoBookmark
	// HandlerPanic: a handler has panicked, or called runtime.Goexit, and continues; see
	// WithHandlerPanicRecovery.
	HandlerPanic Reason = "HandlerPanic"
	// Misconfigured: the options of the informer have a mistake, so it never runs; see
	// OptionError.
	Misconfigured Reason = "Misconfigured"
	// Unreachable: the server did not answer, or the connection was cut.
	Unreachable Reason = protocol.Unreachable
	// Unconfirmed is the cause of a relist of a scope after the watch has not confirmed a version. A Status never has
	// it, but counts such versions; see Status.Unconfirmed.
	Unconfirmed Reason = reflector.Unconfirmed
)

// Status is the state of an informer, since when, and why.
type Status struct {
	Phase Phase
	// Since is when Phase was entered.
	Since time.Time
	// ResourceVersion is the last one read from the server. The cache may be a
	// batch behind it.
	ResourceVersion string
	// Objects is the number of objects in the cache.
	Objects int
	// PendingWrites is the number of writes of this program, at most 10,000 for each of Scopes,
	// that the cache shows and that the watch has not confirmed yet; see ReadYourWrites.
	PendingWrites int
	// LateWrites is the number of writes that came when so many were pending. The cache shows such a write when the watch
	// reports it.
	LateWrites int
	// Unconfirmed is the number of versions that the server has told, in the response to a write or in a watch, and
	// that the watch did not confirm: it passed them without the object, or two bookmarks in two minutes were below
	// them. The cache shows what the watch and lists tell instead. Such a version is of another server, of before a restore, or
	// forged. LastUnconfirmed is the last one.
	Unconfirmed     int
	LastUnconfirmed UnconfirmedVersion
	// Err is the last error, and Reason its kind. Both are zero once the informer makes
	// progress again.
	Err    error
	Reason Reason
	// Verb is the request that failed with Err, "list" or "watch". It is empty for other errors.
	Verb string
	// NextAttempt is the latest time at which the failed request will be retried. It is
	// zero while a request is under way.
	NextAttempt time.Time
	// Undecodable are the objects whose state on the server cannot be decoded, sorted by
	// name; see WithSkipUndecodable. The cache has the last state of each that
	// could be decoded, if there was one. Only 256 of each of Scopes have a Path, Near and
	// reason.
	Undecodable []*DecodeError
	// Scopes has the state of each scope, sorted, if the informer follows several, or they may
	// change; see WithNamespaces and SetScopes. Phase is the worst of theirs then, and ResourceVersion the earliest.
	Scopes []ScopeStatus

	resource schema.GroupVersionResource // of the informer, if it is known
	awaits   *awaitedScopes              // nil unless SetScopes has set none yet
}

// UnconfirmedVersion is a version that the watch did not confirm.
type UnconfirmedVersion struct {
	// Object is that of the write, or of the event. It is zero for a bookmark.
	Object ObjectName
	// ResourceVersion is empty for a delete.
	ResourceVersion string
	// At is when the informer noticed it.
	At time.Time
}

func (u UnconfirmedVersion) String() string {
	text := "a bookmark"
	if u.Object != (ObjectName{}) {
		text = printable.Text(u.Object.String())
	}
	if u.ResourceVersion == "" {
		return "the delete of " + text
	}
	return text + " at " + printable.Version(u.ResourceVersion)
}

// failure returns the failure with Err.
func (s *Status) failure() advice.Failure {
	f := advice.Failure{Reason: string(s.Reason), Verb: s.Verb, Resource: s.resource, Err: s.Err}
	if failed := (*ScopesError)(nil); errors.As(s.Err, &failed) {
		f.IsSource, f.Resource = true, schema.GroupVersionResource{}
		if source := (*followedError)(nil); errors.As(failed, &source) {
			f.Verb, f.Resource, f.Namespaces = source.verb, source.resource, source.namespaces
		}
	}
	return f
}

// String returns the status in one line, for logs and errors:
//
//	Watching for 5m: 312 objects at version 4711
//	Degraded for 12s (Forbidden: list: …; it needs the rights to list and to watch); next attempt at 2026-01-02T15:04:05Z; 312 objects at version 4711
//
// The duration is the time since Since when String is called. There are no objects before
// the first list. If some of several namespaces are in the phase, it is followed by their number,
// or by the name of the only one.
func (s Status) String() string {
	text := string(s.Phase)
	if !s.Since.IsZero() {
		text += " for " + duration.HumanDuration(time.Since(s.Since))
	}
	text += s.where()
	next := ": "
	if s.Phase == Pending {
		text, next = text+" (not started)", "; "
	}
	if s.awaits != nil {
		text, next = text+next+s.awaits.text, "; "
	}
	if s.Err != nil {
		text, next = text+fmt.Sprintf(" (%s: %v%s)", s.Reason, s.Err, advice.Brief(s.failure())), "; "
		if !s.NextAttempt.IsZero() {
			text += "; next attempt at " + s.NextAttempt.UTC().Format(time.RFC3339)
		}
	}
	switch {
	case s.ResourceVersion != "":
		text += next + human.Plural(s.Objects, "object") + " at version " + printable.Version(s.ResourceVersion)
	case s.Objects > 0: // one of several namespaces is not listed yet
		text += next + human.Plural(s.Objects, "object")
	}
	if s.PendingWrites > 0 {
		text += "; " + human.Plural(s.PendingWrites, "own write") + " not confirmed by the watch"
	}
	if s.LateWrites > 0 {
		text += "; " + human.Plural(s.LateWrites, "own write") + " left to the watch, because too many were not confirmed"
	}
	if s.Unconfirmed > 0 {
		text += fmt.Sprintf("; %s not confirmed, the last: %v", human.Plural(s.Unconfirmed, "version"), s.LastUnconfirmed)
	}
	if n := len(s.Undecodable); n > 0 {
		text += fmt.Sprintf("; %d undecodable, the first: %v", n, s.Undecodable[0])
	}
	return text
}

// ScopeStatus is the state of one of the scopes that an informer follows.
type ScopeStatus struct {
	// Namespace is empty for all namespaces.
	Namespace string
	// Status has neither Objects nor Scopes.
	Status Status
	// Scope is the String of the Scope if it is not the only one with this Namespace, or has all other namespaces.
	Scope string

	title string // of the scope in errors, or empty
}

// name names the scope in errors.
func (s *ScopeStatus) name() string { return cmp.Or(s.title, Scope{Namespace: s.Namespace}.name()) }

// rank orders phases. That of several Reflectors is the one of the highest rank: all have to be
// Watching. They end together, so one that is Stopped counts for all.
var rank = map[Phase]int{Watching: 1, Pending: 2, Listing: 3, Degraded: 4, Stopped: 5}

// joined returns the state of several scopes as one: the state of the worst, with its
// error. The ResourceVersion is the earliest. choice, if it is not nil, is the state of the choice of the
// scopes. Its error comes first, unless it is of an outage that a scope has too.
func joined(scopes []ScopeStatus, choice *Status) Status {
	all := Status{Phase: Watching}
	if choice != nil {
		all = *choice
	}
	if len(scopes) == 0 {
		return all
	}
	worst := slices.MaxFunc(scopes, func(a, b ScopeStatus) int { return cmp.Compare(rank[a.Status.Phase], rank[b.Status.Phase]) })
	if choice == nil || rank[worst.Status.Phase] >= rank[choice.Phase] {
		all.Phase, all.Since = worst.Status.Phase, worst.Status.Since
	}
	all.ResourceVersion = worst.Status.ResourceVersion
	all.Scopes = scopes
	failed := &worst
	untilLast := all.Phase == Watching || all.Phase == Stopped
	for i := range scopes {
		s := &scopes[i].Status
		if s.Phase == all.Phase && s.Since.Before(all.Since) != untilLast {
			all.Since = s.Since
		}
		if failed.Status.Err == nil {
			failed = &scopes[i]
		}
		if next := s.NextAttempt; !next.IsZero() && (all.NextAttempt.IsZero() || next.Before(all.NextAttempt)) {
			all.NextAttempt = next
		}
		all.ResourceVersion = protocol.Earlier(all.ResourceVersion, s.ResourceVersion)
		all.Undecodable = append(all.Undecodable, s.Undecodable...)
		all.Unconfirmed += s.Unconfirmed
		if s.LastUnconfirmed.At.After(all.LastUnconfirmed.At) {
			all.LastUnconfirmed = s.LastUnconfirmed
		}
	}
	if outage := outageOf(scopes); outage != nil && isOutageOfSource(&all) {
		failed, all.Err = outage, nil
	}
	if err := failed.Status.Err; err != nil && all.Err == nil {
		all.Err, all.Reason = fmt.Errorf("%s: %w", failed.name(), err), failed.Status.Reason
		all.Verb = failed.Status.Verb
	}
	return all
}

func sortUndecodable(all []*DecodeError) {
	slices.SortFunc(all, func(a, b *DecodeError) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
}

// outageOf returns the first scope that fails because the server does, or nil.
func outageOf(scopes []ScopeStatus) *ScopeStatus {
	for i := range scopes {
		if failure := scopes[i].Status.failure(); failure.IsOutage() {
			return &scopes[i]
		}
	}
	return nil
}

// isOutageOfSource reports whether an informer has an error because the server fails the informer whose
// objects are its scopes. What sets the scopes is not to blame for that.
func isOutageOfSource(s *Status) bool {
	failure := s.failure()
	return failure.IsSource && failure.Resource.Resource != "" && failure.IsOutage()
}

// where returns the scopes that are in the phase of s, unless all are.
func (s *Status) where() string {
	n, noun, one := 0, "namespace", 0
	for i := range s.Scopes {
		scope := &s.Scopes[i]
		if scope.Status.Phase == s.Phase {
			n, one = n+1, i
		}
		if scope.Scope != "" || scope.Namespace == "" {
			noun = "scope"
		}
	}
	switch n {
	case 0, len(s.Scopes):
		return ""
	case 1:
		return " in " + s.Scopes[one].name()
	}
	return fmt.Sprintf(" in %d of %s", n, human.Plural(len(s.Scopes), noun))
}

// statusOf returns the Status of a state of progress.
func statusOf(s progress.State) Status {
	return Status{
		Phase: Phase(s.Phase), Since: s.Since, NextAttempt: s.NextAttempt,
		Err: s.Err, Reason: Reason(s.Reason), Verb: s.Verb,
	}
}

func failureOf(verb string, err error) progress.Failure {
	return progress.Failure{Verb: verb, Reason: string(reasonOf(err)), Err: err}
}

// awaitedScopes is what an informer waits for whose scopes are not set yet.
type awaitedScopes struct {
	text   string
	advice advice.Advice
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
