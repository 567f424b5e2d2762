package testserver_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/typedinformers/informer-gen/testserver"
)

// answerWebhooks returns the URL of a server of webhooks, and its certificate. /validate refuses objects whose name begins with bad,
// and /mutate sets a label of all objects.
func answerWebhooks(t *testing.T) (url string, ca []byte) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var review admissionv1.AdmissionReview
		if err != nil || json.Unmarshal(body, &review) != nil || review.Request == nil {
			http.Error(w, "no AdmissionReview", http.StatusBadRequest)
			return
		}
		answer := &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		switch {
		case r.URL.Path == "/validate" && strings.HasPrefix(review.Request.Name, "bad"):
			answer.Allowed, answer.Result = false, &metav1.Status{Message: "a bad " + review.Request.Kind.Kind}
		case r.URL.Path == "/mutate":
			patchType := admissionv1.PatchTypeJSONPatch
			answer.PatchType, answer.Patch = &patchType, []byte(`[{"op": "add", "path": "/metadata/labels", "value": {"mutated": "yes"}}]`)
		}
		review.Request, review.Response = nil, answer
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(review); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

// TestWebhooks configures webhooks for a built-in kind and for a custom resource.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	server := testserver.Start(t, testserver.WithCRDs("testdata/widgets.yaml"), testserver.WithBuiltIn(&corev1.ConfigMap{},
		&admissionregistrationv1.ValidatingWebhookConfiguration{}, &admissionregistrationv1.MutatingWebhookConfiguration{}))
	client := kubeClient(t, server)
	url, ca := answerWebhooks(t)
	none := admissionregistrationv1.SideEffectClassNone
	rules := []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{"", "*"}, APIVersions: []string{"*"}, Resources: []string{"configmaps", "widgets"}},
	}}
	at := func(path string) admissionregistrationv1.WebhookClientConfig {
		whole := url + path
		return admissionregistrationv1.WebhookClientConfig{URL: &whole, CABundle: ca}
	}
	reviews := []string{"v1"}
	_, err := client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(t.Context(), &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "validate"},
		Webhooks:   []admissionregistrationv1.ValidatingWebhook{{Name: "validate.example.com", ClientConfig: at("/validate"), Rules: rules, SideEffects: &none, AdmissionReviewVersions: reviews}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.AdmissionregistrationV1().MutatingWebhookConfigurations().Create(t.Context(), &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "mutate"},
		Webhooks:   []admissionregistrationv1.MutatingWebhook{{Name: "mutate.example.com", ClientConfig: at("/mutate"), Rules: rules, SideEffects: &none, AdmissionReviewVersions: reviews}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	widgets, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	// Each create makes an object, and returns its labels.
	for kind, create := range map[string]func(name string) (map[string]string, error){
		"ConfigMap": func(name string) (map[string]string, error) {
			created, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
			return created.GetLabels(), err
		},
		"Widget": func(name string) (map[string]string, error) {
			widget := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": name}}}
			created, err := widgets.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}).Namespace("default").Create(t.Context(), widget, metav1.CreateOptions{})
			if err != nil {
				return nil, err
			}
			return created.GetLabels(), nil
		},
	} {
		// A configuration is in force some time after it was created.
		deadline := time.Now().Add(time.Minute)
		for n := 0; ; n++ {
			labels, err := create(fmt.Sprintf("good-%d", n))
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			_, refused := create(fmt.Sprintf("bad-%d", n))
			if labels["mutated"] == "yes" && refused != nil && strings.Contains(refused.Error(), "a bad "+kind) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: the labels are %v, and the error is %v", kind, labels, refused)
			}
		}
	}
}

// TestStringData writes Secrets in text.
func TestStringData(t *testing.T) {
	t.Parallel()
	secrets := kubeClient(t, testserver.Start(t, testserver.WithBuiltIn(&corev1.Secret{}))).CoreV1().Secrets("default")
	secret, err := secrets.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "one"}, Data: map[string][]byte{"a": []byte("bytes"), "b": []byte("bytes")}, StringData: map[string]string{"b": "text"},
	}, metav1.CreateOptions{})
	if err != nil || string(secret.Data["a"]) != "bytes" || string(secret.Data["b"]) != "text" || secret.StringData != nil {
		t.Fatalf("it is created as %+v: %v", secret, err)
	}
	secret.StringData = map[string]string{"a": "new"}
	if _, err := secrets.Update(t.Context(), secret, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	secret, err = secrets.Get(t.Context(), "one", metav1.GetOptions{})
	if err != nil || string(secret.Data["a"]) != "new" || string(secret.Data["b"]) != "text" || secret.StringData != nil {
		t.Errorf("it is updated to %+v: %v", secret, err)
	}
}

// TestGracefulDeletion deletes Pods with a node and without, and a namespace with one that no kubelet ends.
func TestGracefulDeletion(t *testing.T) {
	t.Parallel()
	client := kubeClient(t, testserver.Start(t, testserver.WithBuiltIn(&corev1.Pod{})))
	pods := client.CoreV1().Pods("work")
	if _, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "work"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, node := range map[string]string{"pending": "", "running": "node", "left": "node"} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
		if _, err := pods.Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(name string, options metav1.DeleteOptions) *corev1.Pod {
		t.Helper()
		if err := pods.Delete(t.Context(), name, options); err != nil {
			t.Fatal(err)
		}
		pod, err := pods.Get(t.Context(), name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case err != nil:
			t.Fatal(err)
		}
		return pod
	}
	seconds := func(n int64) metav1.DeleteOptions { return metav1.DeleteOptions{GracePeriodSeconds: &n} }
	if pod := remove("pending", metav1.DeleteOptions{}); pod != nil {
		t.Error("a Pod without a node is still there")
	}
	for _, step := range []struct {
		options metav1.DeleteOptions
		want    int64
	}{{metav1.DeleteOptions{}, 30}, {seconds(60), 30}, {seconds(10), 10}} {
		pod := remove("running", step.options)
		if pod == nil || pod.DeletionTimestamp == nil || *pod.DeletionGracePeriodSeconds != step.want {
			t.Fatalf("the Pod is %+v, want a grace period of %d", pod, step.want)
		}
	}
	if pod := remove("running", seconds(0)); pod != nil {
		t.Error("the Pod that its kubelet has ended is still there")
	}
	gone, err := client.CoreV1().Namespaces().Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=work"})
	if err != nil {
		t.Fatal(err)
	}
	defer gone.Stop()
	if err := client.CoreV1().Namespaces().Delete(t.Context(), "work", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for event := range gone.ResultChan() {
		if event.Type == watch.Deleted {
			return
		}
	}
	t.Error("the namespace is not deleted")
}
