package crcache

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// KindStatus is the state of an informer of one kind.
type KindStatus struct {
	GroupVersionKind schema.GroupVersionKind
	// Forms are the forms in which the informer is read: "typed", "unstructured" or "metadata", or
	// "typed" and "metadata". It is empty for a kind that is absent, for one that only the references in its objects are needed
	// of, and for the namespaces of WithNamespacesLabeled.
	Forms []string
	// NotSynced is the reason why reads of the kind wait, or why it has no informer. It is empty
	// if they do not.
	NotSynced string
	// Informer has the state and the counters of the list and the watch. Object is the Go type
	// of the objects. Name is "unstructured" or "metadata" if that is their form, and empty otherwise,
	// so that the series of the metrics differ.
	status.Informer
}

// Kinds ranges over the states of all informers, sorted by resource and form. After these
// come the namespaces of WithNamespacesLabeled, and the absent kinds: those for which GetInformer has failed in the last 30 seconds, most often
// because the CRD is missing. They are Degraded, their Err is that of GetInformer, and their
// Resource is a guess from the kind. The kinds are those of the moment when the range begins.
func (c *Cache) Kinds() iter.Seq[KindStatus] {
	return func(yield func(KindStatus) bool) {
		for _, e := range c.sortedEntries() {
			if !yield(c.status(e)) {
				return
			}
		}
		if n := c.namespaces; n != nil && n.informer != nil && !yield(n.status(c.server)) {
			return
		}
		for _, status := range c.absentKinds(time.Now()) {
			if !yield(status) {
				return
			}
		}
	}
}

// Statuses ranges over the status of each of Kinds, so a *Cache is a status.Source: the
// debug page, the health check and the metrics read it.
func (c *Cache) Statuses() iter.Seq[status.Informer] {
	return func(yield func(status.Informer) bool) {
		for kind := range c.Kinds() {
			if !yield(kind.Informer) {
				return
			}
		}
	}
}

var _ status.Source = (*Cache)(nil)

// absence is why a kind has no informer.
type absence struct {
	err error
	// since is when GetInformer failed first, and at when it failed last.
	since, at time.Time
}

// absenceTimeout is how long a kind counts as absent after a call. A controller whose kind is
// missing calls GetInformer every ten seconds. One call to see whether a CRD is there must not
// fail the readiness check for ever.
const absenceTimeout = 30 * time.Second

// noteAbsent records the result of a call of GetInformer.
func (c *Cache) noteAbsent(gvk schema.GroupVersionKind, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		delete(c.absent, gvk)
		return
	}
	now := time.Now()
	a := absence{err: err, since: now, at: now}
	if before, ok := c.absent[gvk]; ok && now.Sub(before.at) <= absenceTimeout {
		a.since = before.since
	}
	c.absent[gvk] = a
}

// absentKinds returns the states of the kinds that are absent.
func (c *Cache) absentKinds(now time.Time) (absent []KindStatus) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for gvk, a := range c.absent {
		if now.Sub(a.at) > absenceTimeout {
			delete(c.absent, gvk)
			continue
		}
		absent = append(absent, c.absentKind(gvk, a))
	}
	slices.SortFunc(absent, func(a, b KindStatus) int {
		return strings.Compare(a.GroupVersionKind.String(), b.GroupVersionKind.String())
	})
	return absent
}

func (c *Cache) absentKind(gvk schema.GroupVersionKind, a absence) KindStatus {
	s := KindStatus{GroupVersionKind: gvk}
	// No one but the server knows the resource of a kind for certain.
	resource, _ := meta.UnsafeGuessKindToResource(gvk)
	s.Informer = status.Informer{
		Resource: resource,
		Kind:     gvk.Kind,
		Server:   c.server,
		Status:   cache.Status{Phase: status.Degraded, Since: a.since, Err: a.err, Reason: reasonOf(a.err)},
	}
	s.NotSynced = "there is no informer: " + s.Informer.String()
	return s
}

// reasonOf returns the reason of an error of informerOf: of the mapper, which asks the server for its
// kinds, or of the scheme and the options.
func reasonOf(err error) cache.Reason {
	answer, transport := apierrors.APIStatus(nil), (*url.Error)(nil)
	switch {
	case meta.IsNoMatchError(err), apierrors.IsNotFound(err):
		return status.NotFound
	case apierrors.IsForbidden(err):
		return status.Forbidden
	case apierrors.IsUnauthorized(err):
		return status.Unauthorized
	case apierrors.IsTooManyRequests(err):
		return status.TooManyRequests
	case errors.As(err, &answer):
		if answer.Status().Code >= http.StatusInternalServerError {
			return status.ServerError
		}
		return status.Refused
	case errors.As(err, &transport):
		return status.Unreachable
	}
	return status.Misconfigured
}

func (c *Cache) sortedEntries() []*entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries := make([]*entry, 0, len(c.entries))
	for _, e := range c.entries {
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b *entry) int {
		return cmp.Or(strings.Compare(a.resource, b.resource), strings.Compare(a.gvk.String(), b.gvk.String()), cmp.Compare(a.form, b.form))
	})
	return entries
}

// status returns the state of an entry.
func (c *Cache) status(e *entry) KindStatus {
	s := KindStatus{GroupVersionKind: e.gvk}
	for s.Informer = range e.informer.Statuses() {
	}
	s.Server = c.server
	for n := range s.Stats.Indexes {
		s.Stats.Indexes[n].Name = shownIndex(s.Stats.Indexes[n].Name)
	}
	s.Object = fmt.Sprintf("%T", e.object)
	if !s.Stats.WasSynced { // a scope that is added later does not matter
		s.NotSynced = e.reason()
	}
	if e.names != nil {
		e.names.live.addTo(&s.Informer)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for f, i := range e.readers {
		if i != nil {
			s.Forms = append(s.Forms, form(f).String())
		}
	}
	return s
}

// status returns the state of the informer of WithNamespacesLabeled.
func (n *namespaces) status(server string) KindStatus {
	s := KindStatus{GroupVersionKind: namespaceKind}
	for s.Informer = range n.informer.Statuses() {
	}
	s.Server, s.NotSynced = server, n.informer.NotSyncedReason()
	return s
}

// shownIndex returns the name of an index of the store as its users know it, with the form: "typed
// field:spec.nodeName". The number of an informer in its prefix would be another one each time that
// the informer is removed and added again.
func shownIndex(name string) string {
	field := ""
	if rest, ok := strings.CutPrefix(name, fieldPrefix); ok {
		field, name = fieldPrefix, rest
	}
	form, rest, ok := strings.Cut(name, "#")
	if !ok {
		return field + name // that by namespace
	}
	_, own, _ := strings.Cut(rest, ":")
	return form + " " + field + strings.TrimPrefix(own, "/")
}
