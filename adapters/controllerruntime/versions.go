package crcache

import (
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/typedinformers/informer-gen/internal/synced"
)

// As in package clientgo, whose file versions.go explains it, what becomes an interface of client-go or controller-runtime
// embeds a nil value of it, one level deeper than its own methods, for those that a later version adds. An informer embeds an
// adapter of clientgo, which has later methods of client-go; those of controller-runtime are deeper, because both interfaces
// may get the same one.
type (
	laterCache        struct{ ctrlcache.Cache }
	laterInformer     struct{ deeperInformer }
	deeperInformer    struct{ ctrlcache.Informer }
	laterRegistration struct {
		toolscache.ResourceEventHandlerRegistration
	}
)

// These fail to compile if a method gets another signature.
var (
	_ ctrlcache.Cache                             = (*Cache)(nil)
	_ toolscache.SharedIndexInformer              = (*informer)(nil)
	_ ctrlcache.Informer                          = (*informer)(nil)
	_ toolscache.ResourceEventHandlerRegistration = (*follower)(nil)
)

// Go infers D, the type of HasSyncedChecker's result, and S, that of SetShardSelector's parameter, from the methods of probe.
type (
	probe struct {
		toolscache.SharedIndexInformer
		deeper
	}
	deeper  struct{ earlier }
	earlier struct{}
)

// HasSyncedChecker is never called.
func (earlier) HasSyncedChecker() (none struct{}) { return none }

// SetShardSelector is never called.
func (earlier) SetShardSelector(struct{}) error { return nil }

type (
	versionedInformer[D, S any]  struct{ *informer }
	versionedController[D any]   struct{ controller }
	versionedRegistration[D any] struct{ *follower }
)

func (i versionedInformer[D, S]) HasSyncedChecker() D  { return synced.As[D](i.checker()) }
func (c versionedController[D]) HasSyncedChecker() D   { return synced.As[D](c.checker()) }
func (r versionedRegistration[D]) HasSyncedChecker() D { return synced.As[D](r.checker()) }

// SetShardSelector returns an error, like SetTransform.
func (i versionedInformer[D, S]) SetShardSelector(S) error { return i.setShard() }

// informerOrError returns i with the methods that the present version of client-go has.
func informerOrError(i *informer, err error) (ctrlcache.Informer, error) {
	if err != nil {
		return nil, err
	}
	return versionInformer(probe.HasSyncedChecker, probe.SetShardSelector, i), nil
}

func versionInformer[D, S any](_ func(probe) D, _ func(probe, S) error, i *informer) ctrlcache.Informer {
	return any(versionedInformer[D, S]{i}).(ctrlcache.Informer)
}

func controllerOf(c controller) toolscache.Controller {
	return versionController(probe.HasSyncedChecker, c)
}

func versionController[D any](_ func(probe) D, c controller) toolscache.Controller {
	return any(versionedController[D]{c}).(toolscache.Controller)
}

func registrationOf(f *follower) toolscache.ResourceEventHandlerRegistration {
	return versionRegistration(probe.HasSyncedChecker, f)
}

func versionRegistration[D any](_ func(probe) D, f *follower) toolscache.ResourceEventHandlerRegistration {
	return any(versionedRegistration[D]{f}).(toolscache.ResourceEventHandlerRegistration)
}
