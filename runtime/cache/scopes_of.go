package cache

import (
	"context"
	"fmt"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/pack"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
)

// ScopesOf returns a ScopeSource with a scope for each object of another informer. The caller runs that
// informer. This source has each namespace with the label team=web:
//
//	namespaces, err := corev1informers.NamespaceKind(client).NewInformer(cache.WithLabelSelector("team=web"))
//	…
//	cache.WithScopeSource(cache.ScopesOf(namespaces, func(n *corev1.Namespace) cache.Scope { return cache.Scope{Namespace: n.Name} }))
//
// Until that informer is synced, Status says how far it is. While it cannot list or watch, Status has its error.
func ScopesOf[N Object](objects *SharedIndexInformer[N], scope func(N) Scope) ScopeSource {
	return scopesOf(objects.machine, func(obj Object) Scope { return scope(pack.Open(obj).(N)) })
}

func scopesOf(machine machine, scope func(Object) Scope) ScopeSource {
	objects := machine.(*informer)
	return func(ctx context.Context, set func(scopes ...Scope) error) error {
		changed := make(chan struct{}, 1)
		note := func() {
			select {
			case changed <- struct{}{}:
			default:
			}
		}
		defer objects.observers.Add(note)()
		noted := eventHandler{"ScopesOf", func(*processor.Notification) { note() }}
		reg, err := objects.addEventHandler(noted, []HandlerOption{WithHandlerName("ScopesOf")})
		stopped := func() error { return fmt.Errorf("%s: %w", objects.name(), ErrStopped) }
		if err != nil {
			return stopped()
		}
		defer func() { _ = objects.RemoveEventHandler(reg) }() // it is of this informer
		synced := reg.Synced()
		report := reportOf(ctx)
		report.of(objects)
		note() // the informer may have failed before
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-objects.Ended():
				return stopped()
			case <-synced:
				synced = nil // the first scopes
			case <-changed:
			}
			// Not Status: the errors of other handlers do not matter.
			if err := objects.statusOfAll().Err; err != nil {
				report.failed(sourceErrorOf(objects, err))
				continue
			}
			if synced != nil {
				report.failed(nil)
				continue
			}
			var scopes []Scope
			for obj := range objects.indexer.All().Each() {
				scopes = append(scopes, scope(obj))
			}
			if isClosed(objects.Ended()) { // Stop empties the cache after that, and these may be too few
				return stopped()
			}
			_ = set(scopes...) // Status has the error
		}
	}
}

func sourceErrorOf(objects *informer, err error) error {
	return &scopeSourceError{objects.Resource(), objects.namespaces(), objects.statusOfAll().Verb, fmt.Errorf("%s: %w", objects.name(), err)}
}
