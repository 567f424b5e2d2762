package fields

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// The names of the two types that every schema has. They are the names that apimachinery's schemas
// use, and structured-merge-diff knows the second.
var (
	atomicName  = "__untyped_atomic_"
	deducedName = "__untyped_deduced_"
)

var (
	atomicRef  = schema.TypeRef{NamedType: &atomicName}
	deducedRef = schema.TypeRef{NamedType: &deducedName}
)

// typeConverter types objects by the schema of a Go type.
type typeConverter struct {
	parseable typed.ParseableType
}

// ObjectToTyped implements managedfields.TypeConverter.
func (c *typeConverter) ObjectToTyped(obj runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return c.parseable.FromStructured(obj, options...)
	}
	return c.parseable.FromUnstructured(u.Object, options...)
}

// TypedToObject implements managedfields.TypeConverter.
func (c *typeConverter) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	content, ok := value.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("apitest: an object merged to a %T, not to a map", value.AsValue().Unstructured())
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// untyped is the type of a kind that has no other. What is in spec and status is merged as its value
// suggests.
type untyped struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              any `json:"spec,omitempty"`
	Status            any `json:"status,omitempty"`
}

// DeepCopyObject implements runtime.Object. Nothing calls it.
func (u *untyped) DeepCopyObject() runtime.Object { return u }

// metaPackage has the types of metadata.
var metaPackage = reflect.TypeFor[metav1.ObjectMeta]().PkgPath()

var converters sync.Map // reflect.Type to managedfields.TypeConverter

// NewTypeConverter returns a TypeConverter with the schema of obj's Go type. It follows the rules by
// which Kubernetes makes OpenAPI schemas from Go types, with these differences:
//   - A field that the type does not have is merged as its value suggests. It is refused only in
//     types of metav1, such as ObjectMeta.
//   - Go types do not have the markers +listType, +mapType and +structType. Lists are merged if
//     their field has the tag patchStrategy:"merge", by the key of the tag patchMergeKey. The
//     markers of k8s.io/api are in a table.
//
// Converters are kept for each type.
func NewTypeConverter(obj runtime.Object) managedfields.TypeConverter {
	t := reflect.TypeOf(obj)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if c, ok := converters.Load(t); ok {
		return c.(managedfields.TypeConverter)
	}
	b := builder{names: map[reflect.Type]*string{}}
	root := b.ref(t)
	b.types = append(b.types, untypedTypes()...)
	c, _ := converters.LoadOrStore(t, &typeConverter{parseable: typed.ParseableType{
		Schema: &schema.Schema{Types: b.types}, TypeRef: root,
	}})
	return c.(managedfields.TypeConverter)
}

// untypedTypes returns the two types that every schema has.
func untypedTypes() []schema.TypeDef {
	return []schema.TypeDef{
		{Name: atomicName, Atom: anyAtom(schema.Atomic, atomicRef)},
		{Name: deducedName, Atom: anyAtom(schema.Separable, deducedRef)},
	}
}

// anyAtom is the type of a value of which nothing is known. Its lists are always atomic.
func anyAtom(maps schema.ElementRelationship, elements schema.TypeRef) schema.Atom {
	return schema.Atom{
		Scalar: scalar(schema.Untyped),
		List:   &schema.List{ElementType: atomicRef, ElementRelationship: schema.Atomic},
		Map:    &schema.Map{ElementType: elements, ElementRelationship: maps},
	}
}

func scalar(s schema.Scalar) *schema.Scalar { return &s }

// builder makes the types of a schema. Structs become named types, so that types may contain
// themselves.
type builder struct {
	types []schema.TypeDef
	names map[reflect.Type]*string
}

// openAPIType is implemented by types that encode as another type than their kind, such as
// metav1.Time.
type openAPIType interface{ OpenAPISchemaType() []string }

var (
	openAPITypeType   = reflect.TypeFor[openAPIType]()
	jsonMarshalerType = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
	rawExtensionType  = reflect.TypeFor[runtime.RawExtension]()
)

func implements(t, of reflect.Type) bool {
	return t.Implements(of) || reflect.PointerTo(t).Implements(of)
}

// ref returns a reference to the type for t.
func (b *builder) ref(t reflect.Type) schema.TypeRef {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == rawExtensionType:
		return atomicRef
	case implements(t, openAPITypeType):
		types := reflect.New(t).Interface().(openAPIType).OpenAPISchemaType()
		if len(types) == 1 && types[0] != "object" && types[0] != "array" {
			return inlineScalar(schema.Untyped)
		}
		return deducedRef
	case implements(t, jsonMarshalerType):
		return deducedRef
	case implements(t, textMarshalerType):
		return inlineScalar(schema.String)
	}
	switch t.Kind() {
	case reflect.String:
		return inlineScalar(schema.String)
	case reflect.Bool:
		return inlineScalar(schema.Boolean)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return inlineScalar(schema.Numeric)
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return inlineScalar(schema.String) // base64
		}
		return inlineList(schema.List{ElementType: b.ref(t.Elem()), ElementRelationship: schema.Atomic})
	case reflect.Map:
		return schema.TypeRef{Inlined: schema.Atom{Map: &schema.Map{ElementType: b.ref(t.Elem())}}}
	case reflect.Struct:
		return b.structRef(t)
	}
	return deducedRef
}

func inlineScalar(s schema.Scalar) schema.TypeRef {
	return schema.TypeRef{Inlined: schema.Atom{Scalar: &s}}
}

func inlineList(l schema.List) schema.TypeRef {
	return schema.TypeRef{Inlined: schema.Atom{List: &l}}
}

// structRef returns a reference to the named type for the struct t, which it makes at its first use.
func (b *builder) structRef(t reflect.Type) schema.TypeRef {
	if name, ok := b.names[t]; ok {
		return schema.TypeRef{NamedType: name}
	}
	name := t.PkgPath() + "." + t.Name()
	if t.Name() == "" {
		name = fmt.Sprintf("struct %d", len(b.names))
	}
	b.names[t] = &name
	m := &schema.Map{}
	if t.PkgPath() != metaPackage {
		m.ElementType = deducedRef
	}
	b.addFields(m, t, map[string]bool{})
	if markerOf(t.PkgPath(), t.Name(), "").atomic {
		m.ElementRelationship = schema.Atomic
	}
	b.types = append(b.types, schema.TypeDef{Name: name, Atom: schema.Atom{Map: m}})
	return schema.TypeRef{NamedType: &name}
}

// addFields adds the fields of t, and then those of its embedded structs that t does not shadow.
func (b *builder) addFields(m *schema.Map, t reflect.Type, seen map[string]bool) {
	var embedded []reflect.Type
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "-" && options == "" {
			continue
		}
		if f.Anonymous && tag == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				embedded = append(embedded, inner)
				continue
			}
		}
		if !f.IsExported() {
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		if seen[tag] {
			continue
		}
		seen[tag] = true
		m.Fields = append(m.Fields, b.field(t, f, tag, options))
	}
	for _, e := range embedded {
		b.addFields(m, e, seen)
	}
}

// field returns the field f of t, which is called name in JSON.
func (b *builder) field(t reflect.Type, f reflect.StructField, name, options string) schema.StructField {
	field := schema.StructField{Name: name, Type: b.ref(f.Type)}
	if strings.Contains(options, "string") {
		field.Type = inlineScalar(schema.Untyped) // a number in a string
	}
	if !strings.Contains(options, "omitempty") {
		// A list that is merged by this field needs it in elements that do not have it.
		switch inlined := field.Type.Inlined.Scalar; {
		case f.Type.Kind() == reflect.Pointer || inlined == nil:
		case *inlined == schema.String:
			field.Default = ""
		case *inlined == schema.Numeric:
			field.Default = int64(0)
		}
	}
	mark := markerOf(t.PkgPath(), t.Name(), name)
	if mark.initial != nil {
		field.Default = *mark.initial
	}
	inlined := field.Type.Inlined
	switch {
	case mark.atomic && inlined.Map != nil:
		inlined.Map.ElementRelationship = schema.Atomic
	case mark.granular:
		granular := schema.Separable
		field.Type.ElementRelationship = &granular
	case inlined.List == nil || mark.atomic:
	case mark.set:
		inlined.List.ElementRelationship = schema.Associative
	case len(mark.keys) > 0:
		inlined.List.ElementRelationship, inlined.List.Keys = schema.Associative, mark.keys
	case mergesBy(f.Tag.Get("patchStrategy")):
		key := f.Tag.Get("patchMergeKey")
		switch {
		case key != "":
			inlined.List.ElementRelationship, inlined.List.Keys = schema.Associative, []string{key}
		case inlined.List.ElementType.Inlined.Scalar != nil:
			inlined.List.ElementRelationship = schema.Associative // a set
		}
	}
	return field
}

// mergesBy reports whether a patchStrategy tag lets lists be merged.
func mergesBy(strategy string) bool {
	for s := range strings.SplitSeq(strategy, ",") {
		if s == "merge" {
			return true
		}
	}
	return false
}
