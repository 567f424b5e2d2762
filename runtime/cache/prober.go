package cache

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/ledger"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/probe"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// prober asks scopes for objects that have left another scope, by the schedule of package probe.
type prober[T Object] struct {
	informer *SharedIndexInformer[T]
	wake     chan struct{} // holds a token when objects have begun to wait, or none does any more
	retry    chan struct{} // holds a token after Retry

	mu       sync.Mutex // guards schedule
	schedule probe.Schedule
}

// askFailure is why a scope has not answered whether it has an object.
type askFailure struct {
	since, next time.Time
	err         error
}

func newProber[T Object](s *SharedIndexInformer[T]) *prober[T] {
	return &prober[T]{informer: s, wake: make(chan struct{}, 1), retry: make(chan struct{}, 1)}
}

// awaitScopes notes whether objects wait for scopes, and lists scopes again that have to be. The mutex is held.
func (s *SharedIndexInformer[T]) awaitScopes() {
	if s.prober == nil {
		return // there is one scope
	}
	if stale := s.indexer.staleScopes(); len(stale) > 0 {
		for _, r := range s.controller.reflectors() {
			if slices.Contains(stale, r.id) {
				r.relist(Restored)
			}
		}
	}
	leaving, hasRecords := s.indexer.departed()
	isAwaiting, wasAwaiting := leaving > 0, s.awaiting.Load()
	if wasAwaiting != isAwaiting {
		s.awaiting.Store(isAwaiting)
	}
	if s.recalls.Load() != hasRecords {
		s.recalls.Store(hasRecords)
	}
	if isAwaiting || wasAwaiting {
		token(s.prober.wake)
	}
}

// token puts a token into a channel that has room for one, unless it holds one.
func token(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// reachScopes tells the cache which versions the scopes have reached, if no deltas wait. Otherwise it
// is called again when they were processed.
func (s *SharedIndexInformer[T]) reachScopes() {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.controller.reflectors()
	versions := make([]string, len(all))
	for i, r := range all {
		versions[i] = r.status.version()
	}
	if !s.controller.queue.IsIdle() { // a Reflector pushes the deltas before it sets their version
		return
	}
	var notes []processor.Notification[T]
	for i, r := range all {
		if r.listed && versions[i] != "" {
			notes = append(notes, s.indexer.reachScope(r.id, versions[i])...)
		}
	}
	s.processor.Deliver(processor.Batch[T]{Notes: notes, Received: stats.Now()}, nil)
	s.awaitScopes()
}

// run asks until ctx ends.
func (p *prober[T]) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		next := time.Now().Add(probe.After)
		for p.informer.awaiting.Load() {
			timer := time.NewTimer(time.Until(next))
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-p.wake:
				if soon := time.Now().Add(probe.After); next.After(soon) {
					next = soon
				}
			case <-p.retry:
				p.mu.Lock()
				p.schedule.Retry()
				p.mu.Unlock()
				next = p.ask(ctx)
			case <-timer.C:
				next = p.ask(ctx)
			}
			timer.Stop()
		}
		for _, r := range p.informer.controller.reflectors() {
			r.noteAsked(nil)
		}
	}
}

// ask asks the scopes that objects wait for, as far as it is time to, and returns when to ask again.
func (p *prober[T]) ask(ctx context.Context) (next time.Time) {
	s, now := p.informer, time.Now()
	all := s.controller.reflectors()
	waiting := make([]probe.Waiting, len(all))
	s.mu.Lock()
	for i, r := range all {
		waiting[i] = probe.Waiting{Scope: r.id, IsForbidden: r.status.get().Reason == Forbidden, Objects: s.indexer.awaitedFrom(r.id, now)}
	}
	s.mu.Unlock()
	p.mu.Lock()
	steps := p.schedule.Plan(now, waiting)
	p.mu.Unlock()
	limit := make(chan struct{}, probe.MaxScopes)
	var requests sync.WaitGroup
	for i, step := range steps {
		r := all[i]
		if len(waiting[i].Objects) == 0 {
			r.noteAsked(nil)
		}
		switch step.Action {
		case probe.Release:
			p.release(r, step.Objects)
		case probe.List:
			r.relist(Moved, func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.schedule.Listed(r.id)
			})
		case probe.Ask:
			requests.Go(func() {
				limit <- struct{}{}
				defer func() { <-limit }()
				p.askScope(ctx, r, step.Objects)
			})
		}
	}
	requests.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.schedule.Next(time.Now())
}

// release ends the wait of objects for a scope.
func (p *prober[T]) release(r *Reflector[T], objects []ledger.Awaited) {
	s := p.informer
	s.mu.Lock()
	defer s.mu.Unlock()
	var notes []processor.Notification[T]
	for _, object := range objects {
		notes = append(notes, s.indexer.absentFrom(r.id, object.Name, object.Version)...)
	}
	s.processor.Deliver(processor.Batch[T]{Notes: notes, Received: stats.Now()}, nil)
	s.awaitScopes()
}

// askScope asks one scope for objects. After a failure it gives up, and the Status of the scope says why.
func (p *prober[T]) askScope(ctx context.Context, r *Reflector[T], objects []ledger.Awaited) {
	for _, object := range objects {
		err := p.probe(ctx, r, object)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			p.mu.Lock()
			next := p.schedule.Failed(r.id, time.Now(), err, waitsOf(r.config.Backoffs), rand.N[time.Duration])
			p.mu.Unlock()
			r.traffic.fail(verbList, err)
			err = fmt.Errorf("cannot ask whether %s has moved here: %w", ObjectName(object.Name), err)
			r.noteAsked(&askFailure{since: time.Now(), next: next, err: err})
			r.onError(ctx, r.config.Resource, fmt.Errorf("%s: %w", r.config.of().name(), err))
			return
		}
	}
	p.mu.Lock()
	p.schedule.Answered(r.id)
	p.mu.Unlock()
	r.noteAsked(nil)
}

// noteAsked sets why the scope does not answer, or nil.
func (r *Reflector[T]) noteAsked(failed *askFailure) {
	before := r.unanswered.Load()
	if before == nil && failed == nil {
		return
	}
	if before != nil && failed != nil {
		failed.since = before.since
	}
	r.unanswered.Store(failed)
	r.status.changed()
}

// addTo adds the failure to the Status of a scope that has no other one.
func (f *askFailure) addTo(status *Status) {
	if f == nil || status.Phase != Watching {
		return
	}
	status.Phase, status.Since, status.NextAttempt = Degraded, f.since, f.next
	status.Err, status.Reason, status.Verb = f.err, reasonOf(f.err), verbList
}

// probe asks for one object, and applies the answer.
func (p *prober[T]) probe(ctx context.Context, r *Reflector[T], object ledger.Awaited) error {
	ctx, cancel := context.WithTimeoutCause(ctx, probe.Timeout, protocol.ErrListStalled)
	defer cancel()
	from := r.currentSource()
	item, version, err := r.find(ctx, object)
	if err != nil {
		if cause := context.Cause(ctx); cause == protocol.ErrListStalled {
			err = cause
		}
		return requestError(verbList, err)
	}
	s := p.informer
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.controller.reflectors(), r) || r.currentSource() != from {
		return nil // the scope was closed, or its objects get another form
	}
	if item != nil {
		s.distribute(Deltas[T]{{Type: Updated, aside: true, scope: r.id, Item: *item}}, stats.Now())
	} else {
		notes := s.indexer.absentFrom(r.id, object.Name, ledger.Parse(version))
		s.processor.Deliver(processor.Batch[T]{Notes: notes, Received: stats.Now()}, nil)
	}
	s.awaitScopes()
	return nil
}

// find lists one object of the scope. The item is nil if the scope does not have it at that version.
func (r *Reflector[T]) find(ctx context.Context, object ledger.Awaited) (item *Item[T], version string, err error) {
	name, notOlder := ObjectName(object.Name), strconv.FormatUint(object.Version, 10)
	one := fields.OneTermEqualSelector("metadata.name", name.Name).String()
	if name.Namespace != "" && r.config.Namespace == "" {
		one = scoping.And(one, fields.OneTermEqualSelector("metadata.namespace", name.Namespace).String())
	}
	page, err := r.finder().List(ctx, metav1.ListOptions{
		FieldSelector: one, ResourceVersion: notOlder, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if err != nil {
		return nil, "", err
	}
	if isEarlier(page.ResourceVersion, notOlder) {
		return nil, "", fmt.Errorf("the server answered with version %s to a request for one not older than %s", page.ResourceVersion, notOlder)
	}
	for i := range page.Items {
		item := &page.Items[i]
		if nameOf(item) != name || r.excludes(item) {
			continue // the server ignores field selectors
		}
		if item.Err == nil && !item.Held {
			item.Object, err = r.transformed(item.Object)
		}
		return item, page.ResourceVersion, err
	}
	return nil, page.ResourceVersion, nil
}

// finder returns a source for requests besides those of Run.
func (r *Reflector[T]) finder() ListerWatcher[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.config.Open == nil {
		return r.source // which Run does not change
	}
	return r.sourceOf(func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		body, err := r.config.Open(ctx, options, accept)
		if err != nil {
			return nil, err
		}
		return &stats.Body{ReadCloser: body, Bytes: &r.traffic.Bytes}, nil
	}, r.config.Decode)
}
