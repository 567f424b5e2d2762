// Package controller reconciles sites and themes.
package controller

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	webv1 "github.com/typedinformers/informer-gen/test/kubebuilder/api/v1"
)

const (
	// CertificateLabel is the label of Secrets that are certificates.
	CertificateLabel = "web.example.com/certificate"
	// ThemeLabel is the label of Deployments with the name of the theme.
	ThemeLabel = "web.example.com/theme"

	siteFinalizer = "web.example.com/site"
	siteLabel     = "web.example.com/site"

	// Indexes of sites.
	themeField       = "spec.theme"
	certificateField = "spec.certificateSecret"

	readyCondition = "Ready"
)

// SiteReconciler reconciles a Site: it serves the page of a ConfigMap with a Deployment.
type SiteReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

// +kubebuilder:rbac:groups=web.example.com,resources=sites,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=web.example.com,resources=sites/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=web.example.com,resources=sites/finalizers,verbs=update
// +kubebuilder:rbac:groups=web.example.com,resources=themes,verbs=get;list;watch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch

// Reconcile brings one site to its spec.
func (r *SiteReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var site webv1.Site
	if err := r.Get(ctx, req.NamespacedName, &site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.remove(ctx, &site)
	}
	if controllerutil.AddFinalizer(&site, siteFinalizer) {
		if err := r.Update(ctx, &site); err != nil {
			return ctrl.Result{}, err
		}
	}

	before := site.Status.DeepCopy()
	reason, message, err := r.serve(ctx, &site)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.report(ctx, &site, before, reason, message); err != nil {
		return ctrl.Result{}, err
	}
	logf.FromContext(ctx).Info("Reconciled", "outcome", reason)
	return ctrl.Result{}, nil
}

// serve creates and updates what the site needs. It returns the reason and the message of
// the condition Ready.
func (r *SiteReconciler) serve(ctx context.Context, site *webv1.Site) (reason, message string, err error) {
	var theme webv1.Theme
	switch err := r.Get(ctx, client.ObjectKey{Namespace: site.Namespace, Name: site.Spec.Theme}, &theme); {
	case apierrors.IsNotFound(err):
		return "ThemeNotFound", fmt.Sprintf("there is no theme %s", site.Spec.Theme), nil
	case err != nil:
		return "", "", err
	}
	if name := site.Spec.CertificateSecret; name != "" {
		var secret metav1.PartialObjectMetadata
		secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		switch err := r.Get(ctx, client.ObjectKey{Namespace: site.Namespace, Name: name}, &secret); {
		case apierrors.IsNotFound(err):
			return "CertificateNotFound", fmt.Sprintf("there is no certificate %s", name), nil
		case err != nil:
			return "", "", err
		}
	}
	if err := r.writePage(ctx, site, &theme); err != nil {
		return "", "", err
	}
	deployment, err := r.writeDeployment(ctx, site)
	if err != nil {
		return "", "", err
	}
	site.Status.ReadyReplicas = deployment.Status.ReadyReplicas
	if site.Status.ReadyReplicas < site.Spec.Replicas {
		return "Progressing", fmt.Sprintf("%d of %d pods are ready", site.Status.ReadyReplicas, site.Spec.Replicas), nil
	}
	return "Available", fmt.Sprintf("the page is %s", theme.Spec.Color), nil
}

// writePage writes the ConfigMap with the page. It reads nothing, because only the metadata of
// ConfigMaps are cached.
func (r *SiteReconciler) writePage(ctx context.Context, site *webv1.Site, theme *webv1.Theme) error {
	owner := metav1ac.OwnerReference().
		WithAPIVersion(webv1.GroupVersion.String()).WithKind("Site").WithName(site.Name).WithUID(site.UID).
		WithController(true).WithBlockOwnerDeletion(true)
	page := corev1ac.ConfigMap(site.Name, site.Namespace).
		WithOwnerReferences(owner).
		WithData(map[string]string{"index.html": fmt.Sprintf("<body style=%q>%s</body>", "color:"+theme.Spec.Color, site.Name)})
	return r.Apply(ctx, page, client.FieldOwner("site-controller"), client.ForceOwnership)
}

func (r *SiteReconciler) writeDeployment(ctx context.Context, site *webv1.Site) (*appsv1.Deployment, error) {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		pods := map[string]string{siteLabel: site.Name}
		deployment.Labels = map[string]string{siteLabel: site.Name, ThemeLabel: site.Spec.Theme}
		deployment.Spec.Replicas = &site.Spec.Replicas
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: pods}
		deployment.Spec.Template.Labels = pods
		if len(deployment.Spec.Template.Spec.Containers) == 0 {
			deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", Image: "registry.example.com/web:1"}}
		}
		return controllerutil.SetControllerReference(site, deployment, r.Scheme)
	})
	return deployment, err
}

// report writes the status if it is not the same as before.
func (r *SiteReconciler) report(ctx context.Context, site *webv1.Site, before *webv1.SiteStatus, reason, message string) error {
	status := metav1.ConditionFalse
	if reason == "Available" {
		status = metav1.ConditionTrue
	} else if reason != "Progressing" {
		site.Status.ReadyReplicas = 0
	}
	site.Status.ObservedGeneration = site.Generation
	changed := meta.SetStatusCondition(&site.Status.Conditions, metav1.Condition{
		Type: readyCondition, Status: status, Reason: reason, Message: message, ObservedGeneration: site.Generation,
	})
	if !changed && before.ObservedGeneration == site.Generation && before.ReadyReplicas == site.Status.ReadyReplicas {
		return nil
	}
	return r.Status().Update(ctx, site)
}

// remove deletes what the site owns, so that the theme is free when the site is gone.
func (r *SiteReconciler) remove(ctx context.Context, site *webv1.Site) error {
	if !controllerutil.ContainsFinalizer(site, siteFinalizer) {
		return nil
	}
	key := metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name}
	for _, owned := range []client.Object{&appsv1.Deployment{ObjectMeta: key}, &corev1.ConfigMap{ObjectMeta: key}} {
		if err := r.Delete(ctx, owned); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	controllerutil.RemoveFinalizer(site, siteFinalizer)
	if err := r.Update(ctx, site); err != nil {
		return client.IgnoreNotFound(err)
	}
	logf.FromContext(ctx).Info("Reconciled", "outcome", "Removed")
	return nil
}

// SetupWithManager adds the controller and the indexes of sites to the manager.
func (r *SiteReconciler) SetupWithManager(mgr ctrl.Manager) error {
	indexes := map[string]client.IndexerFunc{
		themeField: func(obj client.Object) []string { return []string{obj.(*webv1.Site).Spec.Theme} },
		certificateField: func(obj client.Object) []string {
			if name := obj.(*webv1.Site).Spec.CertificateSecret; name != "" {
				return []string{name}
			}
			return nil
		},
	}
	for field, values := range indexes {
		if err := mgr.GetFieldIndexer().IndexField(context.Background(), &webv1.Site{}, field, values); err != nil {
			return err
		}
	}
	return ctrl.NewControllerManagedBy(mgr).
		For(&webv1.Site{}, builder.WithPredicates(predicate.Or[client.Object](predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.ConfigMap{}, builder.OnlyMetadata).
		Watches(&webv1.Theme{}, handler.EnqueueRequestsFromMapFunc(r.sitesWith(themeField)),
			builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.sitesWith(certificateField)), builder.OnlyMetadata).
		Named("site").
		Complete(r)
}

// sitesWith returns the sites that name an object in a field.
func (r *SiteReconciler) sitesWith(field string) handler.MapFunc {
	return func(ctx context.Context, obj client.Object) (requests []ctrl.Request) {
		var sites webv1.SiteList
		if err := r.List(ctx, &sites, client.InNamespace(obj.GetNamespace()), client.MatchingFields{field: obj.GetName()}); err != nil {
			logf.FromContext(ctx).Error(err, "Failed to list sites", "field", field, "name", obj.GetName())
			return nil
		}
		for i := range sites.Items {
			requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&sites.Items[i])})
		}
		return requests
	}
}
