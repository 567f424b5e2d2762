package builtin

import (
	"maps"
	"reflect"
	"strings"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Definitions adds the OpenAPI definitions of the kinds to those of base, which has the metadata.
//
// kube-apiserver has code that is generated from the comments of the Go types. That code is not published as a
// module of its own, so this reads the types: their fields, the merge keys in their tags, and their documentation.
// What only comments say is missing, such as required fields, defaults and enumerations.
func (k *Kinds) Definitions(base common.GetOpenAPIDefinitions) common.GetOpenAPIDefinitions {
	return func(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
		d := definitions{ref: ref, known: maps.Clone(base(ref))}
		for _, kind := range k.kinds {
			d.reference(kind.object)
			d.reference(kind.list)
		}
		d.reference(otherEventsType)
		d.reference(otherEventListType)
		return d.known
	}
}

// definitions are OpenAPI definitions by the names of their Go types.
type definitions struct {
	ref   common.ReferenceCallback
	known map[string]common.OpenAPIDefinition
}

// reference returns a reference to the definition of a struct, which it adds if it is new.
func (d definitions) reference(t reflect.Type) (reference spec.Schema, name string) {
	object := reflect.New(t).Interface()
	name = util.GetCanonicalTypeName(object)
	if _, ok := d.known[name]; !ok {
		d.known[name] = common.OpenAPIDefinition{} // ends a recursion
		d.known[name] = d.define(t, object)
	}
	return spec.Schema{SchemaProps: spec.SchemaProps{Ref: d.ref(name)}}, name
}

func (d definitions) define(t reflect.Type, object any) common.OpenAPIDefinition {
	var definition common.OpenAPIDefinition
	definition.Schema.Description = documentation(object)[""]
	// A type that encodes itself, such as Quantity, says what it looks like.
	if self, ok := object.(interface {
		OpenAPISchemaType() []string
		OpenAPISchemaFormat() string
	}); ok {
		definition.Schema.Type, definition.Schema.Format = self.OpenAPISchemaType(), self.OpenAPISchemaFormat()
		return definition
	}
	definition.Schema.Type = spec.StringOrArray{"object"}
	definition.Schema.Properties = map[string]spec.Schema{}
	d.addFields(&definition, t, documentation(object))
	return definition
}

// addFields adds the fields of a struct, and of the structs that are inline in it, to a definition.
func (d definitions) addFields(definition *common.OpenAPIDefinition, t reflect.Type, docs map[string]string) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case field.Anonymous && (name == "" || strings.Contains(options, "inline")):
			d.addFields(definition, field.Type, documentation(reflect.New(field.Type).Interface()))
		default:
			schema := d.schema(field.Type, &definition.Dependencies)
			schema.Description = docs[name]
			if strategy := field.Tag.Get("patchStrategy"); strategy != "" {
				schema.AddExtension("x-kubernetes-patch-strategy", strategy)
			}
			if key := field.Tag.Get("patchMergeKey"); key != "" {
				schema.AddExtension("x-kubernetes-patch-merge-key", key)
			}
			definition.Schema.Properties[name] = schema
		}
	}
}

// schema returns the schema of a field's type, and adds the types that it refers to to dependencies.
func (d definitions) schema(t reflect.Type, dependencies *[]string) spec.Schema {
	switch t.Kind() {
	case reflect.Pointer:
		return d.schema(t.Elem(), dependencies)
	case reflect.Struct:
		reference, name := d.reference(t)
		*dependencies = append(*dependencies, name)
		return reference
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return *spec.StrFmtProperty("byte")
		}
		items := d.schema(t.Elem(), dependencies)
		return *spec.ArrayProperty(&items)
	case reflect.Map:
		values := d.schema(t.Elem(), dependencies)
		return *spec.MapProperty(&values)
	case reflect.Bool:
		return *spec.BooleanProperty()
	case reflect.Int32:
		return *spec.Int32Property()
	case reflect.Int, reflect.Int64:
		return *spec.Int64Property()
	case reflect.Float64:
		return *spec.Float64Property()
	default:
		return *spec.StringProperty()
	}
}

// documentation returns the documentation of the fields of a Go type of k8s.io/api, by their JSON names. That of
// the type itself has the name "".
func documentation(object any) map[string]string {
	if documented, ok := object.(interface{ SwaggerDoc() map[string]string }); ok {
		return documented.SwaggerDoc()
	}
	return nil
}
