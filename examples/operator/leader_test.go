package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/typedinformers/informer-gen/apitest"
)

// kubeOf returns a client of a server.
func kubeOf(server *apitest.Server) kubernetes.Interface {
	return kubernetes.NewForConfigOrDie(&rest.Config{Host: server.URL(), Transport: server, QPS: -1})
}

func lockOf(server *apitest.Server, identity string) resourcelock.Interface {
	return &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: "operators", Name: name},
		Client:     kubeOf(server).CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}
}

// candidate is a process that takes part in the election.
type candidate struct {
	leads, wrote time.Time // when reconcile began, and ended
	err          error     // of lead
	stop         context.CancelFunc
	over         chan struct{}
	watchdog     *leaderelection.HealthzAdaptor
}

// stand starts a candidate, whose last write takes some time after its context has ended.
func stand(t *testing.T, server *apitest.Server, identity string, lastWrite time.Duration) *candidate {
	ctx, stop := context.WithCancel(t.Context())
	c := &candidate{stop: stop, over: make(chan struct{}), watchdog: leaderelection.NewLeaderHealthzAdaptor(leaseDuration)}
	go func() {
		defer close(c.over)
		c.err = lead(ctx, lockOf(server, identity), c.watchdog, func(leading context.Context) error {
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
		server := apitest.Start(t, apitest.WithScheme(scheme.Scheme))
		first := stand(t, server, "first", 4*time.Second)
		time.Sleep(time.Second)
		second := stand(t, server, "second", 0)
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
		server := apitest.Start(t, apitest.WithScheme(scheme.Scheme))
		leader := stand(t, server, "leader", time.Second)
		time.Sleep(time.Minute)
		server.On("*", "leases").Fail(errors.New("no route to host"))
		<-leader.over
		// The tracker is not affected.
		stored, err := server.Tracker(scheme.Scheme).Get(coordinationv1.SchemeGroupVersion.WithResource("leases"), "operators", name)
		if err != nil {
			t.Fatal(err)
		}
		if !errors.Is(leader.err, errLost) {
			t.Errorf("lead returned %v, want that the Lease was lost", leader.err)
		}
		if leader.wrote.IsZero() {
			t.Error("lead returned before reconcile")
		}
		if late := leader.wrote.Sub(stored.(*coordinationv1.Lease).Spec.RenewTime.Time); late >= leaseDuration {
			t.Errorf("the last write was %v after the last renewal, when another process may lead", late)
		}
	})
}

func TestEndsWithoutLeading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.Start(t, apitest.WithScheme(scheme.Scheme))
		stand(t, server, "leader", 0)
		time.Sleep(time.Second)
		other := stand(t, server, "other", 0)
		time.Sleep(time.Minute)
		other.stop()
		<-other.over
		if other.err != nil || !other.leads.IsZero() {
			t.Errorf("lead returned %v", other.err)
		}
		lease, err := kubeOf(server).CoordinationV1().Leases("operators").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil || *lease.Spec.HolderIdentity != "leader" {
			t.Errorf("the Lease of the leader was released: %+v, %v", lease, err)
		}
	})
}

func TestLeaderFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, failure := apitest.Start(t, apitest.WithScheme(scheme.Scheme)), errors.New("no cache")
		err := lead(t.Context(), lockOf(server, "leader"), leaderelection.NewLeaderHealthzAdaptor(leaseDuration), func(context.Context) error { return failure })
		if !errors.Is(err, failure) || errors.Is(err, errLost) {
			t.Errorf("lead returned %v", err)
		}
		lease, err := kubeOf(server).CoordinationV1().Leases("operators").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil || *lease.Spec.HolderIdentity != "" {
			t.Errorf("the Lease is not released: %+v, %v", lease, err)
		}
	})
}
