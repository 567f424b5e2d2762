package model

import "go/token"

// Schema describes kinds for structured merge: their fields, and how lists and maps are merged. It is
// the schema of sigs.k8s.io/structured-merge-diff in plain data.
type Schema struct {
	// Types are sorted by name. runtime.Scheme.ToOpenAPIDefinitionName returns the name of a kind's type.
	Types []SchemaType
}

// SchemaType is a type with a name.
type SchemaType struct {
	Name string
	Atom SchemaAtom
}

// SchemaAtom is a scalar, a list or a map. An atom with all three is of any type.
type SchemaAtom struct {
	// Scalar is string, numeric, boolean or untyped, or "".
	Scalar string
	List   *SchemaList
	Map    *SchemaMap
}

// Relationship is how the elements of a list, or the fields or elements of a map, belong together.
type Relationship string

const (
	// Atomic elements have one owner, which replaces all of them.
	Atomic Relationship = "atomic"
	// Associative elements of a list have owners of their own. Their keys identify them.
	Associative Relationship = "associative"
	// Separable elements or fields of a map have owners of their own.
	Separable Relationship = "separable"
)

// SchemaList is a list.
type SchemaList struct {
	Element      SchemaRef
	Relationship Relationship
	// Keys are the JSON names of the fields that identify an element of an associative list. Without keys
	// the list is a set.
	Keys []string
}

// SchemaMap is a map, or a struct, which has fields.
type SchemaMap struct {
	// Fields are sorted by name.
	Fields []SchemaField
	// Element is the type of other members, or nil.
	Element *SchemaRef
	// Relationship is Separable or Atomic.
	Relationship Relationship
}

// SchemaField is a field of a struct.
type SchemaField struct {
	// Name is the JSON name.
	Name string
	Type SchemaRef
	// Default is the default as JSON, or "". It matters for the keys of lists.
	Default string
	// Pos is where the field is declared. The schema is the same without it.
	Pos token.Position
}

// SchemaRef is the type of a field or an element: one with a name, or an atom.
type SchemaRef struct {
	// Named is the name of a type, or "".
	Named  string
	Inline SchemaAtom
	// Relationship replaces the Relationship of the named type, unless it is empty.
	Relationship Relationship
}
