package status

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
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Status is the state of an informer, since when, and why.
type Status struct {
	Phase Phase
	// Since is when Phase was entered.
	Since time.Time
	// Resource is the resource that the informer follows. It is empty if it is not known.
	Resource schema.GroupVersionResource
	// ResourceVersion is the last one read from the server. The cache may be a
	// batch behind it.
	ResourceVersion string
	// Objects is the number of objects in the cache.
	Objects int
	// PendingWrites is the number of writes of this program, at most 10,000 for each of Scopes,
	// that the cache shows and that the watch has not confirmed yet; see cache.WithReadYourWrites.
	PendingWrites int
	// LateWrites is the number of writes that came when so many were pending. The cache shows such a write when the watch
	// reports it.
	LateWrites int
	// Unconfirmed is the number of versions that the server has reported, in the response to a write or in a watch, and
	// that the watch did not confirm: it passed them without the object, or two bookmarks in two minutes were below
	// them. The cache shows the state of the watch and lists instead. Such a version is of another server, of before a restore, or
	// forged. LastUnconfirmed is the last one.
	Unconfirmed     int
	LastUnconfirmed UnconfirmedVersion
	// Err is the last error, and Reason its kind. Both are zero once the informer makes
	// progress again.
	Err    error
	Reason Reason
	// Verb is the request that failed with Err, "list" or "watch", or "get" for Stats.LiveReads. It is empty for other errors.
	Verb string
	// NextAttempt is the latest time at which the failed request will be retried. It is
	// zero while a request is under way.
	NextAttempt time.Time
	// Undecodable are the objects whose state on the server cannot be decoded, sorted by
	// name; see cache.WithSkipUndecodable. The cache has the last state of each that
	// could be decoded, if there was one. Only 256 of each of Scopes have a Path, Near and
	// reason.
	Undecodable []*wire.DecodeError
	// Scopes has the state of each scope, sorted, if the informer follows several, or they may
	// change; see WithNamespaces and SetScopes of package cache. Phase is the worst of theirs then, and ResourceVersion the earliest.
	Scopes []Scope
	// Awaits is set while the informer waits for its first scopes. If they come from another informer, by cache.FollowScopes, it
	// has the reason why that one is not synced. Otherwise it is empty.
	Awaits *NotSynced
}

// Scope is the state of one of the scopes that an informer follows.
type Scope struct {
	// Name names the scope in errors, such as "namespace team-a" or "other namespaces (labels app=web)".
	Name string
	// Namespace is empty for all namespaces.
	Namespace string
	// Scope is the String of the cache.Scope if it is not the only one with this Namespace, or has all other namespaces.
	Scope string
	// Status has neither Objects nor Scopes.
	Status Status
}

// NotSynced is an informer, or a handler of it, that is not synced.
type NotSynced struct {
	// Handler is the name of the handler: the one given by WithHandlerName, or its Go type. It is
	// empty for an informer.
	Handler string
	// Reason is the result of NotSyncedReason.
	Reason string
	// Status is the state of the informer when the wait ended. It is empty for a cache.Syncer of another package.
	Status Status
}

// UnconfirmedVersion is a version that the watch did not confirm.
type UnconfirmedVersion struct {
	// Namespace and Name identify the object that was written, or that the event is about. They are empty for a bookmark.
	Namespace, Name string
	// ResourceVersion is empty for a delete.
	ResourceVersion string
	// At is when the informer noticed it.
	At time.Time
}

func (u UnconfirmedVersion) String() string {
	text := "a bookmark"
	if u.Name != "" {
		text = named(u.Namespace, u.Name)
	}
	if u.ResourceVersion == "" {
		return "the delete of " + text
	}
	return text + " at " + printable.Version(u.ResourceVersion)
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
	if s.Awaits != nil {
		text, next = text+next+s.awaits(), "; "
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
		return " in " + s.Scopes[one].Name
	}
	return fmt.Sprintf(" in %d of %s", n, human.Plural(len(s.Scopes), noun))
}

// awaits says in words why the first scopes are not set yet.
func (s *Status) awaits() string {
	if reason := s.Awaits.Reason; reason != "" {
		return "its scopes come from an informer that is not synced: " + reason
	}
	return "SetScopes was not called yet"
}

// failure returns the failure with Err.
func (s *Status) failure() advice.Failure {
	f := advice.Failure{Reason: string(s.Reason), Verb: s.Verb, Resource: s.Resource, Err: s.Err}
	if failed := (*ScopesError)(nil); errors.As(s.Err, &failed) {
		f.IsSource, f.Resource = true, schema.GroupVersionResource{}
		if source := (*advice.SourceError)(nil); errors.As(failed, &source) {
			f.Verb, f.Resource, f.Namespaces = source.Verb, source.Resource, source.Namespaces
		}
	}
	return f
}

// SortUndecodable sorts Undecodable.
func (s *Status) SortUndecodable() {
	slices.SortFunc(s.Undecodable, func(a, b *wire.DecodeError) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
}

// SameState reports whether two Statuses have the same Phase, Reason and text of the error, and so have their Scopes: the
// function of WithStatusHandler is called for a change of these.
func SameState(a, b Status) bool {
	sameScope := func(a, b Scope) bool { return SameState(a.Status, b.Status) }
	return a.Phase == b.Phase && a.Reason == b.Reason && textOf(a.Err) == textOf(b.Err) && slices.EqualFunc(a.Scopes, b.Scopes, sameScope)
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
