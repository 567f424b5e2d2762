package cache

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/hook"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/pending"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/shards"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// TransformFunc changes an object before it is stored, for example to drop fields that
// the program does not read. It may change and return obj, or return another object of
// the same name. An informer calls it from one goroutine at a time, once for each state that
// it reads, and over a typed client again after a relist. The result has to depend on the
// state alone: otherwise a relist causes an update. An error keeps the object out of the
// cache and fails the list, with the object's name.
type TransformFunc[T Object] func(obj T) (T, error)

// transformFunc is a TransformFunc as the machine calls it. It returns nil for a nil T.
type transformFunc func(obj Object) (Object, error)

func erasedTransform[T Object](f TransformFunc[T]) transformFunc {
	if f == nil {
		return nil
	}
	return func(obj Object) (Object, error) {
		result, err := f(obj.(T))
		var none T
		if any(result) == any(none) {
			return nil, err
		}
		return result, err
	}
}

// reflector copies a collection of the API server into a queue of deltas. It lists, as a
// stream or in one piece, and in pages after that has failed. It watches from the version of
// the list. It resumes a watch that ended, and lists again when the server has forgotten that
// version.
type reflector struct {
	config config
	source source
	client clientKind // of source
	id     scopeID
	// prefersLists is set if source reads a list faster than a streaming list.
	prefersLists bool
	// ownsHooks is set if no Controller has the hooks.
	ownsHooks bool
	// committed is set after the first list. Only the goroutine of Run uses it.
	committed bool

	// frontier is how far the scope is known.
	frontier frontier.Frontier
	queue    *deltafifo.Queue
	onError  WatchErrorHandler
	status   *statusTracker
	traffic  *traffic
	hooks    *hook.Hooks[Status]
	// outage is a part of the log of the informer, or of the Reflector's own.
	outage outage.Part
	// own has the own writes in the scope, and is nil without ReadYourWrites.
	own *ownScope
	// isHeld is set while its objects are still those of another Reflector.
	isHeld atomic.Bool
	// observers are those of the informer.
	observers *hook.Observers
	// closed is set by close, and stop, if it is not nil, ends Run.
	closed atomic.Bool
	stop   atomic.Pointer[context.CancelFunc]
	// isWanted is set as long as the scope is one of the informer. One that is not goes on until others have taken over.
	// The mutex of the informer guards it.
	isWanted bool
	// trim drops from objects of a client what our decoder does not decode. It is nil for
	// our decoder.
	trim func(Object)
	// retry holds a token after Retry.
	retry chan struct{}
	// random returns a duration below its argument, which is positive.
	random func(time.Duration) time.Duration

	mu sync.Mutex // guards what follows, and a change of config.Decode
	// decoding is set if the objects have to be decoded to another form. interrupt ends the
	// request under way, and is nil if there is none.
	decoding  *decoding
	interrupt context.CancelCauseFunc

	// Only the goroutine of Run uses the fields below. partial is nil while the Reflector watches.
	partial *partialList
	// position is how far it has read.
	position frontier.Position
	// claim is that of the highest version that the watch has told, in an event of claimant. That is zero for a
	// bookmark.
	claim    pending.Claim
	claimant ObjectName
	// watchEnded is when the last watch ended.
	watchEnded stats.Stamp
	// leaveFirst releases the token of config.firstLists.
	leaveFirst func()
	events     []wire.Event
	// freeDeltas is memory for the deltas of a batch.
	freeDeltas freelist.List[deltafifo.Delta]
	skips      listed.SkipLog
}

// decoding is a list that another goroutine has asked for, and a change of the DecodeOptions if source
// is not nil.
type decoding struct {
	cause   Reason
	options DecodeOptions
	source  *bodySource
	applied []func()
}

// partialList is a list under way, with all requests until one of them succeeds.
type partialList struct {
	listed listed.List
	trail  protocol.PageTrail
	// cause is why the collection is listed again. It is empty for the first list.
	cause Reason
	// applied are called when the list is in the cache.
	applied []func()
}

// beginList begins a list, or begins the list under way again. cause is the reason for a new one.
func (r *reflector) beginList(cause Reason) {
	if r.partial == nil {
		r.partial = &partialList{}
		if r.committed {
			r.partial.cause = cause
			r.traffic.Relist(string(cause))
		}
	}
	r.partial.listed.Clear()
	r.partial.trail.Begin()
}

// errOtherForm ends a request whose objects have to be decoded to another form, or listed again.
var errOtherForm = errors.New("the objects are listed again, or get another form")

// setForm makes the Reflector list again, and decode to another form. It calls applied
// when the list is in the cache.
func (r *reflector) setForm(object runtime.Object, unstructured bool, applied func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := &decoding{options: r.config.Decode, cause: FormChanged}
	if r.decoding != nil {
		next.applied = r.decoding.applied
	}
	next.applied = append(next.applied, applied)
	next.options.Object, next.options.Unstructured = object, unstructured
	next.source = r.newSource(next.options)
	r.restartLocked(next)
}

// relist makes the Reflector list again. It calls applied when the list is in the cache.
func (r *reflector) relist(cause Reason, applied ...func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := r.decoding
	if next == nil {
		next = &decoding{options: r.config.Decode, cause: cause}
	}
	next.applied = append(next.applied, applied...)
	r.restartLocked(next)
}

// restartLocked ends the request under way, and begins a list.
func (r *reflector) restartLocked(next *decoding) {
	r.decoding = next
	if r.interrupt != nil {
		r.interrupt(errOtherForm)
	}
	r.Retry()
}

// takeForm uses the form of setForm from the next request on. It reports whether there is a
// new one.
func (r *reflector) takeForm() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := r.decoding
	if next == nil {
		return false
	}
	if next.source != nil {
		r.config.Decode = next.options
		r.useSource(next.source)
	}
	r.decoding = nil
	r.beginList(next.cause)
	r.partial.applied = append(r.partial.applied, next.applied...)
	return true
}

// interruptible lets setForm call interrupt, until it is called with nil. It reports whether
// setForm was called since takeForm.
func (r *reflector) interruptible(interrupt context.CancelCauseFunc) (isStale bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.interrupt = interrupt
	if isStale = r.decoding != nil; isStale && interrupt != nil {
		interrupt(errOtherForm)
	}
	return isStale
}

// setTransform replaces the transform of config. It is called before Run.
func (r *reflector) setTransform(transform transformFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.config.Transform = transform
	if r.config.Open == nil {
		return
	}
	r.useSource(r.newSource(r.config.Decode))
	if r.decoding != nil && r.decoding.source != nil {
		r.decoding.source = r.newSource(r.decoding.options)
	}
}

// newSource returns a source that decodes with these options.
func (r *reflector) newSource(options DecodeOptions) *bodySource {
	return r.sourceOf(r.request, options)
}

// sourceOf is newSource for bodies from open.
func (r *reflector) sourceOf(open OpenFunc, options DecodeOptions) *bodySource {
	// Objects of a cache are read-only, but a transform may write to them. With the detector, a
	// handler that writes to an object must not change others: these are not the ones to report.
	options.ReadOnly = options.ReadOnly || r.config.cache != nil && r.config.Transform == nil && !r.config.MutationDetector
	if rule := r.config.rule; rule != nil && rule.Among != nil {
		among, keep := rule.Among, options.Keep
		options.Keep = func(h wire.Head) bool { return among.HasText(h.Namespace) && (keep == nil || keep(h)) }
	}
	return newBodySource(open, r.config.form.Type(), shards.Decode(options, r.config.rule.Selector()), r.config.cache)
}

func (r *reflector) useSource(source *bodySource) {
	r.source, r.prefersLists = source, !source.decoder.AsksForProtobuf()
}

// aloneReflector returns a Reflector that pushes the objects of config to queue when it is
// run, and belongs to no controller.
func aloneReflector(config config, queue *deltafifo.Queue) *reflector {
	r := newReflector(config, queue, &traffic{})
	r.use(newHooks(&r.config, r.config.name, r.Status), &outage.Log{})
	r.ownsHooks = true
	return r
}

// newReflector returns a Reflector without hooks. The caller calls use.
func newReflector(config config, queue *deltafifo.Queue, traffic *traffic) *reflector {
	r := &reflector{
		config:  config,
		queue:   queue,
		status:  newStatusTracker(),
		traffic: traffic,
		retry:   make(chan struct{}, 1),
		random:  rand.N[time.Duration],
	}
	if config.Open != nil {
		r.useSource(r.newSource(config.Decode))
	} else {
		r.source, r.client = config.source, config.client
		r.trim = wire.Trimmer(&config.Decode)
		if shard := config.rule.Selector(); !shard.Empty() {
			r.source = &shardedSource{r.source, shard}
		}
	}
	r.useErrorHandler()
	return r
}

// useErrorHandler uses the WatchErrorHandler of config.
func (r *reflector) useErrorHandler() {
	r.onError = r.logWatchError
	if r.config.WatchErrorHandler != nil {
		r.onError = func(ctx context.Context, _ schema.GroupVersionResource, err error) { r.hooks.Error(ctx, err) }
	}
}

// use makes the Reflector call these hooks, and note in the log whether it follows. Both belong to
// the caller.
func (r *reflector) use(hooks *hook.Hooks[Status], log *outage.Log) {
	r.hooks = hooks
	r.outage = outage.Part{Log: log, Reflector: r.status}
	r.status.changed = func() {
		hooks.Changed()
		r.outage.Note()
		r.observers.Changed()
	}
}

// logWatchError is the default WatchErrorHandler. One failure says little, so it is logged only at
// a higher verbosity: the log of outages has those that last. A watch that has to restart is normal.
func (r *reflector) logWatchError(ctx context.Context, _ schema.GroupVersionResource, err error) {
	logger := klog.FromContext(ctx)
	if state, skipped := err.(*DecodeError); skipped {
		r.skips.Log(logger, state)
		return
	}
	switch reason := reasonOf(err); reason {
	case Expired, ClosedEarly, NoBookmark:
		logger.V(4).Info("Watch has to restart", "reason", reason, "err", err)
	default:
		logger.V(2).Info("A list or a watch has failed and will be retried", "reason", reason, "err", err)
	}
}

// Status returns the state of the Reflector, without Objects.
func (r *reflector) Status() Status {
	status := r.status.get()
	status.ResourceVersion = r.frontier.Received().Version
	if len(status.Undecodable) > 0 && r.config.rule.HasTerms() { // a namespace may have been removed since
		status.Undecodable = slices.DeleteFunc(status.Undecodable, func(state *DecodeError) bool {
			return r.config.rule.Excludes(state.Namespace, state.Name)
		})
	}
	if status.Phase == Watching && r.isHeld.Load() {
		status.Phase = Listing // the cache does not have the list yet
	}
	status.resource = r.config.Resource
	return status
}

// retire marks a Reflector that was not run as stopped, with the reason or nil.
func (r *reflector) retire(err error) { r.status.enter(Stopped, err) }

// close ends a Reflector of a scope that is no longer needed. It may run, and otherwise never will.
func (r *reflector) close() {
	r.closed.Store(true)
	if stop := r.stop.Load(); stop != nil {
		(*stop)()
	} else {
		r.retire(nil)
	}
}

// Run lists and watches until ctx ends. Each line that it logs has the resource.
func (r *reflector) Run(ctx context.Context) {
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithValues("resource", r.config.name()))
	if !r.ownsHooks {
		r.run(ctx)
		return
	}
	r.hooks.SetContext(ctx)
	r.outage.Log.Informer = observedReflector{r, klog.FromContext(ctx)}
	finally(func() { r.run(ctx) }, func() {
		r.outage.Log.Close()
		r.hooks.Close()
	})
}

func (r *reflector) run(ctx context.Context) {
	defer r.status.enter(Stopped, nil)
	defer r.dropMemory()
	r.warnOfLimit(ctx)
	defer func() { r.skips.Flush(klog.FromContext(ctx)) }()
	state, next := r.start()
	// The others of this informer do not wait in front of other informers.
	leaveOwn := initial.Join(ctx, r.config.ownFirstLists)
	leave := initial.Join(ctx, r.config.firstLists)
	r.leaveFirst = func() { leave(); leaveOwn() }
	defer func() { r.leaveFirst() }()
	for {
		if !r.pause(ctx, next.Wait) {
			return
		}
		if r.takeForm() {
			r.logUnconfirmed(ctx)
			state, next = r.start()
		}
		var in protocol.Input
		began := time.Now()
		switch next.Verb {
		case protocol.ListPage:
			in = r.list(ctx, next)
		case protocol.OpenWatch, protocol.OpenStream:
			in = r.watch(ctx, next)
		}
		in.Began, in.Ended = began, time.Now()
		if ctx.Err() != nil {
			return
		}
		if r.interruptible(nil) { // whatever the request has returned
			next.Wait = protocol.Pause{}
			continue
		}
		state, next = protocol.Step(state, in)
		if next.Failed != nil {
			r.traffic.fail(nameOfVerb(in.Verb), next.Failed)
		}
		r.conclude(ctx, in.Verb, next, state)
	}
}

// logUnconfirmed logs why the list under way is necessary, if a version was not confirmed.
func (r *reflector) logUnconfirmed(ctx context.Context) {
	if r.partial.cause == Unconfirmed {
		_, last := r.status.unconfirmed()
		klog.FromContext(ctx).Info("The watch has not confirmed a version in two minutes, so the collection is listed again; the version may be forged, or of another server",
			"object", printable.Text(last.Object.String()), "version", printable.Text(printable.Cut(last.ResourceVersion, maxVersion)))
	}
}

// start begins with a list, which drops what was read of another one.
func (r *reflector) start() (protocol.State, protocol.Action) {
	r.beginList("")
	r.status.enter(Listing, nil)
	noStream := r.config.WithoutStreamingList || r.client.noStreams || r.prefersLists && !r.config.StreamingList
	return protocol.Start(noStream, waitsOf(r.config.Backoffs))
}

// dropMemory releases the objects of a Reflector that has ended: a caller may keep it.
func (r *reflector) dropMemory() {
	r.partial = nil
	r.events, r.freeDeltas = nil, freelist.List[deltafifo.Delta]{}
}

// pause waits before a request, or until Retry is called. Status has the time of the
// request meanwhile. It reports whether ctx is still alive.
func (r *reflector) pause(ctx context.Context, length protocol.Pause) bool {
	if length == (protocol.Pause{}) {
		return ctx.Err() == nil
	}
	wait := length.Pick(r.random)
	r.status.AwaitAttempt(time.Now().Add(wait))
	defer r.status.AwaitAttempt(time.Time{})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-r.retry:
	case <-timer.C:
	}
	return true
}

// Retry ends the wait after a failed list or watch. If a request is under way and fails,
// Retry skips the wait after it. A program calls it, for example, after it rotated
// credentials or installed a CRD. Retry is safe for concurrent use and never blocks.
func (r *reflector) Retry() {
	select {
	case r.retry <- struct{}{}:
	default:
	}
}

// forgetRetry drops a call of Retry that came when nothing had failed.
func (r *reflector) forgetRetry() {
	select {
	case <-r.retry:
	default:
	}
}

// warnOfLimit logs a warning if the server accepts objects above the limit.
func (r *reflector) warnOfLimit(ctx context.Context) {
	if limit := r.config.Decode.MaxObjectBytes; r.config.Open != nil && limit > 0 && limit < wire.EtcdRequestBytes {
		klog.FromContext(ctx).Info("MaxObjectBytes is below etcd's default limit for a request; the server may store objects that the informer fails on or skips",
			"limit", limit, "etcd", wire.EtcdRequestBytes)
	}
}

// conclude applies the action after a request, except for its wait and its request.
func (r *reflector) conclude(ctx context.Context, after protocol.Verb, next protocol.Action, state protocol.State) {
	if next.Commit {
		r.commit(state.ResourceVersion)
	}
	switch {
	case next.Restart:
		r.beginList(reasonOf(next.Failed))
	case next.Verb == protocol.OpenWatch:
		r.partial = nil
	}
	switch {
	case next.WatchFailed && after == protocol.ListPage: // Status still has why
	case next.Failed != nil:
		r.status.enterFailed(Degraded, nameOfVerb(after), next.Failed)
	case next.Verb == protocol.ListPage && next.Wait != (protocol.Pause{}): // after an empty page, which is no progress
	case next.Resumed: // Status stays Watching until the server is late to answer
	case next.Verb != protocol.OpenWatch || next.Commit:
		r.status.enter(Listing, nil)
	}
	if next.Failed != nil {
		if next.Wait != (protocol.Pause{}) { // a list instead of a stream follows at once
			r.leaveFirst()
		}
		failed := next.Failed
		if r.config.isScope { // all scopes have the same handler
			failed = fmt.Errorf("%s: %w", r.config.scope.name(), failed)
		}
		r.onError(ctx, r.config.Resource, failed)
	}
}

// commit pushes the list that was read as the collection.
func (r *reflector) commit(resourceVersion string) {
	r.leaveFirst()
	list := r.partial
	collection := &deltafifo.Collection{Items: list.listed.Items(), IsFirst: !r.committed, Applied: list.applied, Version: resourceVersion}
	if r.own != nil {
		collection.Began = r.own.began
	}
	r.committed, r.partial = true, nil
	r.traffic.Lists.Add(1)
	now := stats.Now()
	r.position.Version = resourceVersion
	r.claim, r.claimant = pending.Claim{At: now, Bookmarks: r.position.Bookmarks}, ObjectName{}
	// Who sees the list applied, and so who waits for the informer to sync, sees its version and its undecodable objects.
	r.status.undecodable.Replace(&list.listed.Undecodable)
	r.frontier.Receive(r.position, now)
	r.queue.Push([]deltafifo.Delta{{Type: deltafifo.Replaced, Scope: r.id, Collection: collection}}, deltafifo.Reached{Scope: r.id, Position: r.position})
}
