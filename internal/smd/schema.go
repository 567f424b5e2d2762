// Package smd has the parts of sigs.k8s.io/structured-merge-diff that this repository needs, without its name. The path of that
// module has its major version, which differs between minor versions of Kubernetes: v6 up to v0.37, v7 in v0.38. Code
// that imports one of them does not compile with the other.
//
//	schema.go      the schema of a kind as plain data
//	copy.go        copies it into the types of structured-merge-diff, and back
//	inferred.go    the functions of apimachinery that take and return these types
//
// The compiler infers the types from the signatures of package managedfields of k8s.io/apimachinery.
package smd

import utiljson "k8s.io/apimachinery/pkg/util/json"

// Schema has the types of kinds. The structs of this file have the names and fields of package schema of
// structured-merge-diff, which reads the same JSON.
type Schema struct {
	Types []TypeDef `json:"types"`
}

// Parse reads a schema from JSON. Integers that are defaults of fields are int64, as in objects.
func Parse(text string) (*Schema, error) {
	s := &Schema{}
	return s, utiljson.Unmarshal([]byte(text), s)
}

// TypeDef is a type with a name.
type TypeDef struct {
	Name string `json:"name"`
	Atom
}

// TypeRef is a type with a name, or one that is written in its place.
type TypeRef struct {
	NamedType *string
	Inlined   Atom
	// ElementRelationship replaces that of the type, if it is not nil.
	ElementRelationship *ElementRelationship
}

// UnmarshalJSON implements json.Unmarshaler: an inlined type has no name of its own.
func (t *TypeRef) UnmarshalJSON(text []byte) error {
	var ref struct {
		NamedType *string `json:"namedType"`
		Atom
		ElementRelationship *ElementRelationship `json:"elementRelationship"`
	}
	if err := utiljson.Unmarshal(text, &ref); err != nil {
		return err
	}
	*t = TypeRef{ref.NamedType, ref.Atom, ref.ElementRelationship}
	return nil
}

// Atom has the kinds of values that a value may be: one or several of a scalar, a list and a map.
type Atom struct {
	Scalar *Scalar `json:"scalar"`
	List   *List   `json:"list"`
	Map    *Map    `json:"map"`
}

// Scalar is a value without parts.
type Scalar string

// The scalars.
const (
	Numeric Scalar = "numeric"
	String  Scalar = "string"
	Boolean Scalar = "boolean"
	Untyped Scalar = "untyped"
)

// ElementRelationship says whether the parts of a value have owners of their own.
type ElementRelationship string

// The relationships: the elements of an associative list and the members of a separable map have owners of their own,
// and those of an atomic value have one together.
const (
	Associative ElementRelationship = "associative"
	Separable   ElementRelationship = "separable"
	Atomic      ElementRelationship = "atomic"
)

// Map is an object, with fields that are known and others of the type ElementType.
type Map struct {
	Fields              []StructField       `json:"fields"`
	ElementType         TypeRef             `json:"elementType"`
	ElementRelationship ElementRelationship `json:"elementRelationship"`
}

// StructField is a field of a Map.
type StructField struct {
	Name    string  `json:"name"`
	Type    TypeRef `json:"type"`
	Default any     `json:"default"`
}

// List is a list. Keys are the fields that identify its elements.
type List struct {
	ElementType         TypeRef             `json:"elementType"`
	ElementRelationship ElementRelationship `json:"elementRelationship"`
	Keys                []string            `json:"keys"`
}
