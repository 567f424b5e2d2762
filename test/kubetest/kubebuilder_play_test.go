package kubetest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/typedinformers/informer-gen/test/kubeserver"
	"github.com/typedinformers/informer-gen/test/progress"
)

// project is the folder of the project, and managerAccount its ServiceAccount.
const (
	project        = "../kubebuilder"
	managerAccount = "manager"
)

var projectResources = map[string]schema.GroupVersionResource{
	"sites":       {Group: "web.example.com", Version: "v1", Resource: "sites"},
	"themes":      {Group: "web.example.com", Version: "v1", Resource: "themes"},
	"deployments": {Group: "apps", Version: "v1", Resource: "deployments"},
	"configmaps":  {Version: "v1", Resource: "configmaps"},
	"secrets":     {Version: "v1", Resource: "secrets"},
}

// play is a run of the scenario with one cache.
type play struct {
	server     *kubeserver.Server
	kube       kubernetes.Interface
	client     dynamic.Interface
	binary     string
	kubeconfig string
	manager    managerLog
	steps      []step
}

// step is the end of a step.
type step struct{ name, objects string }

// begin starts a server with three namespaces and the account of the manager.
func (p *play) begin(t *testing.T, binary string) {
	t.Helper()
	p.server, p.binary = start(t), binary
	config := configOf(p.server)
	p.kube = clientFor(t, config)
	client, err := dynamic.NewForConfigAndClient(config, httpFor(t, config))
	if err != nil {
		t.Fatal(err)
	}
	p.client = client
	for _, name := range []string{managerAccount, "team-a", "team-b", "team-c"} {
		inNamespace(t, p.kube, name)
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: managerAccount}}
	if _, err := p.kube.CoreV1().ServiceAccounts(managerAccount).Create(within(t), account, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "manager"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: managerAccount, Name: managerAccount}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "manager-role"},
	}
	if _, err := p.kube.RbacV1().ClusterRoleBindings().Create(within(t), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	p.kubeconfig = kubeconfigOf(t, p.server, p.kube, managerAccount)
}

// all and allButSecrets choose rules of the role.
func all(rbacv1.PolicyRule) bool { return true }

func allButSecrets(rule rbacv1.PolicyRule) bool { return !slices.Contains(rule.Resources, "secrets") }

// allow writes the role of the manager.
func (p *play) allow(t *testing.T, keep func(rbacv1.PolicyRule) bool) {
	t.Helper()
	role := &rbacv1.ClusterRole{}
	readYAML(t, project+"/config/rbac/role.yaml", role)
	role.Rules = slices.DeleteFunc(role.Rules, func(rule rbacv1.PolicyRule) bool { return !keep(rule) })
	_, err := p.kube.RbacV1().ClusterRoles().Create(within(t), role, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = p.kube.RbacV1().ClusterRoles().Update(within(t), role, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func readYAML(t *testing.T, file string, to any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, to); err != nil {
		t.Fatal(err)
	}
}

// install installs a CRD, and returns when the server serves the kind.
func (p *play) install(t *testing.T, resource string) {
	t.Helper()
	ctx := within(t)
	crd := &unstructured.Unstructured{}
	readYAML(t, project+"/config/crd/bases/web.example.com_"+resource+".yaml", &crd.Object)
	crds := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	if _, err := p.client.Resource(crds).Create(ctx, crd, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := p.client.Resource(projectResources[resource]).List(ctx, metav1.ListOptions{})
		return err == nil, nil
	})
	if err != nil {
		t.Fatalf("%s are not served: %v", resource, context.Cause(ctx))
	}
	progress.Step()
}

// of returns the client for a resource in the namespace of an object.
func (p *play) of(resource, object string) (client dynamic.ResourceInterface, name string) {
	namespace, name, _ := strings.Cut(object, "/")
	return p.client.Resource(projectResources[resource]).Namespace(namespace), name
}

func (p *play) site(t *testing.T, object, spec string) {
	t.Helper()
	p.create(t, "sites", object, `{"apiVersion": "web.example.com/v1", "kind": "Site", "spec": `+spec+`}`)
}

func (p *play) theme(t *testing.T, object, color string) {
	t.Helper()
	p.create(t, "themes", object, `{"apiVersion": "web.example.com/v1", "kind": "Theme", "spec": {"color": "`+color+`"}}`)
}

func (p *play) create(t *testing.T, resource, object, text string) {
	t.Helper()
	client, name := p.of(resource, object)
	obj := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), &obj.Object); err != nil {
		t.Fatal(err)
	}
	if obj.GetKind() == "" {
		obj.SetAPIVersion("v1")
		obj.SetKind("Secret")
	}
	obj.SetName(name)
	if _, err := client.Create(within(t), obj, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (p *play) patch(t *testing.T, resource, object, patch string, subresources ...string) {
	t.Helper()
	client, name := p.of(resource, object)
	if _, err := client.Patch(within(t), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresources...); err != nil {
		t.Fatal(err)
	}
}

// ready writes the status of a Deployment.
func (p *play) ready(t *testing.T, object string, n int) {
	t.Helper()
	p.patch(t, "deployments", object, fmt.Sprintf(`{"status": {"replicas": %d, "readyReplicas": %[1]d}}`, n), "status")
}

func (p *play) delete(t *testing.T, resource, object string) {
	t.Helper()
	client, name := p.of(resource, object)
	if err := client.Delete(within(t), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// get returns an object, or nil if there is none.
func (p *play) get(t *testing.T, resource, object string) *unstructured.Unstructured {
	t.Helper()
	client, name := p.of(resource, object)
	obj, err := client.Get(within(t), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

func (p *play) uid(t *testing.T, resource, object string) types.UID {
	t.Helper()
	return p.get(t, resource, object).GetUID()
}

// replaced reports whether there is another object of that name.
func (p *play) replaced(t *testing.T, resource, object string, old types.UID) bool {
	t.Helper()
	obj := p.get(t, resource, object)
	return obj != nil && obj.GetUID() != old
}

// has reports whether a field has a value.
func (p *play) has(t *testing.T, resource, object string, value any, field ...string) bool {
	t.Helper()
	obj := p.get(t, resource, object)
	if obj == nil {
		return false
	}
	is, _, err := unstructured.NestedFieldNoCopy(obj.Object, field...)
	return err == nil && is == value
}

// step waits until the status of all sites and themes is as wanted, and notes all objects.
func (p *play) step(t *testing.T, name, wanted string) {
	t.Helper()
	wanted = strings.TrimSpace(strings.ReplaceAll(wanted, "\t", ""))
	var is string
	defer func() {
		if t.Failed() {
			t.Logf("the step is %q; the status is\n%s\nand should be\n%s", name, is, wanted)
		}
	}()
	p.manager.await(t, name, func() bool {
		is = p.summary(t)
		return is == wanted
	})
	p.steps = append(p.steps, step{name, p.objects(t)})
}

// list returns the objects of a resource in all namespaces. There are none without the CRD.
func (p *play) list(t *testing.T, resource string) []unstructured.Unstructured {
	t.Helper()
	list, err := p.client.Resource(projectResources[resource]).List(within(t), metav1.ListOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return list.Items
}

// summary returns the status of all sites and themes, a line for each.
func (p *play) summary(t *testing.T) string {
	t.Helper()
	var lines []string
	for _, site := range p.list(t, "sites") {
		lines = append(lines, site.GetNamespace()+"/"+site.GetName()+": "+siteStatus(&site))
	}
	for _, theme := range p.list(t, "themes") {
		lines = append(lines, theme.GetNamespace()+"/"+theme.GetName()+": "+themeStatus(&theme))
	}
	return strings.Join(lines, "\n")
}

// observed reports whether the status is about the present generation.
func observed(obj *unstructured.Unstructured) bool {
	generation, _, _ := unstructured.NestedInt64(obj.Object, "status", "observedGeneration")
	return generation == obj.GetGeneration()
}

func siteStatus(site *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(site.Object, "status", "conditions")
	if !observed(site) || len(conditions) == 0 {
		return "pending"
	}
	ready, _, _ := unstructured.NestedInt64(site.Object, "status", "readyReplicas")
	condition := conditions[0].(map[string]any)
	text := fmt.Sprintf("%v %d", condition["reason"], ready)
	if color, ok := strings.CutPrefix(condition["message"].(string), "the page is "); ok {
		text += " " + color
	}
	return text
}

func themeStatus(theme *unstructured.Unstructured) string {
	if !observed(theme) {
		return "pending"
	}
	sites, _, _ := unstructured.NestedStringSlice(theme.Object, "status", "sites")
	ready, _, _ := unstructured.NestedInt64(theme.Object, "status", "readyReplicas")
	text := fmt.Sprintf("%v %d", sites, ready)
	if theme.GetDeletionTimestamp() != nil {
		text += ", deleted"
	}
	return text
}

// objects returns all objects as YAML, without what is never the same in two runs.
func (p *play) objects(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, resource := range []string{"sites", "themes", "deployments", "configmaps", "secrets"} {
		for _, obj := range p.list(t, resource) {
			if !strings.HasPrefix(obj.GetNamespace(), "team-") {
				continue
			}
			normalize(&obj)
			content, err := yaml.Marshal(obj.Object)
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString("---\n" + string(content))
		}
	}
	return text.String()
}

func normalize(obj *unstructured.Unstructured) {
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields"} {
		unstructured.RemoveNestedField(obj.Object, "metadata", field)
	}
	if obj.GetDeletionTimestamp() != nil {
		obj.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(0, 0)})
	}
	owners := obj.GetOwnerReferences()
	for i := range owners {
		owners[i].UID = ""
	}
	if len(owners) > 0 {
		obj.SetOwnerReferences(owners)
	}
	conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, condition := range conditions {
		delete(condition.(map[string]any), "lastTransitionTime")
	}
	if len(conditions) > 0 {
		_ = unstructured.SetNestedSlice(obj.Object, conditions, "status", "conditions")
	}
}
