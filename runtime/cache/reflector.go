package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
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
	transform TransformFunc[T]
	// trim leaves out of objects that a client has decoded what our decoder would
	// have left out.
	trim     func(T)
	onError  WatchErrorHandler
	status   *statusTracker
	noStream bool
	// firstLists is that of the Config.
	firstLists chan struct{}

	// Only the goroutine of Run touches what follows.
	listed initialList[T]
	// leaveFirst gives the place among first lists back.
	leaveFirst func()
	events     []Event[T]
	deltas     Deltas[T]
}

// NewReflector makes a Reflector that pushes to queue what the ListerWatcher of
// config has, when it is run.
func NewReflector[T Object](config Config[T], queue *DeltaFIFO[T]) *Reflector[T] {
	r := &Reflector[T]{
		source:    config.ListerWatcher,
		queue:     queue,
		resource:  config.Resource,
		transform: config.Transform,
		onError:   config.WatchErrorHandler,
		status:    newStatusTracker(),
		noStream:  config.DisableStreamingList,

		firstLists: config.firstLists,
	}
	if config.Open != nil {
		r.source = newBodySource(config.Open, config.Decode, config.held)
	} else {
		r.trim = trimmer[T](&config.Decode)
	}
	if r.onError == nil {
		r.onError = logWatchError
	}
	return r
}

// logWatchError is the WatchErrorHandler of those who set none. That a watch
// has to start anew is in the nature of things and of interest to few.
func logWatchError(ctx context.Context, _ schema.GroupVersionResource, err error) {
	logger := klog.FromContext(ctx)
	if _, skipped := err.(*DecodeError); skipped {
		logger.Error(err, "Skipped an object that cannot be decoded")
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
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithValues("resource", r.resource.GroupResource().String()))
	defer r.status.enter(Stopped, nil)
	state := reflectorState{noStream: r.noStream}
	next := state.startAction()
	r.status.enter(Listing, nil)
	r.leaveFirst = awaitFirstList(ctx, r.firstLists)
	defer func() { r.leaveFirst() }()
	for {
		if !sleep(ctx, withJitter(next.wait)) {
			return
		}
		var in input
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
		r.conclude(ctx, next, state)
	}
}

// conclude does what an action asks for before its wait and its request.
func (r *Reflector[T]) conclude(ctx context.Context, next action, state reflectorState) {
	if next.commit {
		r.commit(state.resourceVersion)
	}
	if next.restart {
		r.listed.clear()
	}
	switch {
	case next.failed != nil:
		r.status.enter(Degraded, next.failed)
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
	all, undecodable := r.listed.take()
	r.queue.Push(Delta[T]{Type: Replaced, Collection: all})
	r.status.replaceUndecodable(undecodable)
	r.status.reach(resourceVersion)
}

func (r *Reflector[T]) list(ctx context.Context, options metav1.ListOptions) input {
	in := input{verb: listPage}
	patience := pagePatience
	if options.Limit == 0 {
		patience = wholeListPatience
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errListStalled)
	defer cancel()
	page, err := r.source.List(ctx, options)
	if err != nil {
		if cause := context.Cause(ctx); cause == errListStalled {
			err = cause
		}
		in.err = requestError("list", err)
		return in
	}
	for i, obj := range page.Items {
		if page.Held != nil && page.Held[i] {
			continue // it went through the transform when it came
		}
		if page.Items[i], in.err = r.transformed(obj); in.err != nil {
			return in
		}
	}
	r.listed.addPage(page.Items, page.ContentHashes)
	for _, state := range page.Undecodable {
		r.reportSkipped(ctx, state)
		r.listed.undecodable.add(state)
	}
	in.resourceVersion, in.continueToken = page.ResourceVersion, page.Continue
	return in
}

const (
	// The server ends a watch after 5 to 10 minutes, so that not all watches of
	// all clients come back at one time.
	minWatchTimeout = 5 * time.Minute
	// A watch that lasts this long was of use even if nothing happened.
	usefulWatch = 10 * time.Second
	// watchGrace is how long after its time an unresponsive watch is given up: a
	// connection that broke without a word would stay open for ever.
	watchGrace = 30 * time.Second
	// streamPatience is how long the next of the initial events of a streaming list
	// may take, and their closing bookmark.
	streamPatience = 10 * time.Second
	// pagePatience is how long a page may take, and wholeListPatience a list in one
	// piece: a connection that broke without a word would be waited for for ever.
	pagePatience      = 2 * time.Minute
	wholeListPatience = 10 * time.Minute
)

// watch follows a watch to its end, or a streaming list and the watch that it
// becomes.
func (r *Reflector[T]) watch(ctx context.Context, request action) input {
	options := request.options
	timeout := minWatchTimeout + rand.N(minWatchTimeout)
	seconds := int64(timeout.Seconds())
	options.TimeoutSeconds = &seconds
	ctx, cancel := context.WithTimeoutCause(ctx, timeout+watchGrace, errSilent)
	defer cancel()
	ctx, stall := context.WithCancelCause(ctx)
	defer stall(nil)

	in := input{verb: request.verb, resourceVersion: options.ResourceVersion}
	var opened time.Time
	if request.verb == openStream {
		patience := time.AfterFunc(timeout, func() { stall(errNoBookmark) })
		defer patience.Stop()
		in.err = r.follow(ctx, options, &in, func() {
			if in.listed {
				patience.Stop()
			} else {
				patience.Reset(streamPatience)
			}
		})
	} else {
		defer r.probation(request.onProbation)()
		in.err = r.follow(ctx, options, &in, func() {
			if opened.IsZero() {
				opened = time.Now()
			}
		})
	}
	if in.err != io.EOF {
		if cause := context.Cause(ctx); cause == errNoBookmark || cause == errSilent {
			in.err = cause
		}
		in.err = requestError("watch", in.err)
	}
	in.useful = in.useful || !opened.IsZero() && time.Since(opened) >= usefulWatch
	return in
}

// requestError says which request failed. Of the URL of one that did not come
// through it leaves out the parameters, which hide the rest.
func requestError(verb string, err error) error {
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		address, _, _ := strings.Cut(failed.URL, "?")
		return fmt.Errorf("%s %s: %w", verb, address, failed.Err)
	}
	return fmt.Errorf("%s: %w", verb, err)
}

// probation enters Watching as soon as the watch that begins deserves it: at once,
// or, if it is on probation, when it has lasted. The caller calls stop in the end.
func (r *Reflector[T]) probation(on bool) (stop func() bool) {
	if !on {
		r.status.enter(Watching, nil)
		return func() bool { return false }
	}
	entry := r.status.enter(Degraded, nil)
	return time.AfterFunc(usefulWatch, func() { r.status.enterUnlessMoved(entry, Watching) }).Stop
}

// follow forwards the events of a watch until its end. It calls alive when the
// watch is open, and after each batch.
func (r *Reflector[T]) follow(ctx context.Context, options metav1.ListOptions, in *input, alive func()) error {
	stream, err := r.source.Watch(ctx, options)
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // there was no watch that could have ended
		}
		return err
	}
	defer stream.Stop()
	alive()
	for {
		if r.events, err = stream.Next(ctx, r.events); err != nil {
			return err
		}
		if err = r.forward(ctx, r.events, in); err != nil {
			return err
		}
		alive()
	}
}

// withJitter spreads waits, so that clients that failed together do not come
// back together.
func withJitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return d + rand.N(d/2+1)
}

// sleep returns false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
