package main

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func lockOf(kube *kubefake.Clientset, identity string) resourcelock.Interface {
	return &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: "operators", Name: name},
		Client:     kube.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}
}

// candidate is a process that takes part in the election.
type candidate struct {
	leads, wrote time.Time // when reconcile began, and ended
	err          error     // of lead
	stop         context.CancelFunc
	over         chan struct{}
}

// stand starts a candidate, whose last write takes some time after its context has ended.
func stand(t *testing.T, kube *kubefake.Clientset, identity string, lastWrite time.Duration) *candidate {
	ctx, stop := context.WithCancel(t.Context())
	c := &candidate{stop: stop, over: make(chan struct{})}
	watchdog := leaderelection.NewLeaderHealthzAdaptor(leaseDuration)
	go func() {
		defer close(c.over)
		c.err = lead(ctx, lockOf(kube, identity), watchdog, func(leading context.Context) error {
			c.leads = time.Now()
			<-leading.Done()
			time.Sleep(lastWrite)
			c.wrote = time.Now()
			return nil
		})
	}()
	t.Cleanup(func() { stop(); <-c.over })
	return c
}

func TestNextLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kube := kubefake.NewClientset()
		first := stand(t, kube, "first", 4*time.Second)
		time.Sleep(time.Second)
		second := stand(t, kube, "second", 0)
		time.Sleep(time.Minute)
		synctest.Wait()
		if first.leads.IsZero() || !second.leads.IsZero() {
			t.Fatal("not the first candidate leads")
		}
		first.stop()
		<-first.over
		time.Sleep(leaseDuration)
		synctest.Wait()
		if first.err != nil {
			t.Errorf("a leader that was asked to stop ended with %v", first.err)
		}
		if second.leads.IsZero() {
			t.Fatal("no process leads")
		}
		if wait := second.leads.Sub(first.wrote); wait < 0 || wait > 3*retryPeriod {
			t.Errorf("the next leader began %v after the last write", wait)
		}
	})
}

// TestLostLease lets the server refuse renewals: another process could be the leader when
// the Lease has expired, so nothing may be written then.
func TestLostLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kube := kubefake.NewClientset()
		var down atomic.Bool
		var renewed time.Time // by a request that succeeded
		kube.PrependReactor("*", "leases", func(action clienttesting.Action) (bool, runtime.Object, error) {
			if down.Load() {
				return true, nil, errors.New("no route to host")
			}
			renewed = time.Now()
			return false, nil, nil
		})
		leader := stand(t, kube, "leader", time.Second)
		time.Sleep(time.Minute)
		down.Store(true)
		<-leader.over
		if !errors.Is(leader.err, errLost) {
			t.Errorf("lead returned %v, want that the Lease was lost", leader.err)
		}
		if leader.wrote.IsZero() {
			t.Error("lead returned before reconcile")
		}
		if late := leader.wrote.Sub(renewed); late >= leaseDuration {
			t.Errorf("the last write was %v after the last renewal, when another process may lead", late)
		}
	})
}

func TestEndsWithoutLeading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kube := kubefake.NewClientset()
		stand(t, kube, "leader", 0)
		time.Sleep(time.Second)
		other := stand(t, kube, "other", 0)
		time.Sleep(time.Minute)
		other.stop()
		<-other.over
		if other.err != nil || !other.leads.IsZero() {
			t.Errorf("lead returned %v", other.err)
		}
		lease, err := kube.CoordinationV1().Leases("operators").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil || *lease.Spec.HolderIdentity != "leader" {
			t.Errorf("the Lease of the leader was released: %+v, %v", lease, err)
		}
	})
}

func TestLeaderFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kube, failure := kubefake.NewClientset(), errors.New("no cache")
		err := lead(t.Context(), lockOf(kube, "leader"), leaderelection.NewLeaderHealthzAdaptor(leaseDuration), func(context.Context) error { return failure })
		if !errors.Is(err, failure) || errors.Is(err, errLost) {
			t.Errorf("lead returned %v", err)
		}
		lease, err := kube.CoordinationV1().Leases("operators").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil || *lease.Spec.HolderIdentity != "" {
			t.Errorf("the Lease is not released: %+v, %v", lease, err)
		}
	})
}
