package crcache_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// TestTwoClusters has a controller that reads one API server, and copies to another one, with a cache of each.
func TestTwoClusters(t *testing.T) {
	own := &writes.Observer{}
	here, there := newConfig(secret("one"), secret("two")), newConfig()
	there.Wrap(own.Transport)
	mgr, err := ctrl.NewManager(here, ctrl.Options{NewCache: crcache.New, Metrics: noMetrics, Controller: anyName})
	if err != nil {
		t.Fatal(err)
	}
	target, err := cluster.New(there, func(o *cluster.Options) { o.NewCache = crcache.NewFunc(crcache.WithReadYourWrites(own)) })
	if err != nil {
		t.Fatal(err)
	}
	if err := mgr.Add(target); err != nil {
		t.Fatal(err)
	}
	copied, deleted := make(chan string, 10), make(chan string, 10)
	err = ctrl.NewControllerManagedBy(mgr).
		Named("copy").
		For(&corev1.Secret{}).
		WatchesRawSource(source.Kind(target.GetCache(), &corev1.Secret{}, &handler.TypedEnqueueRequestForObject[*corev1.Secret]{})).
		Complete(reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			var of, to corev1.Secret
			if err := mgr.GetClient().Get(ctx, request.NamespacedName, &of); apierrors.IsNotFound(err) {
				if err = target.GetClient().Get(ctx, request.NamespacedName, &to); err == nil {
					if err = target.GetClient().Delete(ctx, &to); err == nil {
						deleted <- request.Name
					}
				}
				return reconcile.Result{}, client.IgnoreNotFound(err)
			} else if err != nil {
				return reconcile.Result{}, err
			}
			err := target.GetClient().Get(ctx, request.NamespacedName, &to)
			if !apierrors.IsNotFound(err) {
				return reconcile.Result{}, err
			}
			to.ObjectMeta = metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Name, Labels: map[string]string{"copied": "yes"}}
			if err := target.GetClient().Create(ctx, &to); err != nil {
				return reconcile.Result{}, err
			}
			if err := target.GetClient().Get(ctx, request.NamespacedName, &to); err != nil {
				return reconcile.Result{}, err // the cache of the other server has it already
			}
			copied <- request.Name
			return reconcile.Result{}, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := start(mgr)
	defer stop()
	want := func(events <-chan string, names ...string) {
		t.Helper()
		left := map[string]bool{}
		for _, name := range names {
			left[name] = true
		}
		for len(left) > 0 {
			name := <-events
			if !left[name] {
				t.Fatalf("an event of %s, want one of %v", name, names)
			}
			delete(left, name)
		}
	}
	want(copied, "one", "two")
	var list corev1.SecretList
	if err := mgr.GetClient().List(ctx, &list, client.MatchingLabels{"copied": "yes"}); err != nil || len(list.Items) != 0 {
		t.Errorf("the cache of the source has %d copies: %v", len(list.Items), err)
	}
	if err := target.GetClient().Delete(ctx, secret("one")); err != nil { // an event of the other server
		t.Fatal(err)
	}
	want(copied, "one")
	if err := mgr.GetClient().Delete(ctx, secret("two")); err != nil {
		t.Fatal(err)
	}
	want(deleted, "two")
}
