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

	"github.com/typedinformers/informer-gen/runtime/redirect"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// TransformFunc changes an object before it is stored, for example to drop
// fields that nobody reads. It may change and return obj, or return another
// one of the same name. It is called for each state that is read, and over a typed
// client again after a relist, from one goroutine. The same state has to become the same
// object each time: otherwise a relist tells an update. An error keeps the object out of
// the cache and fails the list, with the object's name.
type TransformFunc[T Object] func(obj T) (T, error)

// WatchErrorHandler is told of each failed list and watch, from the goroutine
// of the Reflector, before it waits and tries again; and, with
// DecodeOptions.SkipUndecodable, of each state that is skipped: of a *DecodeError that
// nothing wraps. It must not block.
type WatchErrorHandler func(ctx context.Context, resource schema.GroupVersionResource, err error)

// Reflector copies a collection of the API server into a DeltaFIFO: it lists, as a
// stream or in pages, watches from the version of the list, resumes a watch that
// ended, and lists again when the server has forgotten where it was.
type Reflector[T Object] struct {
	source    ListerWatcher[T]
	queue     *DeltaFIFO[T]
	resource  schema.GroupVersionResource
	name      string // of what is followed, for the log
	transform TransformFunc[T]
	// trim leaves out of objects that a client has decoded what our decoder would
	// have left out.
	trim     func(T)
	onError  WatchErrorHandler
	status   *statusTracker
	backoffs backoffs
	// ownPace is set if the Config has backoffs.
	ownPace  bool
	noStream bool
	// maxObjectBytes is that of the options of our decoder.
	maxObjectBytes int
	// endless is set if watches do not end when their time is over, as those of
	// client-go's fakes.
	endless bool
	// firstLists is that of the Config.
	firstLists chan struct{}
	// retry holds a token after Retry.
	retry chan struct{}
	// random returns a duration below its argument, which is positive.
	random func(time.Duration) time.Duration

	// Only the goroutine of Run touches what follows.
	listed initialList[T]
	trail  pageTrail
	failed failedRequests
	// watchEnded is when the last watch ended.
	watchEnded time.Time
	// leaveFirst gives the place among first lists back.
	leaveFirst func()
	events     []Event[T]
	// freeDeltas is memory for the deltas of a batch.
	freeDeltas freeList[Delta[T]]
	skips      skipLog
}

// NewReflector makes a Reflector that pushes to queue what the ListerWatcher of
// config has, when it is run.
func NewReflector[T Object](config Config[T], queue *DeltaFIFO[T]) *Reflector[T] {
	r := &Reflector[T]{
		source:    config.ListerWatcher,
		queue:     queue,
		resource:  config.Resource,
		name:      config.name(),
		transform: config.Transform,
		onError:   config.WatchErrorHandler,
		status:    newStatusTracker(),
		backoffs:  withDefaults(config.Backoffs),
		ownPace:   len(config.Backoffs) > 0,
		noStream:  config.DisableStreamingList,

		firstLists: config.firstLists,
		retry:      make(chan struct{}, 1),
		random:     rand.N[time.Duration],
	}
	if config.Open != nil {
		r.source = newBodySource(config.Open, config.Decode, config.held)
		r.maxObjectBytes = config.Decode.MaxObjectBytes
	} else {
		r.trim = trimmer[T](&config.Decode)
		client := clientKindOf(config.ListerWatcher)
		r.noStream, r.endless = r.noStream || client.noStreams, client.fake
	}
	if r.onError == nil {
		r.onError = r.logWatchError
	}
	return r
}

// logWatchError is the WatchErrorHandler of those who set none. That a watch
// has to start anew is in the nature of things and of interest to few.
func (r *Reflector[T]) logWatchError(ctx context.Context, _ schema.GroupVersionResource, err error) {
	logger := klog.FromContext(ctx)
	if state, skipped := err.(*DecodeError); skipped {
		r.skips.log(logger, state)
		return
	}
	switch reason := reasonOf(err); reason {
	case Expired, ClosedEarly, NoBookmark:
		logger.V(4).Info("Watch has to start anew", "reason", reason, "err", err)
	default:
		logger.Error(err, "Cannot follow the API server, will try again"+advice[reason], "reason", reason)
	}
}

// Status says where the Reflector is. Objects is not filled in.
func (r *Reflector[T]) Status() Status { return r.status.get() }

// Run lists and watches until ctx ends. The logger of ctx gets the resource
// with every line.
func (r *Reflector[T]) Run(ctx context.Context) {
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithValues("resource", r.name))
	defer r.status.enter(Stopped, nil)
	r.warnOfLimit(ctx)
	defer func() { r.skips.flush(klog.FromContext(ctx)) }()
	state := reflectorState{noStream: r.noStream, backoffs: r.backoffs}
	next := state.startAction()
	r.status.enter(Listing, nil)
	r.leaveFirst = awaitFirstList(ctx, r.firstLists)
	defer func() { r.leaveFirst() }()
	for {
		if !r.pause(ctx, next.wait) {
			return
		}
		var in input
		began := time.Now()
		switch next.verb {
		case listPage:
			in = r.list(ctx, next.options)
		case openWatch, openStream:
			in = r.watch(ctx, next)
		}
		if ctx.Err() != nil {
			return
		}
		state, next = step(state, in)
		if wait := r.failed.note(began, in, next); !r.ownPace {
			next.wait = max(next.wait, wait)
		}
		r.conclude(ctx, next, state)
	}
}

// warnOfLimit warns of a limit that objects may exceed that the server has accepted.
func (r *Reflector[T]) warnOfLimit(ctx context.Context) {
	if limit := r.maxObjectBytes; limit > 0 && limit < wire.EtcdRequestBytes {
		klog.FromContext(ctx).Info("MaxObjectBytes is below what etcd takes by default; the informer refuses, or skips, objects that the server has accepted",
			"limit", limit, "etcd", wire.EtcdRequestBytes)
	}
}

// conclude does what an action asks for before its wait and its request.
func (r *Reflector[T]) conclude(ctx context.Context, next action, state reflectorState) {
	if next.commit {
		r.commit(state.resourceVersion)
	}
	if next.restart {
		r.listed.clear()
		r.trail.begin()
	}
	switch {
	case next.failed != nil:
		r.status.enter(Degraded, next.failed)
	case next.resumed: // Status stays Watching until the server is late to answer
	case next.verb != openWatch || next.commit:
		r.status.enter(Listing, nil)
	}
	if next.failed != nil {
		r.leaveFirst()
		r.onError(ctx, r.resource, next.failed)
	}
}

// commit hands the list that was read over as the collection.
func (r *Reflector[T]) commit(resourceVersion string) {
	r.leaveFirst()
	r.queue.Push(Delta[T]{Type: Replaced, Collection: r.listed.collection()})
	r.status.undecodable.replace(&r.listed.undecodable)
	r.listed.clear()
	r.status.reach(resourceVersion)
}

const (
	// pageTimeout is how long a page may take, and wholeListTimeout a list in one
	// piece: a connection that broke silently would be waited for for ever.
	pageTimeout      = 2 * time.Minute
	wholeListTimeout = 10 * time.Minute
)

// list reads a page.
func (r *Reflector[T]) list(ctx context.Context, options metav1.ListOptions) input {
	in := input{verb: listPage, token: options.Continue}
	timeout := pageTimeout
	if options.Limit == 0 {
		timeout = wholeListTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errListStalled)
	defer cancel()
	page, err := r.source.List(ctx, options)
	if err != nil {
		if cause := context.Cause(ctx); cause == errListStalled {
			err = cause
		}
		in.err = requestError("list", err)
		return in
	}
	for i := range page.Items {
		if in.err = r.accept(ctx, &page.Items[i]); in.err != nil {
			return in
		}
	}
	var first ObjectName
	if len(page.Items) > 0 {
		first = nameOf(&page.Items[0])
	}
	isNew, err := r.trail.note(page.Continue, first)
	if err != nil {
		in.err = err
		return in
	}
	r.listed.addPage(page.Items)
	in.resourceVersion, in.continueToken = page.ResourceVersion, page.Continue
	in.idle = !isNew
	return in
}

// requestError names the request that failed. Of the URL of one that did not come
// through it leaves out the parameters, which hide the rest.
func requestError(verb string, err error) error {
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		if redirect.Is(err) {
			return fmt.Errorf("%s: %w", verb, failed.Err) // which names both hosts
		}
		address, _, _ := strings.Cut(failed.URL, "?")
		return fmt.Errorf("%s %s: %w", verb, excerpt(address), failed.Err) // a redirect may have set it
	}
	return fmt.Errorf("%s: %w", verb, err)
}

// firstListTimeout is how long a first list may delay those of other informers.
const firstListTimeout = 10 * time.Second

// awaitFirstList takes one of the slots for first lists, and waits for it if all are
// taken. leave gives it back, and may be called twice. A list that takes long gives it
// back by itself: one server that hangs must not delay the other informers.
func awaitFirstList(ctx context.Context, slots chan struct{}) (leave func()) {
	if slots == nil {
		return func() {}
	}
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	var once sync.Once
	giveBack := func() { once.Do(func() { <-slots }) }
	timeout := time.AfterFunc(firstListTimeout, giveBack)
	return func() {
		timeout.Stop()
		giveBack()
	}
}
