package controller

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	webv1 "github.com/typedinformers/informer-gen/test/kubebuilder/api/v1"
)

const themeFinalizer = "web.example.com/theme"

// ThemeReconciler reconciles a Theme: it reports the sites that use it, and keeps it as long
// as there are any.
type ThemeReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

// +kubebuilder:rbac:groups=web.example.com,resources=themes,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=web.example.com,resources=themes/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=web.example.com,resources=themes/finalizers,verbs=update

// Reconcile writes the status of one theme, and frees it if it is deleted and not used.
func (r *ThemeReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var theme webv1.Theme
	if err := r.Get(ctx, req.NamespacedName, &theme); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var sites webv1.SiteList
	if err := r.List(ctx, &sites, client.InNamespace(theme.Namespace), client.MatchingFields{themeField: theme.Name}); err != nil {
		return ctrl.Result{}, err
	}
	if !theme.DeletionTimestamp.IsZero() && len(sites.Items) == 0 {
		return ctrl.Result{}, r.free(ctx, &theme)
	}
	if theme.DeletionTimestamp.IsZero() && controllerutil.AddFinalizer(&theme, themeFinalizer) {
		if err := r.Update(ctx, &theme); err != nil {
			return ctrl.Result{}, err
		}
	}

	ready, err := r.readyReplicas(ctx, &theme)
	if err != nil {
		return ctrl.Result{}, err
	}
	status := webv1.ThemeStatus{ObservedGeneration: theme.Generation, ReadyReplicas: ready}
	for i := range sites.Items {
		status.Sites = append(status.Sites, sites.Items[i].Name)
	}
	slices.Sort(status.Sites)
	if old := theme.Status; old.ObservedGeneration != status.ObservedGeneration || old.ReadyReplicas != ready || !slices.Equal(old.Sites, status.Sites) {
		theme.Status = status
		if err := r.Status().Update(ctx, &theme); err != nil {
			return ctrl.Result{}, err
		}
	}
	outcome := "Free"
	if len(status.Sites) > 0 {
		outcome = "Used"
	}
	logf.FromContext(ctx).Info("Reconciled", "outcome", outcome)
	return ctrl.Result{}, nil
}

// readyReplicas reads the Deployments of the theme as unstructured objects.
func (r *ThemeReconciler) readyReplicas(ctx context.Context, theme *webv1.Theme) (sum int64, err error) {
	var deployments unstructured.UnstructuredList
	deployments.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("DeploymentList"))
	if err := r.List(ctx, &deployments, client.InNamespace(theme.Namespace), client.MatchingLabels{ThemeLabel: theme.Name}); err != nil {
		return 0, err
	}
	for _, deployment := range deployments.Items {
		ready, _, err := unstructured.NestedInt64(deployment.Object, "status", "readyReplicas")
		if err != nil {
			return 0, err
		}
		sum += ready
	}
	return sum, nil
}

// free lets a deleted theme go.
func (r *ThemeReconciler) free(ctx context.Context, theme *webv1.Theme) error {
	if !controllerutil.RemoveFinalizer(theme, themeFinalizer) {
		return nil
	}
	if err := r.Update(ctx, theme); err != nil {
		return client.IgnoreNotFound(err)
	}
	logf.FromContext(ctx).Info("Reconciled", "outcome", "Removed")
	return nil
}

// SetupWithManager adds the controller to the manager.
func (r *ThemeReconciler) SetupWithManager(mgr ctrl.Manager) error {
	deployments := &unstructured.Unstructured{}
	deployments.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	return ctrl.NewControllerManagedBy(mgr).
		For(&webv1.Theme{}).
		Watches(&webv1.Site{}, handler.EnqueueRequestsFromMapFunc(themeOfSite)).
		Watches(deployments, handler.EnqueueRequestsFromMapFunc(themeOfDeployment)).
		Named("theme").
		Complete(r)
}

// themeOfSite returns the theme that a site names. A site that changes its theme requests
// both, because the handler maps the object before the change, too.
func themeOfSite(_ context.Context, obj client.Object) []ctrl.Request {
	return request(obj.GetNamespace(), obj.(*webv1.Site).Spec.Theme)
}

func themeOfDeployment(_ context.Context, obj client.Object) []ctrl.Request {
	return request(obj.GetNamespace(), obj.GetLabels()[ThemeLabel])
}

func request(namespace, name string) []ctrl.Request {
	if name == "" {
		return nil
	}
	return []ctrl.Request{{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}}
}
