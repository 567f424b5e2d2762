package merge

import (
	"go/types"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// The types whose values may have any form. kube-openapi has the same names, so CRDs and OpenAPI files
// give the same types.
const (
	// untypedAtomic has one owner for all of its parts.
	untypedAtomic = "__untyped_atomic_"
	// untypedDeduced merges members of objects, and has one owner for each list.
	untypedDeduced = "__untyped_deduced_"
)

// untypedTypes returns the definitions of the types whose values may have any form.
func untypedTypes() []model.SchemaType {
	atomic, deduced := model.SchemaRef{Named: untypedAtomic}, model.SchemaRef{Named: untypedDeduced}
	list := func() *model.SchemaList {
		return &model.SchemaList{Element: atomic, Relationship: model.Atomic}
	}
	return []model.SchemaType{
		{Name: untypedAtomic, Atom: model.SchemaAtom{
			Scalar: "untyped", List: list(), Map: &model.SchemaMap{Element: &atomic, Relationship: model.Atomic},
		}},
		{Name: untypedDeduced, Atom: model.SchemaAtom{
			Scalar: "untyped", List: list(), Map: &model.SchemaMap{Element: &deduced, Relationship: model.Separable},
		}},
	}
}

func deduced() model.SchemaRef { return model.SchemaRef{Named: untypedDeduced} }

func scalar(name string) model.SchemaRef {
	return model.SchemaRef{Inline: model.SchemaAtom{Scalar: name}}
}

// freeObject returns an object with members of any form.
func freeObject() model.SchemaRef {
	element := deduced()
	return model.SchemaRef{Inline: model.SchemaAtom{Map: &model.SchemaMap{Element: &element, Relationship: model.Separable}}}
}

const (
	apiextensions = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/"
	unstructured  = gotype.MetaV1 + "/unstructured"
)

var rawExtension = model.TypeRef{Path: "k8s.io/apimachinery/pkg/runtime", Name: "RawExtension"}

// known are the types whose JSON differs from their Go type.
var known = map[model.TypeRef]func() model.SchemaRef{
	{Path: gotype.MetaV1, Name: "Duration"}:                                 func() model.SchemaRef { return scalar("string") },
	{Path: gotype.MetaV1, Name: "FieldsV1"}:                                 freeObject,
	{Path: gotype.MetaV1, Name: "MicroTime"}:                                func() model.SchemaRef { return scalar("untyped") },
	{Path: gotype.MetaV1, Name: "Time"}:                                     func() model.SchemaRef { return scalar("untyped") },
	{Path: "k8s.io/apimachinery/pkg/api/resource", Name: "Quantity"}:        func() model.SchemaRef { return scalar("untyped") },
	{Path: "k8s.io/apimachinery/pkg/util/intstr", Name: "IntOrString"}:      func() model.SchemaRef { return scalar("untyped") },
	{Path: apiextensions + "v1", Name: "JSON"}:                              deduced,
	{Path: apiextensions + "v1", Name: "JSONSchemaPropsOrArray"}:            deduced,
	{Path: apiextensions + "v1", Name: "JSONSchemaPropsOrBool"}:             deduced,
	{Path: apiextensions + "v1", Name: "JSONSchemaPropsOrStringArray"}:      deduced,
	{Path: apiextensions + "v1beta1", Name: "JSON"}:                         deduced,
	{Path: apiextensions + "v1beta1", Name: "JSONSchemaPropsOrArray"}:       deduced,
	{Path: apiextensions + "v1beta1", Name: "JSONSchemaPropsOrBool"}:        deduced,
	{Path: apiextensions + "v1beta1", Name: "JSONSchemaPropsOrStringArray"}: deduced,
	{Path: unstructured, Name: "Unstructured"}:                              freeObject,
	{Path: unstructured, Name: "UnstructuredList"}:                          freeObject,
	{Path: "encoding/json", Name: "RawMessage"}:                             deduced,
	{Path: "time", Name: "Time"}:                                            func() model.SchemaRef { return scalar("untyped") },
}

// refOfForm returns the type of values of a form that a marker gives.
func refOfForm(f form) model.SchemaRef {
	switch f {
	case formString:
		return scalar("string")
	case formInteger, formNumber:
		return scalar("numeric")
	case formBoolean:
		return scalar("boolean")
	case formIntOrString:
		return scalar("untyped")
	case formObject:
		return freeObject()
	case formArray:
		return model.SchemaRef{Inline: model.SchemaAtom{List: &model.SchemaList{Element: deduced(), Relationship: model.Atomic}}}
	}
	return deduced()
}

// formOf returns the form in JSON of a Go type that does not encode itself, or "".
func formOf(t types.Type) form {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case t.Info()&types.IsString != 0:
			return formString
		case t.Info()&types.IsInteger != 0:
			return formInteger
		case t.Info()&types.IsFloat != 0:
			return formNumber
		case t.Info()&types.IsBoolean != 0:
			return formBoolean
		}
	case *types.Slice:
		if isBytes(t) {
			return formString
		}
		return formArray
	case *types.Array:
		return formArray
	case *types.Map, *types.Struct:
		return formObject
	}
	return ""
}

// isBytes reports whether encoding/json writes a slice as a string in base64.
func isBytes(slice *types.Slice) bool {
	element, ok := slice.Elem().Underlying().(*types.Basic)
	return ok && element.Kind() == types.Uint8 && !gotype.EncodesItself(slice.Elem())
}

// encodesAs returns the type of values of a type with methods for its JSON. ok is false if its fields or its
// underlying type show it, as the generators of CRDs and OpenAPI documents assume.
func encodesAs(named *types.Named) (ref model.SchemaRef, ok bool) {
	has := gotype.MethodsOf(named)
	structType, isStruct := gotype.StructOf(named)
	switch {
	case has("OpenAPISchemaType") && has("OpenAPISchemaFormat"), has("OpenAPIDefinition"), has("OpenAPIV3Definition"):
		return deduced(), true
	case has("MarshalJSON") || has("MarshalJSONTo"):
		if isStruct {
			fields, _ := gotype.JSONFields(structType)
			return deduced(), len(fields) == 0
		}
		return deduced(), true
	case has("MarshalText"):
		// A string in JSON, but package value of structured merge ignores the method and reads the Go value.
		if _, isBasic := named.Underlying().(*types.Basic); isBasic {
			return scalar("untyped"), true
		}
		return deduced(), true
	}
	return model.SchemaRef{}, false
}
