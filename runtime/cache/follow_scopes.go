package cache

import (
	"context"
	"errors"
	"fmt"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
)

// FollowScopes calls SetScopes of an informer with a scope for each object of another one, each time these change, until ctx ends.
// The caller runs both informers, and nothing else calls SetScopes of the first one. This follows each namespace with the label
// team=web:
//
//	namespaces, err := corev1informers.NamespaceKind(client).NewInformer(cache.WithLabelSelector("team=web"))
//	…
//	informer, err := FooKind(client).NewInformer(cache.WithScopesLater())
//	…
//	go cache.FollowScopes(ctx, informer, namespaces, func(n *corev1.Namespace) cache.Scope { return cache.Scope{Namespace: n.Name} })
//
// Until the objects are synced, the Status of the informer says how far they are. While they cannot be listed or watched, it has
// their error. If several objects have contradicting scopes in a namespace, it has an error too, the namespace keeps the scopes
// that it has, and all others are set. Several calls may follow the same objects.
//
// FollowScopes returns nil after the end of ctx, and an error that wraps ErrStopped if one of the informers has ended. The scopes
// stay then.
func FollowScopes[T, N Object](ctx context.Context, informer *SharedIndexInformer[T], objects *SharedIndexInformer[N], scope func(N) Scope) error {
	return followScopes(ctx, informer.machine, objects.machine, func(obj Object) Scope { return scope(indexer.Open(obj).(N)) })
}

func followScopes(ctx context.Context, follower, followed machine, scope func(Object) Scope) error {
	s, objects := follower.(*sharedInformer), followed.(*sharedInformer)
	changed := make(chan struct{}, 1)
	note := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	awaited := waiter(objects)
	s.set.awaited.Store(&awaited)
	defer objects.monitor.Observe(note)()
	noted := eventHandler{"FollowScopes", func(*processor.Notification) { note() }}
	reg, err := objects.addEventHandler(noted, []HandlerOption{WithHandlerName("FollowScopes")})
	if err != nil {
		return s.endOfObjects(objects)
	}
	defer func() { _ = objects.RemoveEventHandler(reg) }() // it is of this informer
	synced := reg.Synced()
	note() // the informer may have failed before
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.Ended():
			return fmt.Errorf("%s: %w", s.name(), ErrStopped)
		case <-objects.Ended():
			return s.endOfObjects(objects)
		case <-synced:
			synced = nil // the first scopes
		case <-changed:
		}
		// Not Status: the errors of other handlers do not matter.
		if status := objects.monitor.Following(); status.Err != nil {
			s.SetScopesError(&advice.SourceError{
				Verb: status.Verb, Resource: objects.Resource(), Namespaces: objects.set.namespaces(),
				Err: fmt.Errorf("%s: %w", objects.name(), status.Err),
			})
			continue
		}
		if synced != nil {
			s.SetScopesError(nil)
			continue
		}
		var scopes []Scope
		for obj := range objects.core.Indexer.All().Each() {
			scopes = append(scopes, scope(obj))
		}
		if isClosed(objects.Ended()) { // Stop empties the cache after that, and these may be too few
			return s.endOfObjects(objects)
		}
		if err := s.set.setScopes(scopes, true); err != nil && !errors.Is(err, ErrStopped) {
			s.SetScopesError(err)
		}
	}
}

// endOfObjects returns the error of an informer whose scopes were the objects of another one, which has ended.
func (s *sharedInformer) endOfObjects(objects *sharedInformer) error {
	err := fmt.Errorf("%s: %w", objects.name(), ErrStopped)
	s.SetScopesError(err)
	return err
}
