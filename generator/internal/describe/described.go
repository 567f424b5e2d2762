package describe

import (
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// Described is a package, its syntax, and the questions that the syntax leaves open.
type Described struct {
	Syntax  *syntax.Package
	Package *input.Package
	Open    Open
	// copies reports whether the run writes deep copies for the package.
	copies bool
	// lists are the kinds whose list types the run writes. Their declarations are in the last file.
	lists []string
}

func newDescribed(src *syntax.Package) *Described {
	return &Described{Syntax: src, Package: &input.Package{
		Path: src.Path, Module: src.ModulePath, Dir: src.Dir, Dependency: src.Dependency, Within: src.Within,
	}}
}

// Inputs returns the descriptions of packages.
func Inputs(described []*Described) []*input.Package {
	var packages []*input.Package
	for _, d := range described {
		packages = append(packages, d.Package)
	}
	return packages
}

// Open has the types of a package about which the syntax leaves a question open. Only the types of Go answer it.
type Open struct {
	// Unclear are kinds and views that may have metadata or lists in other ways than the usual ones.
	Unclear []*input.Type
	// Fields are types whose markers have a path to a field.
	Fields []*input.Type
	// Views are to compare with their kinds.
	Views []*input.Type
	// Calls are types that methods of kinds send or return, if the syntax does not show their methods.
	Calls []string
}

// IsEmpty reports whether no question is open.
func (o Open) IsEmpty() bool { return len(o.Unclear)+len(o.Fields)+len(o.Views)+len(o.Calls) == 0 }
