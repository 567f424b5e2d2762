package cache

import (
	"context"
	"errors"

	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// ScopeSource tells an informer which scopes to follow, as long as it runs. Run of the informer calls
// the function, which calls set with all scopes, each time they change, and returns when ctx ends. The
// error of set is that of SharedIndexInformer.SetScopes. If the function returns an error before,
// Status has it, and the function is called again after a while; the scopes stay meanwhile.
type ScopeSource func(ctx context.Context, set func(scopes ...Scope) error) error

// WithScopeSource limits an informer to the scopes of a source, which may change while the informer
// runs. The informer is not synced before the source has told the first scopes. An empty set is
// one: the informer is synced then, and has no objects.
func WithScopeSource(source ScopeSource) SharedInformerOption {
	return func(o *options) { o.once("WithScopeSource") } // TODO(i23): B
}

// ScopesFrom returns the ScopeSource of a channel. When the channel is closed, the last scopes stay.
func ScopesFrom(scopes <-chan []Scope) ScopeSource {
	return func(ctx context.Context, set func(scopes ...Scope) error) error {
		return errors.ErrUnsupported // TODO(i23): B
	}
}

// ScopesOf returns a ScopeSource with a scope for each object of another informer, which the caller
// runs: with one of Namespaces, and a label selector, each namespace that has these labels.
//
//	namespaces, err := corev1informers.NamespaceKind(client).NewInformer(cache.WithLabelSelector("team=web"))
//	…
//	cache.WithScopeSource(cache.ScopesOf(namespaces, func(n *corev1.Namespace) cache.Scope { return cache.Scope{Namespace: n.Name} }))
//
// While that informer does not follow the server, Status has its error.
func ScopesOf[N Object](objects *SharedIndexInformer[N], scope func(N) Scope) ScopeSource {
	return func(ctx context.Context, set func(scopes ...Scope) error) error {
		return errors.ErrUnsupported // TODO(i23): B
	}
}

// WithShard limits informers to a shard, the objects whose hash is in its ranges:
//
//	cache.WithShard(sharding.Split(sharding.UID, 4)[0])
//
// It applies to each of their scopes without a ShardSelector. The informer asks the server for the
// shard, unless its key is sharding.Owner, and leaves out other objects before they are decoded, because
// most servers ignore the request (https://kep.k8s.io/5866 is alpha). Stats.Dropped counts them. A shard with
// all objects, the zero value, as an option of a kind replaces that of the factory.
//
// With sharding.Owner, an object whose controller changes may leave the shard: OnDelete has its last
// cached state then, and an unknown final state.
func WithShard(shard sharding.Selector) SharedInformerOption {
	return func(o *options) {
		o.once("WithShard")
		o.shard = &shard
	}
}

// SetScopes replaces the scopes of the informer, at any time. A scope that was there before goes on.
// A new one is listed and watched on its own, while the others go on. The watch of one that is
// no longer there is closed. OnDelete is called, with the last cached state and an unknown final
// state, for what no other scope has; if a new scope may have it, when its first list does not.
//
// The error is an *OptionError, or joins several of them, and nothing has changed then. A handler may
// call SetScopes, an index function, a transform or a hook must not.
func (s *SharedIndexInformer[T]) SetScopes(scopes ...Scope) error {
	return errors.ErrUnsupported // TODO(i23): B
}

// Scopes returns the scopes of the informer, sorted.
func (s *SharedIndexInformer[T]) Scopes() []Scope {
	return nil // TODO(i23): B
}
