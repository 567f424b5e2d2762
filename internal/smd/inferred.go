package smd

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// SchemeConverter returns a converter for the kinds of a scheme. It finds the type of a kind by the name that OpenAPI
// documents give its Go type.
func SchemeConverter(scheme *runtime.Scheme, of *Schema) managedfields.TypeConverter {
	return schemeConverter(managedfields.NewSchemeTypeConverter, scheme, of)
}

func schemeConverter[P any](newConverter func(*runtime.Scheme, *P) managedfields.TypeConverter, scheme *runtime.Scheme, of *Schema) managedfields.TypeConverter {
	parsed := new(P)
	assign(parsed, parser{*of})
	return newConverter(scheme, parsed)
}

// Type is a type of a schema, for objects of one kind.
type Type struct {
	// Converter types objects, independently of their kind.
	Converter managedfields.TypeConverter
	// Extract is managedfields.ExtractInto.
	Extract func(obj runtime.Object, fieldManager string, into any, subresource string) error
}

// Types returns a function for the types of a schema.
func Types(of *Schema) func(root TypeRef) Type { return types(managedfields.ExtractInto, of) }

type (
	// parseable is typed.ParseableType.
	parseable[O, V any] interface {
		FromUnstructured(in any, options ...O) (V, error)
		FromStructured(in any, options ...O) (V, error)
	}
	// typedValue is *typed.TypedValue.
	typedValue[A unstructurer, S, R any] interface {
		AsValue() A
		Schema() *S
		TypeRef() R
	}
	// unstructurer is value.Value.
	unstructurer interface{ Unstructured() any }
)

type extractor[P any] = func(obj runtime.Object, of P, fieldManager string, into any, subresource string) error

func types[P parseable[O, V], O any, V typedValue[A, S, R], A unstructurer, S, R any](extract extractor[P], of *Schema) func(TypeRef) Type {
	var all P
	assign(&all, parseableType{Schema: of})
	return func(root TypeRef) Type {
		p := all // with the same schema
		assign(&p, parseableType{TypeRef: root})
		return Type{
			Converter: any(&converter[P, O, V, A, S, R]{of: p}).(managedfields.TypeConverter),
			Extract: func(obj runtime.Object, fieldManager string, into any, subresource string) error {
				return extract(obj, p, fieldManager, into, subresource)
			},
		}
	}
}

// converter is a managedfields.TypeConverter.
type converter[P parseable[O, V], O any, V typedValue[A, S, R], A unstructurer, S, R any] struct {
	managedfields.TypeConverter // nil: it has the methods that a later version of apimachinery adds

	of P
}

func (c *converter[P, O, V, A, S, R]) ObjectToTyped(obj runtime.Object, options ...O) (V, error) {
	if u, is := obj.(*unstructured.Unstructured); is {
		return c.of.FromUnstructured(u.Object, options...)
	}
	return c.of.FromStructured(obj, options...)
}

func (c *converter[P, O, V, A, S, R]) TypedToObject(value V) (runtime.Object, error) {
	content, is := value.AsValue().Unstructured().(map[string]any)
	if !is {
		return nil, fmt.Errorf("an object was merged to a %T, not to a map", value.AsValue().Unstructured())
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// ByVersion returns a converter for several kinds.
func ByVersion(of map[schema.GroupVersionKind]managedfields.TypeConverter) managedfields.TypeConverter {
	return byVersion(managedfields.NewDeducedTypeConverter(), of)
}

func byVersion[O, V any](_ converterOf[O, V], of map[schema.GroupVersionKind]managedfields.TypeConverter) managedfields.TypeConverter {
	all := versions[O, V]{of: map[schema.GroupVersionKind]converterOf[O, V]{}}
	for gvk, converter := range of {
		all.of[gvk] = any(converter).(converterOf[O, V])
	}
	return any(all).(managedfields.TypeConverter)
}

// converterOf is managedfields.TypeConverter.
type converterOf[O, V any] interface {
	ObjectToTyped(obj runtime.Object, options ...O) (V, error)
	TypedToObject(value V) (runtime.Object, error)
}

type versions[O, V any] struct {
	managedfields.TypeConverter // nil, as in converter

	of map[schema.GroupVersionKind]converterOf[O, V]
}

func (v versions[O, V]) ObjectToTyped(obj runtime.Object, options ...O) (typed V, err error) {
	gvk := obj.GetObjectKind().GroupVersionKind()
	of, found := v.of[gvk]
	if !found {
		return typed, runtime.NewNotRegisteredErrForKind("managed fields", gvk)
	}
	return of.ObjectToTyped(obj, options...)
}

func (v versions[O, V]) TypedToObject(value V) (runtime.Object, error) {
	for _, of := range v.of { // they are all the same in this
		return of.TypedToObject(value)
	}
	return nil, fmt.Errorf("there is no version to convert to")
}

// Source is the schema of a TypeConverter.
type Source struct {
	// ID is the same for the kinds that share a schema. It is comparable.
	ID any
	// Root is the type of the kind.
	Root TypeRef
	// Copy returns the types of all kinds.
	Copy func() *Schema
}

// SourceOf returns the schema that a converter has for a kind, or false.
func SourceOf(of managedfields.TypeConverter, gvk schema.GroupVersionKind) (Source, bool) {
	return sourceOf(managedfields.ExtractInto, of, gvk)
}

func sourceOf[P parseable[O, V], O any, V typedValue[A, S, R], A unstructurer, S, R any](_ extractor[P], of managedfields.TypeConverter, gvk schema.GroupVersionKind) (Source, bool) {
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(gvk)
	value, err := any(of).(converterOf[O, V]).ObjectToTyped(empty)
	if err != nil {
		return Source{}, false
	}
	found := Source{ID: value.Schema(), Copy: func() (copied *Schema) {
		assign(&copied, value.Schema())
		return copied
	}}
	assign(&found.Root, value.TypeRef())
	return found, true
}

// Manager has the arguments of NewFieldManager.
type Manager struct {
	runtime.ObjectConvertor
	runtime.ObjectDefaulter
	runtime.ObjectCreater
	Kind        schema.GroupVersionKind
	Subresource string
	// Reset has the fields at the top of an object that a write leaves as they are, by the apiVersion.
	Reset map[string][]string
}

// NewFieldManager returns a FieldManager for custom resources.
func NewFieldManager(of managedfields.TypeConverter, m Manager) (*managedfields.FieldManager, error) {
	return newFieldManager(managedfields.NewDefaultCRDFieldManager, of, m)
}

type (
	// filter is fieldpath.Filter.
	filter[S any] interface{ Filter(S) S }
	// fieldSet is *fieldpath.Set.
	fieldSet[S any] interface {
		FromJSON(io.Reader) error
		RecursiveDifference(S) S
	}
)

// excluding is a filter that leaves fields out.
type excluding[S fieldSet[S]] struct{ fields S }

func (e excluding[S]) Filter(set S) S { return set.RecursiveDifference(e.fields) }

func newFieldManager[K ~string, F filter[S], S fieldSet[S]](
	newManager func(managedfields.TypeConverter, runtime.ObjectConvertor, runtime.ObjectDefaulter, runtime.ObjectCreater, schema.GroupVersionKind, schema.GroupVersion, string, map[K]F) (*managedfields.FieldManager, error),
	of managedfields.TypeConverter, m Manager,
) (*managedfields.FieldManager, error) {
	var reset map[K]F
	for apiVersion, names := range m.Reset {
		fields := reflect.New(reflect.TypeFor[S]().Elem()).Interface().(S)
		text := ""
		for _, name := range names {
			text += fmt.Sprintf(",%q:{}", "f:"+name)
		}
		if err := fields.FromJSON(strings.NewReader("{" + strings.TrimPrefix(text, ",") + "}")); err != nil {
			return nil, err
		}
		if reset == nil {
			reset = map[K]F{}
		}
		reset[K(apiVersion)] = any(excluding[S]{fields}).(F)
	}
	return newManager(of, m, m, m, m.Kind, m.Kind.GroupVersion(), m.Subresource, reset)
}
