package crcache

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// getReferenced returns an object of WithReferenced. The result is nil if the object does not exist. If the cache does not know, it reads
// the object from the server.
func (c *Cache) getReferenced(ctx context.Context, i *informer, key client.ObjectKey, options []client.GetOption) (cache.Object, error) {
	if key.Name == "" { // as of a reference that is not set: the server refuses such a request
		return nil, nil
	}
	e := i.entry
	found, exists, isKnown := e.informer.Lookup(cache.ObjectName(key))
	if isKnown && e.names.live.isCurrent(key, found, exists) {
		return found, nil
	}
	if c.readsIn(e) {
		if err := c.namespaces.allow(ctx, i, request{verb: "get", key: key}); err != nil {
			return nil, err
		}
	}
	read := e.newObject()
	began := e.names.live.begin()
	err := c.uncached.Get(ctx, key, read, options...)
	e.names.live.end(began, key, read, err, e.informer.Follows)
	c.logLive(e, key, err)
	if err != nil {
		return nil, err
	}
	if e.trim != nil {
		e.trim(read)
	}
	if e.plan.withoutManagedFields {
		read.SetManagedFields(nil)
	}
	if e.plan.transforms {
		return e.transform(read)
	}
	return read, nil
}

// newObject returns an object to read one of the server into. It has the Go type of the cached ones, so that a transform gets what
// it gets of these.
func (e *entry) newObject() client.Object {
	obj := e.object.DeepCopyObject().(client.Object)
	if e.form != typed {
		obj.GetObjectKind().SetGroupVersionKind(e.gvk)
	}
	return obj
}

// live knows the reads from the server of the objects of an entry. The zero value is ready for use.
type live struct {
	// remembered is the length of seen, so that most reads of the cache take no lock.
	remembered atomic.Int64

	mu sync.Mutex // guards the fields below
	// seen has the results of reads of objects that a scope has, until the cache is as late.
	seen  map[client.ObjectKey]state
	limit int // of seen, at which others are dropped
	// events counts the beginnings and ends of reads.
	events uint64

	reads    uint64
	failures map[cache.Reason]uint64
	// forbidden is the last failure for want of a right, unless a later read of that object has succeeded.
	forbidden error
	of        client.ObjectKey
	at, since time.Time
	// logged is when the number of reads was logged last, loggedReads its value then, and loggedError when a failure was logged.
	logged, loggedError time.Time
	loggedReads         uint64
}

// state is the result of a read of an object.
type state struct {
	// version is 0 if there was none, and unclear if two reads at one time have told different states.
	version uint64
	// at is when the read ended, as a number of live.events.
	at uint64
}

const unclear = math.MaxUint64

// isCurrent reports whether the state in the cache is not older than the result of a read.
func (l *live) isCurrent(key client.ObjectKey, obj cache.Object, exists bool) bool {
	if l.remembered.Load() == 0 {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	seen, isSeen := l.seen[key]
	switch {
	case !isSeen:
		return true
	case !exists:
		return seen.version == 0
	case seen.version == 0 || versionOf(obj) < seen.version: // without an object, its version is not known
		return false
	}
	l.forget(key)
	return true
}

// begin counts a read that begins, and returns its number.
func (l *live) begin() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	l.events++
	return l.events
}

// end records the result of a read. follows reports whether a scope has an object now: if none has, the list of a later one begins
// after this, so it cannot be older.
func (l *live) end(began uint64, key client.ObjectKey, obj client.Object, err error, follows func(cache.ObjectName) bool) {
	isKept := (err == nil || apierrors.IsNotFound(err)) && follows(cache.ObjectName(key))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events++
	l.note(key, err)
	if !isKept {
		return
	}
	told := state{at: l.events}
	if err == nil {
		told.version = versionOf(obj)
	}
	if before, isSeen := l.seen[key]; isSeen && began < before.at { // they overlap
		switch {
		case before.version == told.version:
		case before.version == 0 || told.version == 0:
			told.version = unclear
		default:
			told.version = max(told.version, before.version)
		}
	}
	if l.seen == nil {
		l.seen, l.limit = map[client.ObjectKey]state{}, minSeen
	}
	l.seen[key] = told
	if len(l.seen) > l.limit {
		for other := range l.seen {
			if !follows(cache.ObjectName(other)) {
				delete(l.seen, other)
			}
		}
		l.limit = max(minSeen, 2*len(l.seen))
	}
	l.remembered.Store(int64(len(l.seen)))
}

// minSeen is the length of seen up to which nothing is dropped.
const minSeen = 128

// forget drops the results of reads of an object. The mutex is held.
func (l *live) forget(key client.ObjectKey) {
	delete(l.seen, key)
	l.remembered.Store(int64(len(l.seen)))
}

// note counts a failure. The mutex is held.
func (l *live) note(key client.ObjectKey, err error) {
	if l.of == key && !apierrors.IsForbidden(err) {
		l.forbidden = nil
	}
	if err == nil || apierrors.IsNotFound(err) {
		return
	}
	if l.failures == nil {
		l.failures = map[cache.Reason]uint64{}
	}
	l.failures[reasonOf(err)]++
	if apierrors.IsForbidden(err) {
		now := time.Now()
		if l.forbidden == nil {
			l.since = now
		}
		l.forbidden, l.of, l.at = err, key, now
	}
}

// forbiddenTimeout is how long a failure is in the status. A reconciler may retry as seldom as this.
const forbiddenTimeout = 20 * time.Minute

// addTo adds the reads to the state of an informer.
func (l *live) addTo(s *status.Informer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Stats.LiveReads = l.reads
	var failures []status.FailureCount
	for _, reason := range slices.Sorted(maps.Keys(l.failures)) {
		failures = append(failures, status.FailureCount{Verb: "get", Reason: reason, Count: l.failures[reason]})
	}
	s.Stats.Failures = append(failures, s.Stats.Failures...)
	if l.forbidden != nil && s.Status.Phase == status.Watching && time.Since(l.at) < forbiddenTimeout {
		s.Status.Phase, s.Status.Since = status.Degraded, l.since
		s.Status.Err, s.Status.Reason, s.Status.Verb = l.forbidden, status.Forbidden, "get"
	}
}

const (
	// logPeriod is the time between two lines of the log, and manyReads how many reads there have to be for one.
	logPeriod = time.Minute
	manyReads = 60
)

// logLive logs that a read was refused, or that many objects are read that nothing refers to.
func (c *Cache) logLive(e *entry, key client.ObjectKey, err error) {
	if isRefused, many := e.names.live.toLog(time.Now(), err); isRefused {
		c.log.Error(err, "Cannot read an object that is not in the cache, because nothing that is cached refers to it", "kind", e.gvk.Kind, "object", key)
	} else if many > 0 {
		c.log.Info("Many objects are read from the API server, because nothing that is cached refers to them, or they were not listed yet; add what refers to them to crcache.WithReferenced",
			"kind", e.gvk.Kind, "reads", many, "last", key)
	}
}

// toLog reports whether to log a failure, or a number of reads above 0.
func (l *live) toLog(now time.Time, err error) (isRefused bool, many uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if apierrors.IsForbidden(err) && now.Sub(l.loggedError) >= logPeriod {
		l.loggedError = now
		return true, 0
	}
	if now.Sub(l.logged) < logPeriod {
		return false, 0
	}
	if n := l.reads - l.loggedReads; n >= manyReads {
		many = n
	}
	l.logged, l.loggedReads = now, l.reads
	return false, many
}

// versionOf returns the version of an object, or 1 if that is not a number.
func versionOf(obj interface{ GetResourceVersion() string }) uint64 {
	version, err := strconv.ParseUint(obj.GetResourceVersion(), 10, 64)
	if err != nil {
		return 1
	}
	return max(1, version)
}
