package apiclients

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestInformersInABubble runs informers of client-go, whose handlers write, over restarts.
func TestInformersInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, config := start(t)
		clients := clientset(t, config)
		factory := informers.NewSharedInformerFactory(clients, time.Minute)
		maps := factory.Core().V1().ConfigMaps()
		_, err := maps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
			made := obj.(*corev1.ConfigMap)
			if made.Labels["seen"] != "" {
				return
			}
			made = made.DeepCopy()
			made.Labels = map[string]string{"seen": "yes"}
			if _, err := clients.CoreV1().ConfigMaps(made.Namespace).Update(t.Context(), made, metav1.UpdateOptions{}); err != nil && !apierrors.IsConflict(err) {
				t.Error(err)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		factory.Start(ctx.Done())
		factory.WaitForCacheSync(ctx.Done())
		for i := range 30 {
			if _, err := clients.CoreV1().ConfigMaps("a").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("m%d", i)}}, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			if i%10 == 9 {
				server.Restart()
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		all, err := maps.Lister().List(labels.Everything())
		if err != nil || len(all) != 30 {
			t.Errorf("%d objects, %v", len(all), err)
		}
		for _, m := range all {
			if m.Labels["seen"] != "yes" {
				t.Errorf("%s was not updated: %v", m.Name, m.Labels)
			}
		}
		stop()
		factory.Shutdown()
	})
}

// TestLeaderElectionInABubble runs two candidates, of which the first is stopped and then the
// connection of the second.
func TestLeaderElectionInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, config := start(t)
		clients := clientset(t, config)
		var mu sync.Mutex
		var events []string
		note := func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			events = append(events, fmt.Sprintf(format, args...))
		}
		var group sync.WaitGroup
		run := func(name string) context.CancelFunc {
			ctx, cancel := context.WithCancel(t.Context())
			group.Go(func() {
				leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
					Lock: &resourcelock.LeaseLock{
						LeaseMeta: metav1.ObjectMeta{Namespace: "a", Name: "lock"}, Client: clients.CoordinationV1(),
						LockConfig: resourcelock.ResourceLockConfig{Identity: name},
					},
					LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
					ReleaseOnCancel: true,
					Callbacks: leaderelection.LeaderCallbacks{
						OnStartedLeading: func(ctx context.Context) { note("%s leads", name); <-ctx.Done() },
						OnStoppedLeading: func() { note("%s stops", name) },
					},
				})
			})
			return cancel
		}
		first := run("first")
		time.Sleep(time.Second)
		second := run("second")
		time.Sleep(time.Minute)
		first()
		time.Sleep(time.Minute)
		fault := server.On("update", "leases").Timeout()
		time.Sleep(time.Minute)
		fault.Remove()
		second()
		group.Wait()
		if want := []string{"first leads", "first stops", "second leads", "second stops"}; !slices.Equal(events, want) {
			t.Errorf("%v, want %v", events, want)
		}
	})
}

// TestManagerInABubble runs a manager of controller-runtime that owns children, with finalizers.
func TestManagerInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, restConfig := start(t)
		skip := true
		mgr, err := ctrl.NewManager(restConfig, ctrl.Options{
			Scheme: scheme.Scheme, Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
			LeaderElection: true, LeaderElectionID: "lock", LeaderElectionNamespace: "a", LeaderElectionReleaseOnCancel: true,
			Controller: config.Controller{SkipNameValidation: &skip},
		})
		if err != nil {
			t.Fatal(err)
		}
		c := mgr.GetClient()
		const finalizer = "example.com/child"
		err = ctrl.NewControllerManagedBy(mgr).For(&corev1.ConfigMap{}).Owns(&corev1.Secret{}).Complete(reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
			var owner corev1.ConfigMap
			if err := c.Get(ctx, r.NamespacedName, &owner); err != nil {
				return reconcile.Result{}, client.IgnoreNotFound(err)
			}
			if !owner.DeletionTimestamp.IsZero() {
				if controllerutil.RemoveFinalizer(&owner, finalizer) {
					return reconcile.Result{}, c.Update(ctx, &owner)
				}
				return reconcile.Result{}, nil
			}
			if controllerutil.AddFinalizer(&owner, finalizer) {
				return reconcile.Result{}, c.Update(ctx, &owner)
			}
			child := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name}}
			_, err := controllerutil.CreateOrUpdate(ctx, c, child, func() error {
				child.StringData = map[string]string{"k": owner.Data["k"]}
				return controllerutil.SetControllerReference(&owner, child, scheme.Scheme)
			})
			return reconcile.Result{}, err
		}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- mgr.Start(ctx) }()
		direct, err := client.New(restConfig, client.Options{Scheme: scheme.Scheme})
		if err != nil {
			t.Fatal(err)
		}
		owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one"}, Data: map[string]string{"k": "v"}}
		if err := direct.Create(ctx, owner); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		var child corev1.Secret
		at := types.NamespacedName{Namespace: "a", Name: "one"}
		if err := direct.Get(ctx, at, &child); err != nil || len(child.OwnerReferences) != 1 {
			t.Fatalf("the child: %v, %v", err, child)
		}
		server.Restart()
		if err := direct.Delete(ctx, &child); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if err := direct.Get(ctx, at, &child); err != nil {
			t.Fatalf("the second child: %v", err)
		}
		if err := direct.Delete(ctx, owner); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		for _, obj := range []client.Object{owner, &child} {
			if err := direct.Get(ctx, at, obj); !apierrors.IsNotFound(err) {
				t.Errorf("%T: %v", obj, err)
			}
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
