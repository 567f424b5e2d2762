package clientgo

import toolscache "k8s.io/client-go/tools/cache"

// The method HasSyncedChecker of client-go's interfaces, and the DoneChecker that it returns, are new in v0.36. So
// that this package compiles with v0.34 too, it does not name the type: Go infers D, the result of the method, from
// probe.HasSyncedChecker. Of two methods of one name, an embedding struct has the one that is less deep. So this is
// the method of client-go's interface if there is one, and else that of fallback.
type (
	probe struct {
		toolscache.SharedInformer
		deeper
	}
	deeper   struct{ fallback }
	fallback struct{}
)

// HasSyncedChecker is never called.
func (fallback) HasSyncedChecker() (none struct{}) { return none }

// checked is implemented by each type that gets a method HasSyncedChecker below.
type checked interface{ synced() doneChecker }

// checkerOf returns a DoneChecker, or nothing where client-go has none.
func checkerOf[D any](of checked) (checker D) {
	checker, _ = any(of.synced()).(D)
	return checker
}

type (
	versionedInformer[D any]     struct{ *sharedInformer }
	versionedController[D any]   struct{ controller }
	versionedRegistration[D any] struct{ *registration }
)

func (i versionedInformer[D]) HasSyncedChecker() D     { return checkerOf[D](i.sharedInformer) }
func (c versionedController[D]) HasSyncedChecker() D   { return checkerOf[D](c.controller) }
func (r versionedRegistration[D]) HasSyncedChecker() D { return checkerOf[D](r.registration) }

// informerOf returns s with the methods that the present version of client-go has.
func informerOf(s *sharedInformer) toolscache.SharedIndexInformer {
	return versionInformer(probe.HasSyncedChecker, s)
}

func versionInformer[D any](_ func(probe) D, s *sharedInformer) toolscache.SharedIndexInformer {
	return any(versionedInformer[D]{s}).(toolscache.SharedIndexInformer)
}

func controllerOf(c controller) toolscache.Controller {
	return versionController(probe.HasSyncedChecker, c)
}

func versionController[D any](_ func(probe) D, c controller) toolscache.Controller {
	return any(versionedController[D]{c}).(toolscache.Controller)
}

func registrationOf(r *registration) toolscache.ResourceEventHandlerRegistration {
	return versionRegistration(probe.HasSyncedChecker, r)
}

func versionRegistration[D any](_ func(probe) D, r *registration) toolscache.ResourceEventHandlerRegistration {
	return any(versionedRegistration[D]{r}).(toolscache.ResourceEventHandlerRegistration)
}
