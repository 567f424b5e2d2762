package apiextensions

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

const (
	refPrefix    = "#/components/schemas/"
	gvkExtension = "x-kubernetes-group-version-kind"
)

// newTypeConverter returns what server-side apply has to know of all versions of the CRD, also of those that
// are not served: managed fields may be of each of them.
//
// An API server builds whole OpenAPI documents for it, with a model for each kind. These are the same models
// without the documents, whose builder depends on most packages of an API server.
func newTypeConverter(d *definition) managedfields.TypeConverter {
	converter, err := managedfields.NewTypeConverter(modelsOf(d), false)
	if err != nil {
		// The schemas are structural, so each of them is a type.
		panic(fmt.Sprintf("CRD %s: make types of its schemas: %v", d.name, err))
	}
	return converter
}

// modelsOf returns the models of all versions.
func modelsOf(d *definition) map[string]*spec.Schema {
	models := maps.Clone(sharedModels())
	for _, v := range d.versions {
		models[v.modelName()] = v.model()
	}
	return models
}

// model returns the model of the objects.
func (v *version) model() *spec.Schema {
	model := v.structural.ToKubeOpenAPI()
	addEmbedded(model)
	addMetadata(model)
	setKind(model, v.gvk())
	return model
}

// modelName returns the name of the model in OpenAPI documents, such as com.example.v1.Foo.
func (v *version) modelName() string {
	return util.ToRESTFriendlyName(v.definition.spec.Group + "/" + v.spec.Name + "." + v.definition.spec.Names.Kind)
}

// OpenAPI implements [apitest.Schema].
func (v *version) OpenAPI() (name string, schemas map[string]json.RawMessage) {
	models := maps.Clone(sharedModels())
	models[v.modelName()] = v.model()
	schemas = make(map[string]json.RawMessage, len(models))
	for name, model := range models {
		encoded, err := json.Marshal(model)
		if err != nil {
			panic(fmt.Sprintf("CRD %s: encode the model %s: %v", v.definition.name, name, err)) // it was decoded from JSON
		}
		schemas[name] = encoded
	}
	return v.modelName(), schemas
}

// addEmbedded adds metadata to the embedded resources in the schema.
func addEmbedded(model *spec.Schema) {
	if model == nil {
		return
	}
	for name, property := range model.Properties {
		addEmbedded(&property)
		model.Properties[name] = property
	}
	if model.Items != nil {
		addEmbedded(model.Items.Schema)
	}
	if model.AdditionalProperties != nil {
		addEmbedded(model.AdditionalProperties.Schema)
	}
	if embedded, _ := model.Extensions.GetBool("x-kubernetes-embedded-resource"); embedded {
		addMetadata(model)
	}
}

// addMetadata sets the fields that each object has. What the CRD says of them is only for validation.
func addMetadata(model *spec.Schema) {
	model.SetProperty("apiVersion", *spec.StringProperty())
	model.SetProperty("kind", *spec.StringProperty())
	model.SetProperty("metadata", *spec.RefSchema(refPrefix + metav1.ObjectMeta{}.OpenAPIModelName()))
}

func setKind(model *spec.Schema, gvk schema.GroupVersionKind) {
	model.AddExtension(gvkExtension, []any{
		map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind},
	})
}

// sharedModels returns the models of metadata, and that of Scale, which is what clients write to the
// subresource scale. Nothing changes them.
var sharedModels = sync.OnceValue(func() map[string]*spec.Schema {
	definitions := generatedopenapi.GetOpenAPIDefinitions(func(name string) spec.Ref {
		return spec.MustCreateRef(refPrefix + name)
	})
	models := map[string]*spec.Schema{}
	addModel(models, definitions, metav1.ObjectMeta{}.OpenAPIModelName())
	const scale = "io.k8s.api.autoscaling.v1.Scale"
	addModel(models, definitions, scale)
	setKind(models[scale], schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"})
	return models
})

// addModel adds a definition, and those that it refers to.
func addModel(models map[string]*spec.Schema, definitions map[string]common.OpenAPIDefinition, name string) {
	if models[name] != nil {
		return
	}
	definition := definitions[name]
	models[name] = &definition.Schema
	for _, other := range definition.Dependencies {
		addModel(models, definitions, other)
	}
}
