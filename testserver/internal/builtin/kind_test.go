package builtin

import (
	"reflect"
	"strings"
	"testing"

	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
)

// TestKindsOfClient compares the resources and scopes of all kinds that client-go has a typed client for with
// that client.
func TestKindsOfClient(t *testing.T) {
	clients := reflect.TypeFor[kubernetes.Interface]()
	seen := 0
	for i := range clients.NumMethod() {
		group := clients.Method(i).Type
		if group.NumIn() != 0 || !strings.HasPrefix(group.Out(0).Name(), clients.Method(i).Name) {
			continue
		}
		for j := range group.Out(0).NumMethod() {
			getter := group.Out(0).Method(j)
			if getter.Type.NumOut() != 1 {
				continue
			}
			create, ok := getter.Type.Out(0).MethodByName("Create")
			list, hasList := getter.Type.Out(0).MethodByName("List")
			if !ok || !hasList || list.Type.NumOut() != 2 {
				continue
			}
			object := reflect.New(create.Type.In(1).Elem()).Interface().(runtime.Object)
			kind, err := kindOf(object)
			if err != nil {
				t.Error(err)
				continue
			}
			if kind.resource != strings.ToLower(getter.Name) || kind.clusterScoped != (getter.Type.NumIn() == 0) {
				t.Errorf("%T is the resource %s with cluster scope %v, but in client-go %v", object, kind.resource, kind.clusterScoped, getter)
			}
			seen++
		}
	}
	if seen < 100 {
		t.Errorf("only %d kinds were found", seen)
	}
}

func TestNewRefuses(t *testing.T) {
	for want, objects := range map[string][]runtime.Object{
		"*v1.CustomResourceDefinition: not a kind of k8s.io/api": {&apiextensionsv1.CustomResourceDefinition{}},
		"<nil>: not a kind of k8s.io/api":                        {nil},
		"*v1.Status: not a kind that":                            {&metav1.Status{}},
		"*v1.PodExecOptions: not a kind that":                    {&corev1.PodExecOptions{}},
		"*v1.Eviction: not a kind that":                          {&policyv1.Eviction{}},
		"*v1beta1.MutatingWebhookConfiguration: the server calls no webhooks of this version; give": {&admissionregistrationv1beta1.MutatingWebhookConfiguration{}},
		"*v1.PodList: not a kind that": {&corev1.PodList{}},
		"*v2.HorizontalPodAutoscaler: HorizontalPodAutoscaler is given in version v1 too": {&autoscalingv1.HorizontalPodAutoscaler{}, &autoscalingv2.HorizontalPodAutoscaler{}},
	} {
		if _, err := New(objects, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	kinds, err := New([]runtime.Object{&corev1.Event{}, &eventsv1.Event{}, &corev1.Namespace{}, &corev1.Pod{}, &corev1.Pod{}}, true)
	if err != nil || len(kinds.kinds) != len(always)+1 {
		t.Errorf("kinds that are given twice: %v, %v", kinds, err)
	}
}
