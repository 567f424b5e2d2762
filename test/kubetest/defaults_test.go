package kubetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/testserver"
)

// differences are the fields that a kube-apiserver sets and the test server does not. docs/testing.md lists them for users.
var differences = []difference{
	{"Pod/*", "spec.priority", "set by the admission plugin Priority"},
	{"Pod/*", "spec.preemptionPolicy", "set by the admission plugin Priority"},
	{"Pod/*", "spec.tolerations", "set by the admission plugin DefaultTolerationSeconds"},
	{"Pod/*", "status.qosClass", "calculated, and no kubelet reads it"},
	{"Service/*", "spec.clusterIP", "allocated"},
	{"Service/*", "spec.clusterIPs", "allocated"},
	{"Service/*", "spec.ipFamilies", "depends on the network"},
	{"Service/*", "spec.ipFamilyPolicy", "depends on the network"},
	{"Service/balancer", "spec.ports.0.nodePort", "allocated"},
	{"PersistentVolume/*", "status.lastPhaseTransitionTime", "a time, which no controller changes"},
	{"Job/*", "spec.selector", "generated, and no controller creates Pods"},
	{"Job/*", "spec.template.metadata", "the labels of spec.selector"},
}

// difference is about the object KIND/NAME, or KIND/* for all of a kind, and about a field with the fields below it.
type difference struct{ object, field, reason string }

// differenceAt returns the index of the difference that a field of an object belongs to, or -1.
func differenceAt(object *unstructured.Unstructured, field string) int {
	return slices.IndexFunc(differences, func(d difference) bool {
		return slices.Contains([]string{object.GetKind() + "/*", object.GetKind() + "/" + object.GetName()}, d.object) &&
			(field == d.field || strings.HasPrefix(field, d.field+"."))
	})
}

// TestDefaults creates the objects of testdata/defaults.yaml on a kube-apiserver and on the test server. Both return the
// same, besides metadata and the differences.
func TestDefaults(t *testing.T) {
	server := testserver.Start(t, testserver.WithBuiltIn(
		&corev1.Pod{}, &corev1.PodTemplate{}, &appsv1.Deployment{}, &appsv1.StatefulSet{}, &appsv1.DaemonSet{}, &appsv1.ReplicaSet{}, &batchv1.Job{}, &batchv1.CronJob{},
		&corev1.Service{}, &corev1.Secret{}, &corev1.ConfigMap{}, &corev1.ServiceAccount{}, &corev1.PersistentVolumeClaim{}, &corev1.PersistentVolume{},
		&storagev1.StorageClass{}, &schedulingv1.PriorityClass{}, &networkingv1.Ingress{}, &networkingv1.NetworkPolicy{}, &rbacv1.RoleBinding{}, &rbacv1.ClusterRoleBinding{},
		&policyv1.PodDisruptionBudget{}, &autoscalingv2.HorizontalPodAutoscaler{},
		&admissionregistrationv1.ValidatingWebhookConfiguration{}, &admissionregistrationv1.MutatingWebhookConfiguration{}))
	kube, ours := dynamicFor(t, configOf(shared)), dynamicFor(t, server.Config())
	for _, config := range []*rest.Config{configOf(shared), server.Config()} {
		inNamespace(t, clientFor(t, config), "defaults")
	}
	used := map[int]bool{}
	for _, object := range readObjects(t, "testdata/defaults.yaml") {
		name := object.GetKind() + "/" + object.GetName()
		want, got := fieldsOf(createObject(t, kube, object)), fieldsOf(createObject(t, ours, object))
		for field, value := range want {
			if got[field] == value {
				continue
			}
			i := differenceAt(object, field)
			if i < 0 {
				t.Errorf("%s: a kube-apiserver sets %s to %s, and the test server to %q", name, field, value, got[field])
			}
			used[i] = true
			delete(got, field)
		}
		for field, value := range got {
			if _, ok := want[field]; !ok && differenceAt(object, field) < 0 {
				t.Errorf("%s: the test server sets %s to %s, and a kube-apiserver does not", name, field, value)
			}
		}
	}
	for i, difference := range differences {
		if !used[i] {
			t.Errorf("%s: %s is the same on both servers; remove the difference", difference.object, difference.field)
		}
	}
}

func dynamicFor(t *testing.T, config *rest.Config) *dynamic.DynamicClient {
	t.Helper()
	client, err := dynamic.NewForConfigAndClient(config, httpFor(t, config))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func readObjects(t *testing.T, file string) (objects []*unstructured.Unstructured) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(&object.Object); err == io.EOF {
			return objects
		} else if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
}

// createObject creates an object, in the namespace defaults if its kind has namespaces.
func createObject(t *testing.T, client dynamic.Interface, object *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	plural, _ := meta.UnsafeGuessKindToResource(object.GroupVersionKind())
	var resource dynamic.ResourceInterface = client.Resource(plural).Namespace("defaults")
	if slices.Contains([]string{
		"PersistentVolume", "StorageClass", "PriorityClass", "ClusterRoleBinding", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration",
	}, object.GetKind()) {
		resource = client.Resource(plural)
	}
	created, err := resource.Create(within(t), object, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
	return created
}

// fieldsOf returns the values of an object besides its metadata, by their paths. An empty object or list is a value.
func fieldsOf(object *unstructured.Unstructured) map[string]string {
	fields := map[string]string{}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for key, item := range value {
				walk(path+"."+key, item)
			}
			if len(value) > 0 {
				return
			}
		case []any:
			for i, item := range value {
				walk(fmt.Sprintf("%s.%d", path, i), item)
			}
			if len(value) > 0 {
				return
			}
		}
		text, err := json.Marshal(value)
		if err != nil {
			panic(err) // it comes from JSON
		}
		fields[strings.TrimPrefix(path, ".")] = string(text)
	}
	content := object.DeepCopy().Object
	delete(content, "metadata")
	walk("", content)
	return fields
}

// TestStringData writes stringData of a Secret with create, update, patch and apply. Both servers keep the same data and
// the same owners of fields.
func TestStringData(t *testing.T) {
	ours := testserver.Start(t, testserver.WithBuiltIn(&corev1.Secret{})).Config()
	want, got := writeStringData(t, clientFor(t, configOf(shared))), writeStringData(t, clientFor(t, ours))
	if !slices.Equal(want, got) {
		t.Errorf("a kube-apiserver has\n\t%s\nand the test server has\n\t%s", strings.Join(want, "\n\t"), strings.Join(got, "\n\t"))
	}
}

// writeStringData returns the Secret after each write.
func writeStringData(t *testing.T, client kubernetes.Interface) (states []string) {
	t.Helper()
	inNamespace(t, client, "string-data")
	secrets := client.CoreV1().Secrets("string-data")
	note := func(secret *corev1.Secret, err error) *corev1.Secret {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		state := fmt.Sprintf("%s %q %q", secret.Type, secret.Data, secret.StringData)
		for _, owner := range secret.ManagedFields {
			state += fmt.Sprintf(" %s %s %s", owner.Manager, owner.Operation, owner.FieldsV1)
		}
		states = append(states, state)
		return secret
	}
	writer := "test"
	secret := note(secrets.Create(within(t), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "written"}, StringData: map[string]string{"a": "1"}}, metav1.CreateOptions{FieldManager: writer}))
	secret.StringData = map[string]string{"b": "2"}
	note(secrets.Update(within(t), secret, metav1.UpdateOptions{FieldManager: writer}))
	note(secrets.Patch(within(t), "written", types.MergePatchType, []byte(`{"stringData":{"a":"3","c":"4"}}`), metav1.PatchOptions{FieldManager: writer}))
	for _, apply := range []*applycorev1.SecretApplyConfiguration{
		applycorev1.Secret("applied", "string-data").WithStringData(map[string]string{"a": "1"}),
		applycorev1.Secret("applied", "string-data").WithStringData(map[string]string{"a": "2", "b": "3"}),
		applycorev1.Secret("applied", "string-data").WithStringData(map[string]string{"b": "3"}),
		applycorev1.Secret("applied", "string-data").WithData(map[string][]byte{"c": []byte("4")}),
	} {
		note(secrets.Apply(within(t), apply, metav1.ApplyOptions{FieldManager: writer, Force: true}))
	}
	return states
}
