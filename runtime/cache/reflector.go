package cache

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/hook"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/redirect"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// TransformFunc changes an object before it is stored, for example to drop fields that
// the program does not read. It may change and return obj, or return another object of
// the same name. An informer calls it from one goroutine at a time, once for each state that
// it reads, and over a typed client again after a relist. The result has to depend on the
// state alone: otherwise a relist causes an update. An error keeps the object out of the
// cache and fails the list, with the object's name.
type TransformFunc[T Object] func(obj T) (T, error)

// Reflector copies a collection of the API server into a DeltaFIFO. It lists, as a
// stream or in pages, and watches from the version of the list. It resumes a watch that
// ended, and lists again when the server has forgotten that version.
type Reflector[T Object] struct {
	config Config[T]
	source ListerWatcher[T]
	client clientKind // of source
	// prefersPages is set if source reads lists faster in pages than as a stream.
	prefersPages bool
	queue        *DeltaFIFO[T]
	onError      WatchErrorHandler
	status       *statusTracker
	hooks        *hook.Hooks[Status]
	// ownsHooks is set if no Controller has the hooks.
	ownsHooks bool
	// trim drops from objects of a client what our decoder does not decode. It is nil for
	// our decoder.
	trim func(T)
	// retry holds a token after Retry.
	retry chan struct{}
	// random returns a duration below its argument, which is positive.
	random func(time.Duration) time.Duration

	// Only the goroutine of Run uses the fields below.
	listed listed.List[T]
	// committed is set after the first list.
	committed bool
	trail     protocol.PageTrail
	failed    protocol.FailureBudget
	// watchEnded is when the last watch ended.
	watchEnded time.Time
	// leaveFirst releases the token of config.firstLists.
	leaveFirst func()
	events     []Event[T]
	// freeDeltas is memory for the deltas of a batch.
	freeDeltas freelist.List[Delta[T]]
	skips      listed.SkipLog
}

// NewReflector returns a Reflector that pushes the objects of config to queue when it is
// run.
func NewReflector[T Object](config Config[T], queue *DeltaFIFO[T]) *Reflector[T] {
	r := newReflector(config, queue)
	r.use(newHooks(&r.config, r.Status))
	r.ownsHooks = true
	return r
}

// newReflector returns a Reflector without hooks. The caller calls use.
func newReflector[T Object](config Config[T], queue *DeltaFIFO[T]) *Reflector[T] {
	r := &Reflector[T]{
		config:  config,
		source:  config.ListerWatcher,
		queue:   queue,
		onError: config.WatchErrorHandler,
		status:  newStatusTracker(),
		retry:   make(chan struct{}, 1),
		random:  rand.N[time.Duration],
	}
	if config.Open != nil {
		// Objects of a cache are read-only, but a transform may write to them.
		config.Decode.ReadOnly = config.Decode.ReadOnly || config.cache != nil && config.Transform == nil
		source := newBodySource(config.Open, config.Decode, config.cache)
		r.source, r.prefersPages = source, !source.decoder.AsksForProtobuf()
	} else {
		r.trim = wire.Trimmer[T](&config.Decode)
		r.client = clientKindOf(config.ListerWatcher)
	}
	if r.onError == nil {
		r.onError = r.logWatchError
	} else {
		r.onError = func(ctx context.Context, _ schema.GroupVersionResource, err error) { r.hooks.Error(ctx, err) }
	}
	return r
}

// use makes the Reflector call these hooks, which belong to the caller.
func (r *Reflector[T]) use(hooks *hook.Hooks[Status]) {
	r.hooks = hooks
	r.status.changed = hooks.Changed
}

// logWatchError is the default WatchErrorHandler. A watch that has to restart is normal,
// and logged only at a higher verbosity.
func (r *Reflector[T]) logWatchError(ctx context.Context, _ schema.GroupVersionResource, err error) {
	logger := klog.FromContext(ctx)
	if state, skipped := err.(*DecodeError); skipped {
		r.skips.Log(logger, state)
		return
	}
	switch reason := reasonOf(err); reason {
	case Expired, ClosedEarly, NoBookmark:
		logger.V(4).Info("Watch has to restart", "reason", reason, "err", err)
	default:
		logger.Error(err, "Cannot follow the API server, will retry"+advice[reason], "reason", reason)
	}
}

// Status returns the state of the Reflector, without Objects.
func (r *Reflector[T]) Status() Status { return r.status.get() }

// retire marks a Reflector that was not run as stopped, with the reason or nil.
func (r *Reflector[T]) retire(err error) { r.status.enter(Stopped, err) }

// Run lists and watches until ctx ends. Each line that it logs has the resource.
func (r *Reflector[T]) Run(ctx context.Context) {
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithValues("resource", r.config.name()))
	if !r.ownsHooks {
		r.run(ctx)
		return
	}
	r.hooks.SetContext(ctx)
	finally(func() { r.run(ctx) }, r.hooks.Close)
}

func (r *Reflector[T]) run(ctx context.Context) {
	defer r.status.enter(Stopped, nil)
	defer r.dropMemory()
	r.warnOfLimit(ctx)
	defer func() { r.skips.Flush(klog.FromContext(ctx)) }()
	noStream := r.config.WithoutStreamingList || r.client.noStreams || r.prefersPages && !r.config.StreamingList
	state, next := protocol.Start(noStream, waitsOf(r.config.Backoffs))
	r.status.enter(Listing, nil)
	// The others of this informer do not wait in front of other informers.
	leaveOwn := awaitFirstList(ctx, r.config.ownFirstLists)
	leave := awaitFirstList(ctx, r.config.firstLists)
	r.leaveFirst = func() { leave(); leaveOwn() }
	defer func() { r.leaveFirst() }()
	for {
		if !r.pause(ctx, next.Wait) {
			return
		}
		var in protocol.Input
		began := time.Now()
		switch next.Verb {
		case protocol.ListPage:
			in = r.list(ctx, next.Options)
		case protocol.OpenWatch, protocol.OpenStream:
			in = r.watch(ctx, next)
		}
		if ctx.Err() != nil {
			return
		}
		state, next = protocol.Step(state, in)
		if wait := r.failed.Note(began, in, next); len(r.config.Backoffs) == 0 {
			next.Wait = max(next.Wait, wait)
		}
		r.conclude(ctx, next, state)
	}
}

// dropMemory releases the objects of a Reflector that has ended: a caller may keep it.
func (r *Reflector[T]) dropMemory() {
	r.listed.Clear()
	r.events, r.freeDeltas = nil, freelist.List[Delta[T]]{}
}

// pause waits before a request, or until Retry is called. Status has the time of the
// request meanwhile. It reports whether ctx is still alive.
func (r *Reflector[T]) pause(ctx context.Context, wait time.Duration) bool {
	if wait = protocol.WithJitter(wait, r.random); wait <= 0 {
		return ctx.Err() == nil
	}
	r.status.awaitAttempt(time.Now().Add(wait))
	defer r.status.awaitAttempt(time.Time{})
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
func (r *Reflector[T]) Retry() {
	select {
	case r.retry <- struct{}{}:
	default:
	}
}

// forgetRetry drops a call of Retry that came when nothing had failed.
func (r *Reflector[T]) forgetRetry() {
	select {
	case <-r.retry:
	default:
	}
}

// warnOfLimit logs a warning if the server accepts objects above the limit.
func (r *Reflector[T]) warnOfLimit(ctx context.Context) {
	if limit := r.config.Decode.MaxObjectBytes; r.config.Open != nil && limit > 0 && limit < wire.EtcdRequestBytes {
		klog.FromContext(ctx).Info("MaxObjectBytes is below etcd's default limit for a request; the server may store objects that the informer fails on or skips",
			"limit", limit, "etcd", wire.EtcdRequestBytes)
	}
}

// conclude applies an action, except for its wait and its request.
func (r *Reflector[T]) conclude(ctx context.Context, next protocol.Action, state protocol.State) {
	if next.Commit {
		r.commit(state.ResourceVersion)
	}
	if next.Restart {
		r.listed.Clear()
		r.trail.Begin()
	}
	switch {
	case next.Failed != nil:
		r.status.enter(Degraded, next.Failed)
	case next.Resumed: // Status stays Watching until the server is late to answer
	case next.Verb != protocol.OpenWatch || next.Commit:
		r.status.enter(Listing, nil)
	}
	if next.Failed != nil {
		r.leaveFirst()
		failed := next.Failed
		if r.config.isScope { // all namespaces have the same handler
			failed = fmt.Errorf("namespace %s: %w", r.config.Namespace, failed)
		}
		r.onError(ctx, r.config.Resource, failed)
	}
}

// commit pushes the list that was read as the collection.
func (r *Reflector[T]) commit(resourceVersion string) {
	r.leaveFirst()
	collection := &Collection[T]{Items: r.listed.Items(), isFirst: !r.committed}
	r.committed = true
	if r.config.isScope {
		collection.namespace = r.config.Namespace
	}
	r.queue.Push(Delta[T]{Type: Replaced, Collection: collection})
	r.status.undecodable.Replace(&r.listed.Undecodable)
	r.listed.Clear()
	r.status.reach(resourceVersion)
}

const (
	// pageTimeout is the timeout of a page, and wholeListTimeout that of a list in one
	// piece. Without them, a connection that broke silently would block forever.
	pageTimeout      = 2 * time.Minute
	wholeListTimeout = 10 * time.Minute
)

// list reads a page.
func (r *Reflector[T]) list(ctx context.Context, options metav1.ListOptions) protocol.Input {
	in := protocol.Input{Verb: protocol.ListPage, Token: options.Continue}
	timeout := pageTimeout
	if options.Limit == 0 {
		timeout = wholeListTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, protocol.ErrListStalled)
	defer cancel()
	page, err := r.source.List(ctx, options)
	if err != nil {
		if cause := context.Cause(ctx); cause == protocol.ErrListStalled {
			err = cause
		}
		in.Err = requestError("list", err)
		return in
	}
	for i := range page.Items {
		if in.Err = r.accept(ctx, &page.Items[i]); in.Err != nil {
			return in
		}
	}
	first := ""
	if len(page.Items) > 0 {
		first = nameOf(&page.Items[0]).String()
	}
	isNew, err := r.trail.Note(page.Continue, first)
	if err != nil {
		in.Err = err
		return in
	}
	r.listed.AddPage(page.Items)
	in.ResourceVersion, in.ContinueToken = page.ResourceVersion, page.Continue
	in.Idle = !isNew
	return in
}

// maxAddress is the number of bytes of a URL in an error.
const maxAddress = 200

// requestError names the request that failed. It drops the parameters of a URL, which
// are long.
func requestError(verb string, err error) error {
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		if redirect.Is(err) {
			return fmt.Errorf("%s: %w", verb, failed.Err) // which names both hosts
		}
		address, _, _ := strings.Cut(failed.URL, "?")
		return fmt.Errorf("%s %s: %w", verb, printable.Text(printable.Cut(address, maxAddress)), failed.Err) // a redirect may have set it
	}
	return fmt.Errorf("%s: %w", verb, err)
}

// firstListTimeout is how long a first list may delay those of other informers.
const firstListTimeout = 10 * time.Second

// awaitFirstList waits until limit has room for a token. leave removes the token, and may
// be called twice. After firstListTimeout the token is removed anyway: one server that hangs
// must not delay the other informers.
func awaitFirstList(ctx context.Context, limit chan struct{}) (leave func()) {
	if limit == nil {
		return func() {}
	}
	select {
	case limit <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	var once sync.Once
	remove := func() { once.Do(func() { <-limit }) }
	timeout := time.AfterFunc(firstListTimeout, remove)
	return func() {
		timeout.Stop()
		remove()
	}
}
