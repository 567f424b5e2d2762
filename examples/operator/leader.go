package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

// A leader that cannot renew its Lease stops after renewDeadline. The others wait for
// leaseDuration. The difference is the time that the leader has to stop.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
)

// errLost ends the process: its caches are fine, but a restart is the simplest way to
// become a candidate again.
var errLost = errors.New("the leader's Lease was lost")

// lead calls reconcile once this process holds the lock, and returns when reconcile has
// returned. If the lock is lost, it cancels the context of reconcile and returns errLost.
// If ctx ends, it gives the lock to the next leader after reconcile has returned.
func lead(ctx context.Context, lock resourcelock.Interface, watchdog *leaderelection.HealthzAdaptor, reconcile func(context.Context) error) error {
	electing, stop := context.WithCancel(ctx)
	defer stop()
	started := make(chan context.Context, 1)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Name:          name,
		Lock:          lock,
		LeaseDuration: leaseDuration,
		RenewDeadline: renewDeadline,
		RetryPeriod:   retryPeriod,
		// Not ReleaseOnCancel: it releases the lock while reconcile may still be running.
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) { started <- leading },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return err
	}
	watchdog.SetLeaderElection(elector)
	over := make(chan struct{})
	go func() {
		defer close(over)
		elector.Run(electing)
	}()

	lost := true
	select {
	case leading := <-started:
		err = reconcile(leading) // leading ends with ctx, or when the lock is lost
		lost = leading.Err() != nil
		stop()
		<-over
	case <-over:
	}
	if lost && ctx.Err() == nil {
		return errors.Join(errLost, err)
	}
	if err := release(ctx, lock); err != nil {
		klog.FromContext(ctx).Error(err, "The next leader has to wait until the Lease expires")
	}
	return err
}

// release gives up the lock, if this process holds it.
func release(ctx context.Context, lock resourcelock.Interface) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewDeadline)
	defer cancel()
	record, _, err := lock.Get(ctx)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read the Lease: %w", err)
	}
	if record.HolderIdentity != lock.Identity() {
		return nil
	}
	record.HolderIdentity = ""
	record.LeaseDurationSeconds = 1
	record.RenewTime = metav1.Now()
	if err := lock.Update(ctx, *record); err != nil {
		return fmt.Errorf("cannot release the Lease: %w", err)
	}
	return nil
}
