package testserver_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"

	"github.com/typedinformers/informer-gen/testserver"
)

// convert answers a conversion webhook: spec.size of v1 is spec.length of v2.
func convert(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var review apiextensionsv1.ConversionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			t.Error(err)
			return
		}
		review.Response = &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
		from, to := "size", "length"
		if strings.HasSuffix(review.Request.DesiredAPIVersion, "/v1") {
			from, to = to, from
		}
		for _, raw := range review.Request.Objects {
			var object unstructured.Unstructured
			if err := object.UnmarshalJSON(raw.Raw); err != nil {
				t.Error(err)
			}
			spec := object.Object["spec"].(map[string]any)
			spec[to] = spec[from]
			delete(spec, from)
			object.SetAPIVersion(review.Request.DesiredAPIVersion)
			review.Response.ConvertedObjects = append(review.Response.ConvertedObjects, runtime.RawExtension{Object: &object})
		}
		if err := json.NewEncoder(w).Encode(review); err != nil {
			t.Error(err)
		}
	}
}

// TestConversionWebhook writes a custom resource in one version and reads it in another.
func TestConversionWebhook(t *testing.T) {
	t.Parallel()
	hooks := &hooks{server: httptest.NewTLSServer(convert(t))}
	t.Cleanup(hooks.server.Close)
	server := testserver.Start(t)
	crd := loadWidgetCRD(t)
	second := crd.Spec.Versions[0].DeepCopy()
	second.Name, second.Storage = "v2", false
	properties := second.Schema.OpenAPIV3Schema.Properties["spec"].Properties
	properties["length"] = properties["size"]
	delete(properties, "size")
	crd.Spec.Versions = append(crd.Spec.Versions, *second)
	at := hooks.at("")
	install := func(client *apiextensionsv1.WebhookClientConfig) {
		t.Helper()
		crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
			Strategy: apiextensionsv1.WebhookConverter,
			Webhook:  &apiextensionsv1.WebhookConversion{ClientConfig: client, ConversionReviewVersions: []string{"v1"}},
		}
		if err := server.InstallCRDs(t.Context(), crd); err != nil {
			t.Fatal(err)
		}
	}
	install(&apiextensionsv1.WebhookClientConfig{URL: at.URL, CABundle: at.CABundle})
	client, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	create(t, widgets(t, server), "w")
	newer := client.Resource(widgetResource.GroupResource().WithVersion("v2")).Namespace("default")
	got, err := newer.Get(t.Context(), "w", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if length, _, err := unstructured.NestedInt64(got.Object, "spec", "length"); length != 1 || err != nil {
		t.Errorf("v2 of the widget is %v, %v", got, err)
	}
}
