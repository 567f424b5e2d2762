package model

import "slices"

// RegisterFile is the file with the registration of an API package.
const RegisterFile = "zz_generated.register.go"

// APIPackage is an API package of the main module, which gets a generated file.
type APIPackage struct {
	// Path is the import path of the package, and Name its name in the package clause.
	Path, Name string
	// Dir is its folder on disk.
	Dir string
	// Private are the unexported top-level names of the package, which no import of the file may have.
	Private []string
	// BuildConstraint is the //go:build line of the file, or "".
	BuildConstraint string
}

// Registration has the declarations that an API package lacks to be registered with a scheme.
type Registration struct {
	APIPackage
	Group, Version string
	// GroupVersion is the name of the variable with group and version.
	GroupVersion string
	// WritesGroupName, WritesGroupVersion, WritesKind, WritesResource, WritesBuilder and WritesAddToScheme
	// report whether the file declares them.
	WritesGroupName, WritesGroupVersion, WritesKind, WritesResource, WritesBuilder, WritesAddToScheme bool
	// Builder is how the file registers Types.
	Builder Builder
	// Types are the types that the file registers. Renamed are the types with another name in Go, because they are
	// aliases: the file registers them by name.
	Types, Renamed []string
	// Lists are the list types that the file declares.
	Lists []*MissingList
}

// ByType returns the types that are registered by their names in Go.
func (r *Registration) ByType() []string {
	return slices.DeleteFunc(slices.Clone(r.Types), func(name string) bool { return slices.Contains(r.Renamed, name) })
}

// Builder is how a file registers types.
type Builder string

const (
	// NoBuilder means that the package registers the types in its own code, or that the file has no types to
	// register.
	NoBuilder Builder = ""
	// FuncBuilder is SchemeBuilder.Register of apimachinery, which takes functions.
	FuncBuilder Builder = "func"
	// ObjectBuilder is SchemeBuilder.Register of controller-runtime, which takes objects.
	ObjectBuilder Builder = "object"
	// AddToSchemeBuilder is the body of AddToScheme, because SchemeBuilder is something else.
	AddToSchemeBuilder Builder = "AddToScheme"
)

// MissingList is a list type that a package lacks.
type MissingList struct {
	// Kind is the name of the kind, Name the name of the list type, and Plural the plural of Kind.
	Kind, Name, Plural string
	// WritesCopy reports whether the file declares the methods that copy the list. CopiesInto reports
	// whether the kind has a method DeepCopyInto.
	WritesCopy, CopiesInto bool
}
