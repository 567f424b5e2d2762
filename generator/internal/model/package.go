package model

import "go/token"

// Package is an API package as load found it.
type Package struct {
	// Path is the import path.
	Path string
	// Name is the name in the package clause.
	Name string
	// Dependency reports whether the package is outside the main module, so that the
	// user cannot edit it.
	Dependency bool
	// Pos is the package clause of the file that documents the package.
	Pos token.Position
	// Markers are those above a package clause, in the order of the files.
	Markers []Marker
	// Declared holds the package's top-level names.
	Declared map[string]bool
	// HasAddToScheme reports whether the package declares an AddToScheme that can be called.
	HasAddToScheme bool
	// GroupVersion is what the package declares of itself in a variable.
	GroupVersion DeclaredGroupVersion
	// Types are the types with a marker of ours.
	Types []*Type
}

// External is a package that a marker or a flag names.
type External struct {
	Path string
	// Package is what stands there; nil if there is a Problem.
	Package *Package
	// Declared holds the package's top-level names; nil if there is a Problem.
	Declared map[string]bool
	// OldTypeConverter reports whether NewTypeConverter returns a type that client-go has no
	// longer.
	OldTypeConverter bool
	// Problem says why the package could not be read, and what to do; empty if it
	// could.
	Problem string
}

// DeclaredGroupVersion is a package's variable of type schema.GroupVersion.
type DeclaredGroupVersion struct {
	// Name of the variable, SchemeGroupVersion or GroupVersion; empty if the
	// package has neither.
	Name string
	// OtherType reports whether the variable is not a schema.GroupVersion, but a string or a
	// pointer, so that generated code cannot use it.
	OtherType bool
	// Group and Version, where a literal or a constant says them.
	Group, Version           string
	GroupKnown, VersionKnown bool
	Pos                      token.Position
}

// Type is a type declaration with markers.
type Type struct {
	Name    string
	Pos     token.Position
	Doc     string
	Markers []Marker
	// IsCandidate reports whether the type was added although it may have no marker.
	IsCandidate bool
	// IsStruct says whether it is a struct, in the end.
	IsStruct bool
	// BuildConstraint is the //go:build line of its file if a build without build tags
	// leaves the file out; empty otherwise.
	BuildConstraint string
	// IsGeneric says whether it has type parameters.
	IsGeneric bool
	// What a kind has to have: TypeMeta and ObjectMeta of apimachinery, or the methods of
	// runtime.Object and metav1.Object.
	HasTypeMeta, HasObjectMeta, HasDeepCopyObject bool
	// MissingMethod is a method of metav1.Object that the type lacks, if it has others;
	// otherwise empty.
	MissingMethod string
	// HasStatus says whether there is a field Status.
	HasStatus bool
	// DeclaresList says whether the package has a type of the name + "List".
	DeclaresList bool
	// HasList reports whether the package has a struct of the name + "List" that clients
	// can use: with TypeMeta, ListMeta, Items of this type, and DeepCopyObject.
	HasList bool
	// List is the form of that struct.
	List ListForm
	// ListProblem says what is wrong with the list type if HasList is false, and what to do. ListPos
	// is where the list type is or, if there is none, the type.
	ListProblem string
	ListPos     token.Position
	// Fields are what stands at the paths in the markers, by the path as it is
	// written there.
	Fields map[string]*Field
	// Misfits are the fields of a view that its kind does not have, or has with
	// another shape.
	Misfits []Misfit
}

// ListForm is how the fields of a list type are reached.
type ListForm struct {
	// ItemsArePointers is set for Items []*Foo.
	ItemsArePointers bool
	// Meta is how the metadata is copied from one list to another.
	Meta ListMeta
}

// ListMeta is how the metadata of a list is reached.
type ListMeta int

const (
	// ListMetaField is a field ListMeta, nearly always an embedded one.
	ListMetaField ListMeta = iota
	// ListMetaMethods are the methods of metav1.ListInterface, of the list itself.
	ListMetaMethods
	// ListMetaAccessor is the method GetListMeta of metav1.ListMetaAccessor.
	ListMetaAccessor
)

// Misfit is a field of a view that cannot be decoded from what the kind has.
type Misfit struct {
	Pos token.Position
	// Problem says what is wrong with it, and what to write instead.
	Problem string
}
