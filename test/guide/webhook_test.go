package guide

import (
	"context"
	"net"
	"strconv"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/typedinformers/informer-gen/testserver"
)

// TestWebhook runs a webhook of controller-runtime, with the configuration that a cluster gets: it names a Service.
func TestWebhook(t *testing.T) {
	server := testserver.Start(t, testserver.WithBuiltIn(&corev1.ConfigMap{}, &admissionregistrationv1.ValidatingWebhookConfiguration{}))
	path, none := "/validate", admissionregistrationv1.SideEffectClassNone
	install := envtest.WebhookInstallOptions{ValidatingWebhooks: []*admissionregistrationv1.ValidatingWebhookConfiguration{{
		ObjectMeta: metav1.ObjectMeta{Name: "operator"},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:         "operator.example.com",
			ClientConfig: admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "system", Name: "operator", Path: &path}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
			SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
		}},
	}}}
	if err := install.Install(server.Config()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := install.Cleanup(); err != nil {
			t.Error(err)
		}
	})
	hooks := webhook.NewServer(webhook.Options{Host: install.LocalServingHost, Port: install.LocalServingPort, CertDir: install.LocalServingCertDir})
	hooks.Register(path, &webhook.Admission{Handler: admission.HandlerFunc(func(_ context.Context, request admission.Request) admission.Response {
		return admission.Denied("no " + request.Name)
	})})
	serve(t, hooks, net.JoinHostPort(install.LocalServingHost, strconv.Itoa(install.LocalServingPort)))

	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, metav1.CreateOptions{})
	if err == nil || !strings.Contains(err.Error(), "no c") {
		t.Errorf("the create that the webhook denies returns %v", err)
	}
}

// serve returns when the server listens at an address. It stops when the test ends.
func serve(t *testing.T, hooks webhook.Server, address string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- hooks.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	for {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			_ = connection.Close()
			return
		}
		select {
		case err := <-done:
			done <- err
			t.Fatalf("the webhooks are not served: %v", err)
		default: // it starts to listen soon
		}
	}
}
