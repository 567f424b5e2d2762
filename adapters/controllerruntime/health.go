package crcache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	readiness "github.com/typedinformers/informer-gen/observe/healthz"
)

// ReadyChecker returns a check for mgr.AddReadyzCheck. It fails until the cache is started, and all its informers are ready
// by the rules of package observe/healthz, without limits. The error has the reason for each that is not, and what to do: which
// right is missing on which resource, or which CRD is not installed. An informer that fails after it has synced does
// not fail the check, because the cache serves its last state; see Statuses. An informer that is added
// later does, until it is synced.
//
//	err := mgr.AddReadyzCheck("cache", crcache.ReadyChecker(mgr.GetCache()))
//
// If c is not a *Cache, the check fails without a reason until c.WaitForCacheSync returns true.
func ReadyChecker(c ctrlcache.Cache) healthz.Checker {
	own, ok := c.(*Cache)
	if !ok {
		return func(request *http.Request) error { return checkOther(request.Context(), c) }
	}
	ready := readiness.Readiness(own)
	return func(r *http.Request) error {
		if !isClosed(own.started) {
			return errors.New("the cache is not started")
		}
		return ready(r)
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
