package fields

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/typedinformers/informer-gen/internal/smd"
)

// The names of the two types that every schema has. They are the names that apimachinery's schemas
// use, and structured-merge-diff knows the second.
var (
	atomicName  = "__untyped_atomic_"
	deducedName = "__untyped_deduced_"
)

var (
	atomicRef  = smd.TypeRef{NamedType: &atomicName}
	deducedRef = smd.TypeRef{NamedType: &deducedName}
)

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
	c, _ := converters.LoadOrStore(t, smd.Types(&smd.Schema{Types: b.types})(root).Converter)
	return c.(managedfields.TypeConverter)
}

// untypedTypes returns the two types that every schema has.
func untypedTypes() []smd.TypeDef {
	return []smd.TypeDef{
		{Name: atomicName, Atom: anyAtom(smd.Atomic, atomicRef)},
		{Name: deducedName, Atom: anyAtom(smd.Separable, deducedRef)},
	}
}

// anyAtom is the type of a value of which nothing is known. Its lists are always atomic.
func anyAtom(maps smd.ElementRelationship, elements smd.TypeRef) smd.Atom {
	return smd.Atom{
		Scalar: scalar(smd.Untyped),
		List:   &smd.List{ElementType: atomicRef, ElementRelationship: smd.Atomic},
		Map:    &smd.Map{ElementType: elements, ElementRelationship: maps},
	}
}

func scalar(s smd.Scalar) *smd.Scalar { return &s }

// builder makes the types of a smd. Structs become named types, so that types may contain
// themselves.
type builder struct {
	types []smd.TypeDef
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
func (b *builder) ref(t reflect.Type) smd.TypeRef {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == rawExtensionType:
		return atomicRef
	case implements(t, openAPITypeType):
		types := reflect.New(t).Interface().(openAPIType).OpenAPISchemaType()
		if len(types) == 1 && types[0] != "object" && types[0] != "array" {
			return inlineScalar(smd.Untyped)
		}
		return deducedRef
	case implements(t, jsonMarshalerType):
		return deducedRef
	case implements(t, textMarshalerType):
		return inlineScalar(smd.String)
	}
	switch t.Kind() {
	case reflect.String:
		return inlineScalar(smd.String)
	case reflect.Bool:
		return inlineScalar(smd.Boolean)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return inlineScalar(smd.Numeric)
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return inlineScalar(smd.String) // base64
		}
		return inlineList(smd.List{ElementType: b.ref(t.Elem()), ElementRelationship: smd.Atomic})
	case reflect.Map:
		return smd.TypeRef{Inlined: smd.Atom{Map: &smd.Map{ElementType: b.ref(t.Elem())}}}
	case reflect.Struct:
		return b.structRef(t)
	}
	return deducedRef
}

func inlineScalar(s smd.Scalar) smd.TypeRef {
	return smd.TypeRef{Inlined: smd.Atom{Scalar: &s}}
}

func inlineList(l smd.List) smd.TypeRef {
	return smd.TypeRef{Inlined: smd.Atom{List: &l}}
}

// structRef returns a reference to the named type for the struct t, which it makes at its first use.
func (b *builder) structRef(t reflect.Type) smd.TypeRef {
	if name, ok := b.names[t]; ok {
		return smd.TypeRef{NamedType: name}
	}
	name := t.PkgPath() + "." + t.Name()
	if t.Name() == "" {
		name = fmt.Sprintf("struct %d", len(b.names))
	}
	b.names[t] = &name
	m := &smd.Map{}
	if t.PkgPath() != metaPackage {
		m.ElementType = deducedRef
	}
	b.addFields(m, t, map[string]bool{})
	if markerOf(t.PkgPath(), t.Name(), "").atomic {
		m.ElementRelationship = smd.Atomic
	}
	b.types = append(b.types, smd.TypeDef{Name: name, Atom: smd.Atom{Map: m}})
	return smd.TypeRef{NamedType: &name}
}

// addFields adds the fields of t, and then those of its embedded structs that t does not shadow.
func (b *builder) addFields(m *smd.Map, t reflect.Type, seen map[string]bool) {
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
func (b *builder) field(t reflect.Type, f reflect.StructField, name, options string) smd.StructField {
	field := smd.StructField{Name: name, Type: b.ref(f.Type)}
	if strings.Contains(options, "string") {
		field.Type = inlineScalar(smd.Untyped) // a number in a string
	}
	if !strings.Contains(options, "omitempty") {
		// A list that is merged by this field needs it in elements that do not have it.
		switch inlined := field.Type.Inlined.Scalar; {
		case f.Type.Kind() == reflect.Pointer || inlined == nil:
		case *inlined == smd.String:
			field.Default = ""
		case *inlined == smd.Numeric:
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
		inlined.Map.ElementRelationship = smd.Atomic
	case mark.granular:
		granular := smd.Separable
		field.Type.ElementRelationship = &granular
	case inlined.List == nil || mark.atomic:
	case mark.set:
		inlined.List.ElementRelationship = smd.Associative
	case len(mark.keys) > 0:
		inlined.List.ElementRelationship, inlined.List.Keys = smd.Associative, mark.keys
	case mergesBy(f.Tag.Get("patchStrategy")):
		key := f.Tag.Get("patchMergeKey")
		switch {
		case key != "":
			inlined.List.ElementRelationship, inlined.List.Keys = smd.Associative, []string{key}
		case inlined.List.ElementType.Inlined.Scalar != nil:
			inlined.List.ElementRelationship = smd.Associative // a set
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
