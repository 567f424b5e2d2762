package apiextensions_test

import (
	"reflect"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apiextensions"
	"github.com/typedinformers/informer-gen/apitest"
)

// pump is a CRD with everything besides a schema.
func pump() *apiextensionsv1.CustomResourceDefinition {
	selector := ".status.selector"
	object := &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"color":    {Type: "string"},
				"replicas": {Type: "integer"},
			}},
		},
	}}
	old := object.DeepCopy()
	old.OpenAPIV3Schema.Description = "An API server refuses selectable fields if all versions have the same schema."
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "pumps.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com",
			Scope: apiextensionsv1.ClusterScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: "pumps", Singular: "pump", Kind: "Pump", ListKind: "Pumps", ShortNames: []string{"pu"}, Categories: []string{"all"},
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{
				{
					Name: "v2", Served: true, Storage: true, Schema: object,
					Subresources: &apiextensionsv1.CustomResourceSubresources{
						Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
						Scale: &apiextensionsv1.CustomResourceSubresourceScale{
							SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas", LabelSelectorPath: &selector,
						},
					},
					SelectableFields: []apiextensionsv1.SelectableField{{JSONPath: ".spec.color"}},
				},
				{Name: "v1", Served: true, Deprecated: true, Schema: old},
				{Name: "v1beta1", Served: false, Schema: old.DeepCopy()},
			},
		},
	}
}

func TestKinds(t *testing.T) {
	crd := pump()
	kinds, err := apiextensions.Kinds(crd)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(crd, pump()) {
		t.Error("the CRD was changed")
	}
	for i := range kinds {
		if kinds[i].Schema == nil {
			t.Errorf("%v has no schema", kinds[i].GroupVersionKind)
		}
		kinds[i].Schema = nil
	}
	want := []apitest.Kind{
		{
			GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v2", Kind: "Pump"},
			Resource:         "pumps", Singular: "pump", List: "Pumps", ShortNames: []string{"pu"}, Categories: []string{"all"},
			Status:           true,
			Scale:            &apitest.Scale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas", SelectorPath: ".status.selector"},
			SelectableFields: []string{"spec.color"},
		},
		{
			GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Pump"},
			Resource:         "pumps", Singular: "pump", List: "Pumps", ShortNames: []string{"pu"}, Categories: []string{"all"},
			Warning: "example.com/v1 Pump is deprecated; use example.com/v2 Pump",
		},
	}
	if !reflect.DeepEqual(kinds, want) {
		t.Errorf("the kinds are\n%+v\nwant\n%+v", kinds, want)
	}
}

func TestNamesAreCompleted(t *testing.T) {
	crd := pump()
	crd.Spec.Names.Singular, crd.Spec.Names.ListKind = "", ""
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	kinds, err := apiextensions.Kinds(crd)
	if err != nil {
		t.Fatal(err)
	}
	if k := kinds[0]; k.Singular != "pump" || k.List != "PumpList" || !k.Namespaced {
		t.Errorf("the kind is %+v", k)
	}
}

func TestWarnings(t *testing.T) {
	own := "v1 is old"
	for _, test := range []struct {
		name   string
		change func(versions []apiextensionsv1.CustomResourceDefinitionVersion)
		want   string
	}{
		{"a text of its own", func(v []apiextensionsv1.CustomResourceDefinitionVersion) { v[1].DeprecationWarning = &own }, own},
		{"all are deprecated", func(v []apiextensionsv1.CustomResourceDefinitionVersion) { v[0].Deprecated = true }, "example.com/v1 Pump is deprecated"},
		{"the newest is not served", func(v []apiextensionsv1.CustomResourceDefinitionVersion) { v[0].Served = false }, "example.com/v1 Pump is deprecated"},
		{"the other is older", func(v []apiextensionsv1.CustomResourceDefinitionVersion) { v[0].Name = "v1beta2" }, "example.com/v1 Pump is deprecated"},
	} {
		t.Run(test.name, func(t *testing.T) {
			crd := pump()
			test.change(crd.Spec.Versions)
			kinds, err := apiextensions.Kinds(crd)
			if err != nil {
				t.Fatal(err)
			}
			if got := kinds[len(kinds)-1].Warning; got != test.want {
				t.Errorf("the warning is %q, want %q", got, test.want)
			}
		})
	}
}

func TestConversionWebhook(t *testing.T) {
	crd := pump()
	url := "https://localhost/convert"
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ClientConfig: &apiextensionsv1.WebhookClientConfig{URL: &url}, ConversionReviewVersions: []string{"v1"},
		},
	}
	_, err := apiextensions.Kinds(crd)
	for _, want := range []string{"CRD pumps.example.com: spec.conversion.strategy is Webhook, and 2 versions are served", "strategy None"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, without %q", err, want)
		}
	}
	// Without a second version nothing is converted, not even from the one in which objects are stored.
	crd.Spec.Versions[0].Served = false
	crd.Spec.Versions[1].Schema.OpenAPIV3Schema.Properties["added"] = apiextensionsv1.JSONSchemaProps{Type: "string"}
	kinds, err := apiextensions.Kinds(crd)
	if err != nil {
		t.Fatal(err)
	}
	server := apitest.Start(t, apitest.WithKinds(kinds...))
	code, body := send(t, server, "POST", "/apis/example.com/v1/pumps", `{"apiVersion": "example.com/v1", "kind": "Pump", "metadata": {"name": "a"}, "added": "x"}`)
	if code != 201 || body["added"] != "x" {
		t.Errorf("the answer is %d %v", code, body)
	}
}

func TestNamesOfTwoCRDs(t *testing.T) {
	other := func(change func(names *apiextensionsv1.CustomResourceDefinitionNames)) *apiextensionsv1.CustomResourceDefinition {
		crd := pump()
		crd.Name = "pipes.example.com"
		crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "pipes", Singular: "pipe", Kind: "Pipe", ListKind: "PipeList"}
		change(&crd.Spec.Names)
		return crd
	}
	for _, test := range []struct {
		name string
		crd  *apiextensionsv1.CustomResourceDefinition
		want string
	}{
		{"the singular", other(func(n *apiextensionsv1.CustomResourceDefinitionNames) { n.Singular = "pump" }), "the name pump "},
		{"a short name", other(func(n *apiextensionsv1.CustomResourceDefinitionNames) { n.ShortNames = []string{"p", "pu"} }), "the name pu "},
		{"a short name that is the plural", other(func(n *apiextensionsv1.CustomResourceDefinitionNames) { n.ShortNames = []string{"pumps"} }), "the name pumps "},
		{"the list", other(func(n *apiextensionsv1.CustomResourceDefinitionNames) { n.ListKind = "Pump" }), "the name Pump "},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := apiextensions.Kinds(pump(), test.crd)
			want := "CRD pipes.example.com: " + test.want + "in group example.com is that of CRD pumps.example.com"
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want %q", err, want)
			}
		})
	}
	elsewhere := other(func(n *apiextensionsv1.CustomResourceDefinitionNames) { n.Kind = "Pump" })
	elsewhere.Name, elsewhere.Spec.Group = "pipes.example.org", "example.org"
	if _, err := apiextensions.Kinds(pump(), elsewhere); err != nil {
		t.Errorf("a kind of the same name in another group: %v", err)
	}
}
