package crcache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
)

// ReadyChecker returns a check for mgr.AddReadyzCheck. It fails until all informers are synced,
// and the error has the reason for each that is not, and what to do: which right is missing on
// which resource, or which CRD is not installed. An informer that fails after it has synced does
// not fail the check, because the cache serves its last state; see Statuses. An informer that is added
// later does, until it is synced. healthz.Readiness of
// observe/healthz can also fail then, after a limit, and waits for handlers too.
//
//	err := mgr.AddReadyzCheck("cache", crcache.ReadyChecker(mgr.GetCache()))
//
// If c is not a *Cache, the check fails without a reason until c.WaitForCacheSync returns true.
func ReadyChecker(c ctrlcache.Cache) healthz.Checker {
	own, ok := c.(*Cache)
	if !ok {
		return func(request *http.Request) error { return checkOther(request.Context(), c) }
	}
	return func(*http.Request) error {
		if !isClosed(own.started) {
			return errors.New("the cache is not started")
		}
		var errs []error
		for status := range own.Kinds() {
			if status.NotSynced == "" {
				continue
			}
			text := fmt.Sprintf("%s is not synced: %s", status.GroupVersionKind.Kind, status.NotSynced)
			for _, advice := range status.Advice() {
				text += "\n\t" + advice.String()
			}
			errs = append(errs, errors.New(text))
		}
		return errors.Join(errs...)
	}
}

// otherTimeout is how long a check waits for a cache that has no status.
const otherTimeout = time.Second

// checkOther is the check of a cache of another package.
func checkOther(ctx context.Context, c ctrlcache.Cache) error {
	ctx, cancel := context.WithTimeout(ctx, otherTimeout)
	defer cancel()
	if !c.WaitForCacheSync(ctx) {
		return fmt.Errorf("the cache is not synced; a %T does not say why, so use crcache.New without Options.NewInformer", c)
	}
	return nil
}
