package crcache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// KindStatus is the state of the informers of one kind.
type KindStatus struct {
	GroupVersionKind schema.GroupVersionKind
	Resource         schema.GroupVersionResource
	// Forms are the forms in use: "typed", "unstructured", "metadata".
	Forms []string
	// NotSynced is the reason why reads of the kind wait, or why it has no informer. It is empty
	// if they do not.
	NotSynced string
	// Status is the state of the list and the watch, which serve all forms.
	Status cache.Status
}

// Statuses ranges over the states of all kinds that have an informer, sorted by resource. After
// these come the kinds for which GetInformer has failed in the last 30 seconds, most often
// because the CRD is missing. Only GroupVersionKind and NotSynced are set for them. The kinds
// are those of the moment when the range begins.
func (c *Cache) Statuses() iter.Seq[KindStatus] {
	return func(yield func(KindStatus) bool) {
		for _, e := range c.sortedEntries() {
			if !yield(e.status()) {
				return
			}
		}
		for _, status := range c.absentKinds(time.Now()) {
			if !yield(status) {
				return
			}
		}
	}
}

// absence is why a kind has no informer.
type absence struct {
	err error
	at  time.Time // of the last call of GetInformer
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
	c.absent[gvk] = absence{err, time.Now()}
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
		absent = append(absent, KindStatus{GroupVersionKind: gvk, NotSynced: fmt.Sprintf("there is no informer: %v; is its CRD installed?", a.err)})
	}
	slices.SortFunc(absent, func(a, b KindStatus) int {
		return strings.Compare(a.GroupVersionKind.String(), b.GroupVersionKind.String())
	})
	return absent
}

func (c *Cache) sortedEntries() []*entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries := make([]*entry, 0, len(c.entries))
	for _, e := range c.entries {
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b *entry) int {
		return cmp.Or(strings.Compare(a.resource, b.resource), strings.Compare(a.gvk.String(), b.gvk.String()))
	})
	return entries
}

// status returns the state of an entry.
func (e *entry) status() KindStatus {
	s := KindStatus{
		GroupVersionKind: e.gvk,
		Resource:         e.informer.Resource(),
		Status:           e.informer.Status(),
	}
	e.mu.Lock()
	forms := e.forms
	e.mu.Unlock()
	for _, i := range forms {
		if i != nil {
			s.Forms = append(s.Forms, i.form.String())
			if !i.HasSynced() {
				s.NotSynced = i.reason()
			}
		}
	}
	return s
}

// ReadyChecker returns a check for mgr.AddReadyzCheck. It fails until all informers are synced,
// and the error has the reason for each that is not: which right is missing on which resource,
// or which CRD is not installed. An informer that fails after it has synced does not fail the
// check, because the cache serves its last state; see Statuses.
//
//	err := mgr.AddReadyzCheck("cache", crcache.ReadyChecker(mgr.GetCache()))
//
// If c is not a *Cache, the check fails without a reason until c.WaitForCacheSync returns true.
func ReadyChecker(c ctrlcache.Cache) healthz.Checker {
	own, ok := c.(*Cache)
	if !ok {
		return func(request *http.Request) error { return checkOther(request.Context(), c) }
	}
	return func(*http.Request) error {
		if !isClosed(own.started) {
			return errors.New("the cache is not started")
		}
		var errs []error
		for status := range own.Statuses() {
			if status.NotSynced != "" {
				errs = append(errs, fmt.Errorf("%s is not synced: %s", status.GroupVersionKind.Kind, status.NotSynced))
			}
		}
		return errors.Join(errs...)
	}
}

// otherTimeout is how long a check waits for a cache that has no status.
const otherTimeout = time.Second

// checkOther is the check of a cache of another package.
func checkOther(ctx context.Context, c ctrlcache.Cache) error {
	ctx, cancel := context.WithTimeout(ctx, otherTimeout)
	defer cancel()
	if !c.WaitForCacheSync(ctx) {
		return fmt.Errorf("the cache is not synced; a %T does not say why, so use crcache.New without Options.NewInformer", c)
	}
	return nil
}
