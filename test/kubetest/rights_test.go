package kubetest

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/test/progress"
)

// TestForbidden lets a user follow pods who has no right to, and gets it later.
func TestForbidden(t *testing.T) {
	ctx := within(t)
	admin := clientFor(t, configOf(shared))
	all := inNamespace(t, admin, "forbidden")
	created, err := all.Create(ctx, pod("secret"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config := configOf(shared)
	config.Impersonate = rest.ImpersonationConfig{UserName: "stranger"}
	f := follow[*corev1.Pod](t, clientFor(t, config).CoreV1().RESTClient(), pods, "forbidden",
		cache.WithBackoff(status.Forbidden, cache.Backoff{Initial: 100 * time.Millisecond, Max: 100 * time.Millisecond}))
	f.awaitFailure(t, status.Forbidden)
	if f.informer.HasSynced() || f.informer.GetStore().Len() > 0 {
		t.Error("the informer has objects that it may not read")
	}

	allow(t, admin, "forbidden", "stranger")
	progress.Step()
	f.awaitSync(t)
	if err := f.heard.AwaitVersion(ctx, cache.MetaObjectToName(created), created.ResourceVersion); err != nil {
		t.Fatal(err)
	}
	if s := f.informer.Status(); s.Reason != "" {
		t.Errorf("status is %v", s)
	}
}

// allow lets a user read the pods of a namespace.
func allow(t *testing.T, admin kubernetes.Interface, namespace, user string) {
	t.Helper()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list", "watch"}}},
	}
	if _, err := admin.RbacV1().Roles(namespace).Create(within(t), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
	}
	if _, err := admin.RbacV1().RoleBindings(namespace).Create(within(t), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}
