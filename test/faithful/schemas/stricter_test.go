package schemas

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/typedinformers/informer-gen/test/progress"
	"github.com/typedinformers/informer-gen/testserver"
)

// TestStricterSchema makes values wrong that are stored. They may stay as long as they do not change.
func TestStricterSchema(t *testing.T) {
	const manifest, costs = "testdata/costs.yaml", "/apis/schema.example.com/v1/costs"
	both := start(t, manifest)
	create := func(name, spec string) request {
		return request{"POST", costs, "", body("v1", "Cost", `"name": "`+name+`"`, `"spec": `+spec)}
	}
	patch := func(path, body string) request {
		return request{"PATCH", costs + "/" + path, "application/merge-patch+json", body}
	}
	both.play(t,
		create("a", `{"name": "old", "text": "a", "more": [{"key": "x", "value": 1}, {"key": "y", "value": 500}], "plain": ["a", "a"], "options": {"b": "c"}}`),
		create("b", `{"name": "old"}`),
	)

	crds, err := testserver.LoadCRDs(manifest)
	if err != nil {
		t.Fatal(err)
	}
	crd := crds[0]
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	change := func(name string, change func(*apiextensionsv1.JSONSchemaProps)) {
		property := spec.Properties[name]
		change(&property)
		spec.Properties[name] = property
	}
	change("name", func(p *apiextensionsv1.JSONSchemaProps) { p.Enum = []apiextensionsv1.JSON{{Raw: []byte(`"new"`)}} })
	change("more", func(p *apiextensionsv1.JSONSchemaProps) {
		value := p.Items.Schema.Properties["value"]
		value.Maximum = new(float64)
		*value.Maximum = 100
		p.Items.Schema.Properties["value"] = value
	})
	change("plain", func(p *apiextensionsv1.JSONSchemaProps) { set := "set"; p.XListType = &set })
	change("options", func(p *apiextensionsv1.JSONSchemaProps) {
		p.XValidations = apiextensionsv1.ValidationRules{{Rule: "!('b' in self)", Message: "b is not an option"}}
	})
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = spec
	for _, server := range []server{both.real, both.memory} {
		if err := server.install(t.Context(), crd.DeepCopy()); err != nil {
			t.Fatal(err)
		}
	}
	// The CRD is stored before all requests are answered by it.
	ctx := progress.Context(t)
	for code := 0; code != 422; {
		answer, _, err := both.real.send(create("c", `{"name": "old"}`), "")
		if err != nil || ctx.Err() != nil {
			t.Fatal(err, ctx.Err())
		}
		if code = answer.Code; code == 201 {
			if _, _, err := both.real.send(request{"DELETE", costs + "/c", "", ""}, ""); err != nil {
				t.Fatal(err)
			}
		}
	}

	both.play(t,
		create("c", `{"name": "old"}`),
		patch("a", `{"metadata": {"labels": {"l": "x"}}}`),
		patch("a", `{"spec": {"text": "b"}}`),
		patch("a", `{"spec": {"more": [{"key": "y", "value": 500}, {"key": "x", "value": 2}]}}`),
		patch("a", `{"spec": {"more": [{"key": "y", "value": 501}, {"key": "x", "value": 2}]}}`),
		patch("a", `{"spec": {"plain": ["a", "a", "b"]}}`),
		patch("a", `{"spec": {"plain": ["a", "b"]}}`),
		patch("a", `{"spec": {"plain": ["a", "b", "b"]}}`),
		patch("a", `{"spec": {"options": {"c": "d"}}}`),
		patch("a", `{"spec": {"options": {"b": null}}}`),
		patch("a", `{"spec": {"options": {"b": "c"}}}`),
		patch("a", `{"spec": {"name": "other"}}`),
		patch("b?fieldManager=x", `{"spec": {"options": {"b": "c"}}}`),
		request{"PATCH", costs + "/b?fieldManager=y", "application/apply-patch+yaml", body("v1", "Cost", `"name": "b"`, `"spec": {"text": "a"}`)},
		patch("b", `{"spec": {"name": "new"}}`),
		patch("b", `{"spec": {"name": "old"}}`),
	)
}
