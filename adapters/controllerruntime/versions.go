package crcache

import (
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
)

// client-go's DoneChecker, the result of HasSyncedChecker, is new in v0.36. As in package clientgo, whose file versions.go
// explains it, Go infers the type D from probe.HasSyncedChecker.
type (
	probe struct {
		toolscache.SharedInformer
		deeper
	}
	deeper  struct{ earlier }
	earlier struct{}
)

// HasSyncedChecker is never called.
func (earlier) HasSyncedChecker() (none struct{}) { return none }

type (
	versionedInformer[D any]     struct{ *informer }
	versionedController[D any]   struct{ controller }
	versionedRegistration[D any] struct{ *lateHandler }
)

func (i versionedInformer[D]) HasSyncedChecker() D     { return checkerOf[D](i.checker()) }
func (c versionedController[D]) HasSyncedChecker() D   { return checkerOf[D](c.checker()) }
func (r versionedRegistration[D]) HasSyncedChecker() D { return checkerOf[D](r.checker()) }

// checkerOf returns a DoneChecker, or nothing where client-go has none.
func checkerOf[D any](of checker) (found D) {
	found, _ = any(of).(D)
	return found
}

// informerOrError returns i with the methods that the present version of client-go has.
func informerOrError(i *informer, err error) (ctrlcache.Informer, error) {
	if err != nil {
		return nil, err
	}
	return versionInformer(probe.HasSyncedChecker, i), nil
}

func versionInformer[D any](_ func(probe) D, i *informer) ctrlcache.Informer {
	return any(versionedInformer[D]{i}).(toolscache.SharedIndexInformer)
}

func controllerOf(c controller) toolscache.Controller {
	return versionController(probe.HasSyncedChecker, c)
}

func versionController[D any](_ func(probe) D, c controller) toolscache.Controller {
	return any(versionedController[D]{c}).(toolscache.Controller)
}

func registrationOf(h *lateHandler) toolscache.ResourceEventHandlerRegistration {
	return versionRegistration(probe.HasSyncedChecker, h)
}

func versionRegistration[D any](_ func(probe) D, h *lateHandler) toolscache.ResourceEventHandlerRegistration {
	return any(versionedRegistration[D]{h}).(toolscache.ResourceEventHandlerRegistration)
}
