package testserver_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"github.com/typedinformers/informer-gen/testserver"
)

// hooks is a server of admission webhooks, as an operator has one. /label sets a label, /deny refuses objects with
// the label deny, /broken answers with an error, and /hang not before its client has gone.
type hooks struct {
	server  *httptest.Server
	hanging chan struct{} // has an element for each call of /hang

	mu    sync.Mutex // guards calls
	calls []string   // OPERATION KIND NAME, and what follows
}

func startHooks(t *testing.T) *hooks {
	t.Helper()
	h := &hooks{hanging: make(chan struct{}, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("/label", func(w http.ResponseWriter, r *http.Request) { h.answer(t, w, r, label) })
	mux.HandleFunc("/deny", func(w http.ResponseWriter, r *http.Request) { h.answer(t, w, r, deny) })
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) {
		// The server notices that the client has gone after the body is read.
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		h.hanging <- struct{}{}
		<-r.Context().Done()
	})
	h.server = httptest.NewUnstartedServer(mux)
	h.server.Config.ErrorLog = log.New(io.Discard, "", 0) // a test lets clients refuse its certificate
	h.server.StartTLS()
	t.Cleanup(h.server.Close)
	return h
}

func (h *hooks) answer(t *testing.T, w http.ResponseWriter, r *http.Request, decide func(*admissionv1.AdmissionRequest, map[string]string) *admissionv1.AdmissionResponse) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		t.Error(err)
		return
	}
	request := review.Request
	raw := request.Object.Raw
	if request.Operation == admissionv1.Delete {
		raw = request.OldObject.Raw
	}
	var object unstructured.Unstructured
	if err := object.UnmarshalJSON(raw); err != nil {
		t.Errorf("the webhook got %s: %v", raw, err)
		return
	}
	if request.UserInfo.Username != "admin" {
		t.Errorf("the webhook is told the user %v", request.UserInfo)
	}
	h.mu.Lock()
	h.calls = append(h.calls, fmt.Sprintf("%s %s %s %s", r.URL.Path, request.Operation, object.GetKind(), object.GetName()))
	h.mu.Unlock()
	review.Response = decide(request, object.GetLabels())
	review.Response.UID = request.UID
	if err := json.NewEncoder(w).Encode(review); err != nil {
		t.Error(err)
	}
}

// label adds a label, and the map of labels if there is none.
func label(_ *admissionv1.AdmissionRequest, labels map[string]string) *admissionv1.AdmissionResponse {
	patch := `[{"op":"add","path":"/metadata/labels","value":{"hook":"yes"}}]`
	if labels != nil {
		patch = `[{"op":"add","path":"/metadata/labels/hook","value":"yes"}]`
	}
	kind := admissionv1.PatchTypeJSONPatch
	return &admissionv1.AdmissionResponse{Allowed: true, Patch: []byte(patch), PatchType: &kind, Warnings: []string{"it is labeled"}}
}

func deny(_ *admissionv1.AdmissionRequest, labels map[string]string) *admissionv1.AdmissionResponse {
	if _, ok := labels["deny"]; ok {
		return &admissionv1.AdmissionResponse{Result: &metav1.Status{Message: "the label says so", Code: http.StatusForbidden}}
	}
	return &admissionv1.AdmissionResponse{Allowed: true}
}

// take returns the calls since the last take.
func (h *hooks) take() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	calls := strings.Join(h.calls, ", ")
	h.calls = nil
	return calls
}

func (h *hooks) at(path string) admissionregistrationv1.WebhookClientConfig {
	url := h.server.URL + path
	return admissionregistrationv1.WebhookClientConfig{
		URL: &url, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.server.Certificate().Raw}),
	}
}

// forAll are rules for all that the tests write.
func forAll() []admissionregistrationv1.RuleWithOperations {
	return []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.OperationAll},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{"", "example.com"}, APIVersions: []string{"v1"}, Resources: []string{"configmaps", "widgets"}},
	}}
}

func mutatingConfig(name string, client admissionregistrationv1.WebhookClientConfig) *admissionregistrationv1.MutatingWebhookConfiguration {
	none := admissionregistrationv1.SideEffectClassNone
	return &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: name + ".example.com", ClientConfig: client, Rules: forAll(), SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
		}},
	}
}

func validatingConfig(name string, client admissionregistrationv1.WebhookClientConfig) *admissionregistrationv1.ValidatingWebhookConfiguration {
	none := admissionregistrationv1.SideEffectClassNone
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: name + ".example.com", ClientConfig: client, Rules: forAll(), SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
		}},
	}
}

func startWithWebhooks(t *testing.T, options ...testserver.Option) *testserver.Server {
	t.Helper()
	return start(t, append(options, testserver.WithBuiltIn(&corev1.ConfigMap{},
		&admissionregistrationv1.MutatingWebhookConfiguration{}, &admissionregistrationv1.ValidatingWebhookConfiguration{}))...)
}

func install(t *testing.T, client *kubernetes.Clientset, configs ...any) {
	t.Helper()
	for _, config := range configs {
		var err error
		switch config := config.(type) {
		case *admissionregistrationv1.MutatingWebhookConfiguration:
			_, err = client.AdmissionregistrationV1().MutatingWebhookConfigurations().Create(t.Context(), config, metav1.CreateOptions{})
		case *admissionregistrationv1.ValidatingWebhookConfiguration:
			_, err = client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(t.Context(), config, metav1.CreateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func configMap(name string, labels map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
}

// warnings is a rest.WarningHandler that collects what a client is warned of.
type warnings struct {
	mu   sync.Mutex // guards text
	text []string
}

func (w *warnings) HandleWarningHeader(_ int, _, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, text)
}

// TestWebhooks writes ConfigMaps and custom resources past both kinds of webhooks, before and after a restart.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	hooks := startHooks(t)
	server := startWithWebhooks(t)
	heard := &warnings{}
	config := server.Config()
	config.WarningHandler = heard
	client := newClient(t, config)
	install(t, client, mutatingConfig("label", hooks.at("/label")), validatingConfig("deny", hooks.at("/deny")))

	maps, widgets := client.CoreV1().ConfigMaps("default"), widgets(t, server)
	for _, name := range []string{"before", "after"} {
		created, err := maps.Create(t.Context(), configMap(name, nil), metav1.CreateOptions{})
		if err != nil || created.Labels["hook"] != "yes" {
			t.Fatalf("the created ConfigMap is %v, %v", created, err)
		}
		created.Labels = map[string]string{"deny": ""}
		if _, err := maps.Update(t.Context(), created, metav1.UpdateOptions{}); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "the label says so") {
			t.Errorf("an update that a webhook denies returns %v", err)
		}
		if _, err := maps.Create(t.Context(), configMap(name+"-dry", nil), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
			t.Error(err)
		}
		if err := maps.Delete(t.Context(), name, metav1.DeleteOptions{}); err == nil || !strings.Contains(err.Error(), "attempted to modify the object") {
			t.Errorf("a deletion past a webhook with a patch returns %v", err)
		}
		want := fmt.Sprintf("/label CREATE ConfigMap %[1]s, /deny CREATE ConfigMap %[1]s, /label UPDATE ConfigMap %[1]s, /deny UPDATE ConfigMap %[1]s, "+
			"/label CREATE ConfigMap %[1]s-dry, /deny CREATE ConfigMap %[1]s-dry, /label DELETE ConfigMap %[1]s", name)
		if got := hooks.take(); got != want {
			t.Errorf("the webhooks heard\n%s, want\n%s", got, want)
		}

		object := create(t, widgets, name)
		if object.GetLabels()["hook"] != "yes" {
			t.Errorf("the created widget is %v", object)
		}
		denied := widget(name + "-denied")
		denied.SetLabels(map[string]string{"deny": ""})
		if _, err := widgets.Create(t.Context(), denied, metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("a create that a webhook denies returns %v", err)
		}
		object.SetLabels(nil)
		if object, err = widgets.Update(t.Context(), object, metav1.UpdateOptions{}); err != nil || object.GetLabels()["hook"] != "yes" {
			t.Errorf("the updated widget is %v, %v", object, err)
		}
		hooks.take()
		if name == "before" {
			if err := server.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	heard.mu.Lock()
	defer heard.mu.Unlock()
	if len(heard.text) == 0 || heard.text[0] != "it is labeled" {
		t.Errorf("the client has heard the warnings %q", heard.text)
	}
}

// TestWebhookFollowsItsConfiguration changes a configuration again and again. Each change holds for the next write.
func TestWebhookFollowsItsConfiguration(t *testing.T) {
	t.Parallel()
	t.Run("watch cache", func(t *testing.T) { t.Parallel(); followConfiguration(t, startWithWebhooks(t)) })
	t.Run("etcd", func(t *testing.T) {
		t.Parallel()
		followConfiguration(t, startWithWebhooks(t, testserver.WithoutWatchCache()))
	})
}

func followConfiguration(t *testing.T, server *testserver.Server) {
	hooks, client := startHooks(t), kubeClient(t, server)
	configs, maps := client.AdmissionregistrationV1().MutatingWebhookConfigurations(), client.CoreV1().ConfigMaps("default")
	labeled := func(name string) bool {
		t.Helper()
		created, err := maps.Create(t.Context(), configMap(name, nil), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return created.Labels["hook"] == "yes"
	}
	for i := range 20 {
		config, err := configs.Create(t.Context(), mutatingConfig("label", hooks.at("/label")), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !labeled(fmt.Sprintf("created-%d", i)) {
			t.Error("the webhook of a new configuration is not called")
		}
		config.Webhooks[0].ObjectSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"never": ""}}
		if _, err := configs.Update(t.Context(), config, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if labeled(fmt.Sprintf("updated-%d", i)) {
			t.Error("the webhook is called for an object that its configuration no longer selects")
		}
		if _, err := configs.Patch(t.Context(), "label", "application/json-patch+json", []byte(`[{"op":"remove","path":"/webhooks/0/objectSelector"}]`), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		if !labeled(fmt.Sprintf("patched-%d", i)) {
			t.Error("the webhook is not called after a patch")
		}
		if err := configs.Delete(t.Context(), "label", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if labeled(fmt.Sprintf("deleted-%d", i)) {
			t.Error("the webhook of a deleted configuration is called")
		}
	}
}

// TestWebhookSelection has a webhook for some objects only.
func TestWebhookSelection(t *testing.T) {
	t.Parallel()
	hooks := startHooks(t)
	client := kubeClient(t, startWithWebhooks(t))
	config := mutatingConfig("label", hooks.at("/label"))
	webhook := &config.Webhooks[0]
	webhook.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "default"}}
	webhook.ObjectSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "skip", Operator: metav1.LabelSelectorOpDoesNotExist}}}
	webhook.MatchConditions = []admissionregistrationv1.MatchCondition{{Name: "data", Expression: "has(object.data) && object.data.size() > 0"}}
	webhook.Rules[0].Operations = []admissionregistrationv1.OperationType{admissionregistrationv1.Create}
	install(t, client, config)
	for name, test := range map[string]struct {
		namespace string
		labels    map[string]string
		data      map[string]string
		want      bool
	}{
		"called":    {"default", nil, map[string]string{"a": "b"}, true},
		"namespace": {"kube-system", nil, map[string]string{"a": "b"}, false},
		"object":    {"default", map[string]string{"skip": ""}, map[string]string{"a": "b"}, false},
		"condition": {"default", nil, nil, false},
	} {
		object := configMap(name, test.labels)
		object.Data = test.data
		created, err := client.CoreV1().ConfigMaps(test.namespace).Create(t.Context(), object, metav1.CreateOptions{})
		if err != nil {
			t.Error(name, err)
			continue
		}
		if called := created.Labels["hook"] == "yes"; called != test.want {
			t.Errorf("%s: the webhook is called: %v, want %v", name, called, test.want)
		}
	}
}

// TestWebhookFailures has webhooks that do not answer, or cannot be found.
func TestWebhookFailures(t *testing.T) {
	t.Parallel()
	hooks := startHooks(t)
	server := startWithWebhooks(t)
	client := kubeClient(t, server)
	service := admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "system", Name: "hooks"}}
	closed := hooks.at("/label")
	gone := httptest.NewTLSServer(nil)
	url := gone.URL
	gone.Close()
	closed.URL = &url
	for name, test := range map[string]struct {
		client admissionregistrationv1.WebhookClientConfig
		want   string
	}{
		"service": {service, "its clientConfig names the service system/hooks, and this API server has no services; set clientConfig.url"},
		"broken":  {hooks.at("/broken"), `failed calling webhook "broken.example.com"`},
		"closed":  {closed, "connection refused"},
		"no-ca":   {admissionregistrationv1.WebhookClientConfig{URL: hooks.at("/label").URL}, "certificate signed by unknown authority"},
	} {
		ignore := admissionregistrationv1.Ignore
		for _, policy := range []*admissionregistrationv1.FailurePolicyType{nil, &ignore} {
			config := validatingConfig(name, test.client)
			config.Webhooks[0].FailurePolicy = policy
			install(t, client, config)
			_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "c-"}}, metav1.CreateOptions{})
			if policy == nil && (!apierrors.IsInternalError(err) || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%s: the create returns %v, want %q in it", name, err, test.want)
			}
			if policy != nil && err != nil {
				t.Errorf("%s: a webhook that may fail lets the create return %v", name, err)
			}
			if err := client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRestartPastBrokenWebhook restarts a server whose webhook for namespaces no longer answers.
func TestRestartPastBrokenWebhook(t *testing.T) {
	t.Parallel()
	hooks := startHooks(t)
	server := startWithWebhooks(t)
	config := validatingConfig("broken", hooks.at("/broken"))
	config.Webhooks[0].Rules[0].Resources = []string{"namespaces"}
	install(t, kubeClient(t, server), config)
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := kubeClient(t, server).CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{})
	if !apierrors.IsInternalError(err) {
		t.Errorf("the create of a namespace returns %v", err)
	}
}

// TestStopDuringWebhook stops a server while a webhook does not answer.
func TestStopDuringWebhook(t *testing.T) {
	t.Parallel()
	hooks := startHooks(t)
	server := startWithWebhooks(t)
	client := kubeClient(t, server)
	config := validatingConfig("hang", hooks.at("/hang"))
	install(t, client, config)
	created := make(chan error, 1)
	go func() {
		_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), configMap("c", nil), metav1.CreateOptions{})
		created <- err
	}()
	<-hooks.hanging
	began := time.Now()
	if err := server.Stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 8*time.Second { // the webhook has 10 s
		t.Errorf("the stop takes %v", took)
	}
	if err := <-created; err == nil {
		t.Error("the create returns no error")
	}
}
