package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/shard"
)

// reconciledBy is the annotation with the name of the replica that has reconciled a ConfigMap.
const reconciledBy = "example.com/reconciled-by"

// reconciler writes which replica has reconciled a ConfigMap.
type reconciler struct {
	replica    string
	shards     *shard.Coordinator
	configMaps *cache.SharedIndexInformer[*corev1.ConfigMap]
	client     client.Client
}

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	configMap, found := r.configMaps.GetIndexer().Get(cache.ObjectName(request.NamespacedName))
	if !found {
		return reconcile.Result{}, nil
	}
	ctx, done, owns := r.shards.Begin(ctx, configMap)
	if !owns {
		return reconcile.Result{}, nil // the controller of its next owner gets it
	}
	defer done()
	var namespace corev1.Namespace
	if err := r.client.Get(ctx, client.ObjectKey{Name: configMap.Namespace}, &namespace); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if namespace.DeletionTimestamp != nil || configMap.Annotations[reconciledBy] == r.replica {
		return reconcile.Result{}, nil
	}
	changed := configMap.DeepCopy()
	metav1.SetMetaDataAnnotation(&changed.ObjectMeta, reconciledBy, r.replica)
	return reconcile.Result{}, client.IgnoreNotFound(r.client.Patch(ctx, changed, client.MergeFrom(configMap)))
}
