package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/monitor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// ScopeSource has scopes for FollowScopes. ScopesOf makes one.
type ScopeSource struct {
	objects *sharedInformer
	scopes  func(Object) ([]Scope, error)
}

// ScopesOf returns the scopes that a function names for the objects of an informer. The function is called with each object, and
// again when that changes. It must not write to the object. Its error is about scopes that it could not name; the others are set.
func ScopesOf[N Object](objects *SharedIndexInformer[N], scopes func(N) ([]Scope, error)) ScopeSource {
	return ScopeSource{objects.machine.(*sharedInformer), func(obj Object) ([]Scope, error) { return scopes(indexer.Open(obj).(N)) }}
}

// FollowScopes calls SetScopes of an informer with the scopes of all sources, each once, when these change, until ctx ends.
// The caller runs all informers, and nothing else calls SetScopes of the first one. This follows each namespace with the label
// team=web:
//
//	namespaces, err := corev1informers.NamespaceKind(client).NewInformer(cache.WithLabelSelector("team=web"))
//	…
//	informer, err := FooKind(client).NewInformer(cache.WithScopesLater())
//	…
//	go cache.FollowScopes(ctx, informer, cache.ScopesOf(namespaces, func(n *corev1.Namespace) ([]cache.Scope, error) {
//		return []cache.Scope{{Namespace: n.Name}}, nil
//	}))
//
// Until the objects of all sources are synced, the Status of the informer says how far they are. While they cannot be listed or
// watched, it has their error. It also has an error, and all other scopes are set, if
//
//   - a function panics, which is logged: the scopes of that object stay as they are
//   - a function returns an error, or a scope with a mistake
//   - there are contradicting scopes in a namespace, which keeps the scopes that it has
//
// A scope of one object, which the server does not allow to read, keeps no one from being synced: whoever writes the objects of a source
// could stop the program otherwise.
//
// FollowScopes returns nil after the end of ctx, and an error that wraps ErrStopped if one of the informers has ended. The scopes
// stay then.
func FollowScopes[T Object](ctx context.Context, informer *SharedIndexInformer[T], sources ...ScopeSource) error {
	return followScopes(ctx, informer.machine.(*sharedInformer), sources)
}

func followScopes(ctx context.Context, s *sharedInformer, sources []ScopeSource) error {
	f := &scopeFollower{informer: s, logger: klog.FromContext(ctx), changed: make(chan struct{}, 1), uses: map[Scope]int{}, isDirty: true}
	var waiting sync.WaitGroup
	defer waiting.Wait()
	ended, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, source := range sources {
		of := &followedObjects{ScopeSource: source, follower: f, named: map[ObjectName][]Scope{}, failed: map[ObjectName]error{}}
		f.sources = append(f.sources, of)
		defer source.objects.monitor.Observe(f.note)()
		reg, err := source.objects.addEventHandler(eventHandler{"FollowScopes", of.deliver}, []HandlerOption{WithHandlerName("FollowScopes"), WithHandlerResync(0)})
		if err != nil {
			return f.endOf(source.objects)
		}
		defer func() { _ = source.objects.RemoveEventHandler(reg) }() // it is of this informer
		of.synced = reg.Synced()
		waiting.Go(func() {
			defer f.note()
			select {
			case <-of.synced:
				f.note()
			case <-source.objects.Ended(): // it need not be synced before
				return
			case <-ended.Done():
				return
			}
			select {
			case <-source.objects.Ended():
			case <-ended.Done():
			}
		})
	}
	f.note() // an informer may have failed before
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.Ended():
			return fmt.Errorf("%s: %w", s.name(), ErrStopped)
		case <-f.changed:
		}
		began := time.Now()
		if err := f.follow(ctx); err != nil {
			return err
		}
		// Thousands of scopes take a while. Objects that change all the time must not keep a processor busy.
		if took := time.Since(began); took > time.Millisecond {
			wait(ctx, min(10*took, time.Second))
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// scopeFollower sets the scopes of an informer.
type scopeFollower struct {
	informer *sharedInformer
	logger   klog.Logger
	sources  []*followedObjects
	changed  chan struct{} // has an element if something may have changed
	hasError bool          // which was set by the follower

	mu sync.Mutex // guards the fields below, and the scopes of the sources
	// uses has the number of objects that name each scope. isDirty is set if other scopes are named than were set.
	uses    map[Scope]int
	isDirty bool
}

// note lets the follower look for changes.
func (f *scopeFollower) note() {
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// follow sets the scopes as they are named now. It returns an error if an informer has ended.
func (f *scopeFollower) follow(ctx context.Context) error {
	var failure error
	for _, of := range f.sources {
		if objects := of.objects; isClosed(objects.Ended()) {
			if ctx.Err() != nil {
				return nil // they end together
			}
			return f.endOf(objects)
		}
		// Not Status: the errors of other handlers do not matter.
		if status := of.objects.monitor.Following(); status.Err != nil && failure == nil {
			failure = &advice.SourceError{
				Verb: status.Verb, Resource: of.objects.Resource(), Namespaces: of.objects.set.namespaces(),
				Err: fmt.Errorf("%s: %w", of.objects.name(), status.Err),
			}
		}
	}
	for _, of := range f.sources {
		if !isClosed(of.synced) {
			awaited := waiter(of.objects)
			f.informer.set.awaited.Store(&awaited)
			f.setError(failure)
			return nil
		}
	}
	f.mu.Lock()
	isDirty := f.isDirty || f.hasError && failure == nil // SetScopes tells contradictions again
	f.isDirty = false
	scopes := make([]Scope, 0, len(f.uses))
	for scope := range f.uses {
		scopes = append(scopes, scope)
	}
	if failure == nil {
		failure = f.firstMistake()
	}
	f.mu.Unlock()
	if isDirty {
		f.hasError = false
		if err := f.informer.set.setScopes(scopes, true); err != nil && !errors.Is(err, ErrStopped) {
			failure = errors.Join(failure, err)
		}
	}
	f.setError(failure)
	return nil
}

// setError tells the informer of an error, or that there is none any more.
func (f *scopeFollower) setError(err error) {
	if err != nil || f.hasError {
		f.informer.SetScopesError(err)
	}
	f.hasError = err != nil
}

// firstMistake returns an error of an object, the same one each time. The mutex is held.
func (f *scopeFollower) firstMistake() error {
	for _, of := range f.sources {
		if len(of.failed) == 0 {
			continue
		}
		names := make([]ObjectName, 0, len(of.failed))
		for name := range of.failed {
			names = append(names, name)
		}
		first := slices.MinFunc(names, func(a, b ObjectName) int { return strings.Compare(a.String(), b.String()) })
		return fmt.Errorf("%s %s: %w", of.objects.Resource().GroupResource(), printable.Text(first.String()), of.failed[first])
	}
	return nil
}

// endOf returns the error of an informer whose objects name scopes, and which has ended.
func (f *scopeFollower) endOf(objects *sharedInformer) error {
	err := fmt.Errorf("%s: %w", objects.name(), ErrStopped)
	f.informer.SetScopesError(err)
	return err
}

// followedObjects are the objects of a source. The mutex of the follower guards named and failed.
type followedObjects struct {
	ScopeSource
	follower *scopeFollower
	synced   <-chan struct{}
	// named has the scopes of each object, and failed the mistake in them.
	named  map[ObjectName][]Scope
	failed map[ObjectName]error
}

// deliver handles a change of an object.
func (of *followedObjects) deliver(n *processor.Notification) {
	name := MetaObjectToName(n.Obj)
	if n.Kind == processor.Delete {
		of.replace(name, nil, nil)
		return
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		err := &status.HandlerPanicError{Handler: "FollowScopes", Namespace: name.Namespace, Name: name.Name}
		monitor.LogPanic(of.follower.logger, of.objects.name(), "handler", err, recover(), true)
		of.fail(name, err)
	}()
	scopes, err := of.scopes(n.Obj)
	returned = true
	valid := make([]Scope, 0, len(scopes))
	for _, scope := range scopes {
		normal, mistake := scope.normal()
		if err = errors.Join(err, mistake); mistake == nil {
			valid = append(valid, normal)
		}
	}
	of.replace(name, valid, err)
}

// fail notes the mistake in the scopes of an object, which keeps those that it had.
func (of *followedObjects) fail(name ObjectName, err error) {
	of.follower.mu.Lock()
	defer of.follower.mu.Unlock()
	of.failed[name] = err
	of.follower.note()
}

// replace replaces the scopes of an object.
func (of *followedObjects) replace(name ObjectName, scopes []Scope, err error) {
	slices.SortFunc(scopes, Scope.compare)
	scopes = slices.Compact(scopes)
	f := of.follower
	f.mu.Lock()
	defer f.mu.Unlock()
	before, hadFailed := of.named[name], of.failed[name] != nil
	delete(of.failed, name)
	if err != nil {
		of.failed[name] = err
	}
	if slices.Equal(before, scopes) {
		if err != nil || hadFailed {
			f.note()
		}
		return
	}
	for _, scope := range scopes {
		if f.uses[scope]++; f.uses[scope] == 1 {
			f.isDirty = true
		}
	}
	for _, scope := range before {
		if f.uses[scope]--; f.uses[scope] == 0 {
			delete(f.uses, scope)
			f.isDirty = true
		}
	}
	if of.named[name] = scopes; len(scopes) == 0 {
		delete(of.named, name)
	}
	f.note()
}
