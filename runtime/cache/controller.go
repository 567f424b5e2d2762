package cache

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/hook"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// controller runs Reflectors and passes what they read, in batches, to one function.
type controller struct {
	set scopeSet
	// config is that of the informer. It is a part of first if that is not nil: a Config is large.
	config   *config
	first    *reflector
	kind     string // of the objects; empty if it is not known
	queue    *deltafifo.Queue[deltafifo.Delta]
	counters *traffic // of all Reflectors
	// process returns false if ctx ended before it had processed the whole batch.
	process func(context.Context, []deltafifo.Delta) (done bool)
	panics  handlerPanics
	hooks   *hook.Hooks[Status]
	outages outage.Log
	atEnd   func() // called at the end of run, if it is not nil
	// objects returns the number of cached objects, if it is not nil.
	objects func() int
	// afterBatch is called when a batch was processed, and reached when a watch has reached a version;
	// see Reflector.reached. Both may be nil.
	afterBatch func()
	reached    func(isDelta bool)
	// tasks run as long as the Reflectors do. The mutex of set guards them.
	tasks []func(context.Context)
	// observers are called when the Status changes.
	observers hook.Observers

	// observe adds what it knows to the result of stats, if it is not nil.
	observe func(all *Stats, now stats.Stamp)

	processing, toCache stats.Histogram // see Stats
	// cached is when the cache had the batch, if process has read the clock. Only the goroutine
	// of Run uses it.
	cached stats.Stamp

	released atomic.Bool   // no one waits for it any more
	started  atomic.Int32  // neverRun, hasRun or isRetired
	id       uint64        // InformerStatus.ID
	began    atomic.Uint32 // the mark when Run began; 0 before
	lists    initial.Lists // that have been processed
	ended    chan struct{} // closed when process is not called any more

	applying sync.Mutex // guards applied
	applied  string     // the last result of appliedVersion
}

// lastInformer is the last InformerStatus.ID.
var lastInformer atomic.Uint64

// The values of Controller.started.
const (
	neverRun int32 = iota
	hasRun
	isRetired
)

func newController(settings config, process func(context.Context, []deltafifo.Delta) (done bool)) *controller {
	c := &controller{
		queue:   &deltafifo.Queue[deltafifo.Delta]{},
		process: process,
		panics:  handlerPanics{recovers: settings.HandlerPanicRecovery, resource: settings.name()},
		ended:   make(chan struct{}),
		id:      lastInformer.Add(1),
	}
	c.kind, c.counters = settings.Decode.Kind.Kind, &traffic{}
	settings.Transform = settings.oneAtATime(settings.Transform)
	scopes := settings.scopes
	if len(scopes) == 0 && settings.scopeSource == nil {
		scopes = []config{settings}
	}
	reflectors := make([]*reflector, len(scopes))
	for i, scope := range scopes {
		scope.Transform = settings.Transform
		if scope.Open == nil && scope.source == nil {
			panic("cache: the Config of an informer needs Open or ListerWatcher")
		}
		reflectors[i] = c.newReflector(scope)
		reflectors[i].id = scopeID(i)
	}
	c.set.current.Store(&reflectors)
	c.set.opened.Store(uint32(len(scopes)))
	if len(scopes) == 1 {
		c.first = reflectors[0]
		c.config = &c.first.config
	} else {
		common := settings // so that settings itself stays on the stack
		c.config = &common
	}
	if settings.scopeSource != nil {
		c.set.retry = make(chan struct{}, 1)
		c.set.opened.Store(1) // so that the first mark is not reached
		c.newChoice()
	}
	c.outages.Informer = observedController{c}
	c.renewHooks()
	return c
}

// renewHooks makes the hooks of the handlers that config has. It is called before Run.
func (c *controller) renewHooks() {
	c.hooks = newHooks(c.config, c.name, c.Status)
	c.panics.changed = c.changed
	for _, r := range c.reflectors() {
		r.use(c.hooks, &c.outages)
	}
}

// setProgress sets what is called when a batch was processed, and when a watch has reached a version.
// It is called before Run.
func (c *controller) setProgress(afterBatch func(), reached func(isDelta bool)) {
	c.afterBatch, c.reached = afterBatch, reached
	for _, r := range c.reflectors() {
		r.reached = reached
	}
}

// name names the informer in errors and logs.
func (c *controller) name() string {
	if c.config.configOf == nil {
		return c.config.name()
	}
	all, name := c.reflectors(), c.config.plainName()
	switch chosen := c.set.chosen.Load(); {
	case len(all) == 0 && c.config.scopeSource != nil && !c.HasSynced():
		return name + " in scopes that their source has not set yet"
	case len(all) == 0:
		return name + " in no scope"
	case len(all) == 1 && chosen == nil:
		return c.config.name()
	case len(all) > maxNamed:
		return name + " in " + plural(len(all), scopesNoun(all))
	}
	var names []string
	for _, r := range all {
		names = append(names, r.config.Namespace)
	}
	if noun := scopesNoun(all); noun != "namespace" {
		for i, r := range all {
			names[i] = r.config.of().name()
		}
		return name + " in " + strings.Join(names, ", ")
	} else if len(all) > 1 {
		return name + " in namespaces " + strings.Join(names, ", ")
	}
	return name + " in namespace " + names[0]
}

// maxNamed is the largest number of scopes that a log line names.
const maxNamed = 5

// scopesNoun returns "namespace" if each scope is a namespace, and "scope" otherwise.
func scopesNoun(all []*reflector) string {
	for i, r := range all {
		if r.config.Namespace == "" || i > 0 && r.config.Namespace == all[i-1].config.Namespace {
			return "scope"
		}
	}
	return "namespace"
}

// namespaces returns the namespaces that the informer is limited to, sorted; nil for all. It is empty and
// not nil if there is no scope.
func (c *controller) namespaces() []string {
	all := c.reflectors()
	names := make([]string, 0, len(all))
	for _, r := range all {
		if among := r.among(); among != nil {
			names = append(names, among.Without(nil)...)
		} else {
			names = append(names, r.config.Namespace)
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 1 && names[0] == "" {
		return nil
	}
	return names
}

// among has the namespaces that one watch of all namespaces is limited to; nil for all.
func (r *reflector) among() *scoping.Namespaces {
	if r.config.scope == nil {
		return nil
	}
	return r.config.scope.among
}

// setTransform sets the transform of each Reflector. It is called before Run.
func (c *controller) setTransform(transform transformFunc) {
	c.config.Transform = c.config.oneAtATime(transform)
	for _, r := range c.reflectors() {
		r.setTransform(c.config.Transform)
	}
}

// setWatchErrorHandler sets the handler of each Reflector; nil for the default. It is called
// before Run.
func (c *controller) setWatchErrorHandler(handler WatchErrorHandler) {
	c.config.WatchErrorHandler = handler
	for _, r := range c.reflectors() {
		r.config.WatchErrorHandler = handler
		r.useErrorHandler()
	}
	c.renewHooks()
}

// claim returns true to the first caller, which runs the Controller.
func (c *controller) claim() bool { return c.started.CompareAndSwap(neverRun, hasRun) }

// accepts returns claimed, the result of claim. If it is true, ctx is the context of Run.
func (c *controller) accepts(ctx context.Context, claimed bool) bool {
	if claimed {
		c.panics.ctx = ctx
		c.hooks.SetContext(klog.NewContext(ctx, klog.FromContext(ctx).WithValues("resource", c.name())))
	} else if c.started.Load() == hasRun {
		klog.FromContext(ctx).Error(nil, "The informer was started before and cannot run again", "resource", c.name())
	} else if err := c.Status().Err; err != nil { // Stop before Start is no mistake
		klog.FromContext(ctx).Error(err, "Mistake in the options of informers")
	}
	return claimed
}

// retire stops a Controller that was not run, with the reason or nil. It returns false if the
// Controller was run or retired before. The mutex of set is held.
func (c *controller) retire(err error) bool {
	if !c.started.CompareAndSwap(neverRun, isRetired) {
		return false
	}
	c.set.ended = true
	for _, r := range c.reflectors() {
		r.retire(err)
	}
	if c.set.chosen.Load() != nil {
		c.choose(Stopped, "", err)
	}
	close(c.ended)
	return true
}

// run calls cancel, which ends ctx, when processing has ended.
func (c *controller) run(ctx context.Context, cancel context.CancelFunc) {
	finally(func() {
		c.begin(ctx)
		c.processAll(ctx)
	}, func() {
		cancel()
		c.end()
		c.outages.Close()
		if c.atEnd != nil {
			c.atEnd()
		}
		close(c.ended)
	})
}

// processAll processes what is read, until ctx or the reading ends.
func (c *controller) processAll(ctx context.Context) {
	var deltas []deltafifo.Delta
	var ended stats.Stamp // the end of the last batch
	for isFirst := true; ; isFirst = false {
		var err error
		if deltas, err = c.queue.Pop(ctx, deltas); err != nil {
			return
		}
		// It waited for the last batch, or Pop has waited for it.
		began := c.queue.Oldest
		if !isFirst {
			began = max(began, ended)
		}
		if c.process(ctx, deltas) {
			c.markSynced()
		}
		if ended, c.cached = c.cached, 0; ended == 0 {
			ended = stats.Now()
		}
		c.processing.Add(ended.Since(began), 1)
		c.queue.Processed()
		if c.afterBatch != nil {
			c.afterBatch()
		}
	}
}

// isCached records that the changes of a batch, n in number, are in the cache.
func (c *controller) isCached(received stats.Stamp, n int) {
	c.cached = stats.Now()
	c.toCache.Add(c.cached.Since(received), n)
}

// finally calls body and then end, also if body ends the goroutine by runtime.Goexit. If
// body panics, it does not call end, which may block: the panic has to end the program.
func finally(body, end func()) {
	defer func() {
		if value := recover(); value != nil {
			panic(value)
		}
		end()
	}()
	body()
}

// markSynced is called when the first list of each scope is in the cache.
func (c *controller) markSynced() { c.lists.Reach(c.mark()) }

func (c *controller) resyncEvery(ctx context.Context, period time.Duration) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			// The first delta of all has to be a Replaced. A resync would delay a backlog more.
			if c.HasSynced() && c.queue.Len() == 0 {
				c.queue.Push([]deltafifo.Delta{{Type: deltafifo.Sync}})
			}
		}
	}
}

// Retry retries a failed list or watch at once; see Reflector.Retry.
func (c *controller) Retry() {
	for _, all := range [][]*reflector{c.reflectors(), c.leaving()} {
		for _, r := range all {
			r.Retry()
		}
	}
	if c.set.retry != nil {
		select {
		case c.set.retry <- struct{}{}:
		default:
		}
	}
}

// HasSynced reports whether the first list has been processed, of each present scope.
func (c *controller) HasSynced() bool { return c.lists.Has(c.mark()) }

// hadSynced reports whether lists has those of all scopes that were there when Run began.
func (c *controller) hadSynced(lists *initial.Lists) bool {
	began := initial.Mark(c.began.Load())
	return began > 0 && lists.Has(began)
}

// Synced is closed when the first list has been processed, of each scope that is there at the call.
func (c *controller) Synced() <-chan struct{} { return c.lists.Wait(c.mark()) }

// Ended is closed when process has returned from its last call.
func (c *controller) Ended() <-chan struct{} { return c.ended }

// appliedVersion returns a version of which all changes were processed, from all namespaces. It
// is the last one if no deltas wait, and otherwise the result of an earlier call.
func (c *controller) appliedVersion() string {
	c.applying.Lock()
	defer c.applying.Unlock()
	version := c.earliest(func(r *reflector) string { return r.status.Version() })
	if c.queue.IsIdle() { // a Reflector pushes the deltas before it sets their version
		c.applied = version
	}
	return c.applied
}

// noteListed makes the first lists a result of appliedVersion, if it has none and all of them are in the cache. The queue is
// not idle yet, so appliedVersion would return an empty version although the informer is synced.
func (c *controller) noteListed() {
	version := c.earliest(func(r *reflector) string { return r.listedVersion })
	c.applying.Lock()
	defer c.applying.Unlock()
	if c.applied == "" {
		c.applied = version
	}
}

// forgetApplied drops the result of earlier calls of appliedVersion: a new scope has no version yet.
func (c *controller) forgetApplied() {
	c.applying.Lock()
	defer c.applying.Unlock()
	c.applied = ""
}

// earliest returns the earliest version of all Reflectors.
func (c *controller) earliest(versionOf func(*reflector) string) (version string) {
	for i, r := range c.reflectors() {
		if has := versionOf(r); i == 0 {
			version = has
		} else {
			version = protocol.Earlier(version, has)
		}
	}
	return version
}

// Status returns the state of the Controller. A Controller of NewController does not know
// Objects, which is 0 then.
func (c *controller) Status() Status {
	status := c.statusOfAll()
	if c.objects != nil {
		status.Objects = c.objects()
	}
	c.panics.addTo(&status)
	return status
}
