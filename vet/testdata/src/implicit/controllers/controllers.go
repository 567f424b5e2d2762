package controllers // want package:"reads with clients"

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type Reconciler struct {
	client.Client
	Direct client.Reader
}

func (r *Reconciler) SetupWithManager(manager ctrl.Manager) {
	ctrl.NewControllerManagedBy(manager).For(&corev1.Pod{}).Owns(&corev1.ConfigMap{})
}

func (r *Reconciler) Reconcile(ctx context.Context) {
	var (
		secret    corev1.Secret
		pods      corev1.PodList
		configMap corev1.ConfigMap
		node      corev1.Node
	)
	r.Get(ctx, client.ObjectKey{}, &secret)
	r.List(ctx, &pods)
	r.Get(ctx, client.ObjectKey{}, &configMap)
	r.Direct.Get(ctx, client.ObjectKey{}, &node)
}

// annotations gets its client from a function.
type annotations struct{ client client.Client }

func New(c client.Client) *annotations { return &annotations{client: c} }

func (a *annotations) Get(ctx context.Context) { first(ctx, a.client) }

func first(ctx context.Context, c client.Client) {
	var node corev1.Node
	c.Get(ctx, client.ObjectKey{}, &node)
}

// Other gets no manager of the programs in this folder.
func Other(ctx context.Context, other ctrl.Manager) {
	var node corev1.Node
	other.GetClient().Get(ctx, client.ObjectKey{}, &node)
}
