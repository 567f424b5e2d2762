package model

import "go/token"

// Index is an index of a kind's cache, from +informer:index.
type Index struct {
	// Name is the name of the index, such as byNodeName. Method is the method of the lister
	// that reads it, such as ByNodeName.
	Name, Method string
	// Path is the path in the marker. Field is the field at that path.
	Path  string
	Field *Field
}

// SelectableField is a field by which the server selects, from +kubebuilder:selectablefield.
type SelectableField struct {
	// GoName is the end of its constant, such as SpecColor.
	GoName string
	// Path is the path in a field selector, such as spec.color.
	Path  string
	Value ValueType
	// Pos is the marker. It is zero for the fields that every kind has.
	Pos token.Position
}

// Field is the field of a kind at a path of JSON names.
type Field struct {
	// Steps lead to the field in Go.
	Steps []Step
	// Value is the type of the value, or of each value if there are several.
	Value ValueType
	// Problem is the reason why the field cannot be used, and the fix. It is empty for a usable
	// field.
	Problem string
	// Quoted reports whether its tag has the option ",string".
	Quoted bool
	// EncodesItself reports whether the value has a method for its JSON or its text. A server
	// compares that text for any Go type, even if there is a Problem.
	EncodesItself bool
}

// Step is one operation on the way to a Field.
type Step struct {
	Op StepOp
	// Name is the Go name of a field, or the key of a map.
	Name string
}

// StepOp is the operation of a Step.
type StepOp int

// The operations: select a field, follow a pointer, take each element of a list,
// look up a key in a map.
const (
	StepField StepOp = iota
	StepPointer
	StepEach
	StepKey
)

// ValueType is a string, an integer or a boolean, or a named type of one.
type ValueType struct {
	// Basic is the predeclared type: string, bool, int32, …
	Basic string
	// Named is the type's name, or zero if other packages cannot use it.
	Named TypeRef
	// Defined reports whether the type is not Basic itself.
	Defined bool
}

// Single reports whether each object has at most one value.
func (f *Field) Single() bool {
	for _, s := range f.Steps {
		if s.Op == StepEach {
			return false
		}
	}
	return true
}
