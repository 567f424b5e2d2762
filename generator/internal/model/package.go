package model

import "go/token"

// Package is an API package as load found it.
type Package struct {
	// Path is the import path.
	Path string
	// Pos is the package clause of the file that documents the package.
	Pos token.Position
	// Markers are those above a package clause, in the order of the files.
	Markers []Marker
	// Declared holds the package's top-level names.
	Declared map[string]bool
	// GroupVersion is what the package declares of itself in a variable.
	GroupVersion DeclaredGroupVersion
	// Types are the types with a marker of ours.
	Types []*Type
}

// DeclaredGroupVersion is a package's variable of type schema.GroupVersion.
type DeclaredGroupVersion struct {
	// Name of the variable, SchemeGroupVersion or GroupVersion; empty if the
	// package has neither.
	Name string
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
	// IsStruct is false for aliases, interfaces and the like.
	IsStruct bool
	// IsGeneric says whether it has type parameters.
	IsGeneric bool
	// What a kind has to have.
	HasTypeMeta, HasObjectMeta, HasDeepCopyObject bool
	// HasStatus says whether there is a field Status.
	HasStatus bool
	// HasList says whether the package has a struct of the name + "List" that
	// embeds ListMeta, has Items of this type, and DeepCopyObject.
	HasList bool
	// ListProblem says what is wrong with the list type if HasList is false. ListPos
	// is where the list type is or, if there is none, the type.
	ListProblem string
	ListPos     token.Position
}

// Marker is one line of a comment of the form +name or +name=value.
type Marker struct {
	Name  string
	Value string
	Pos   token.Position
}

// Is says whether the marker has that name.
func (m Marker) Is(name string) bool { return m.Name == name }
