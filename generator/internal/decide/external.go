package decide

import (
	"fmt"
	"go/token"
	"maps"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

// described returns a package that was read, or nil.
func (a *assembly) described(importPath string) *input.Package {
	for _, pkg := range a.Packages {
		if pkg.Path == importPath {
			return pkg
		}
	}
	if external := a.externals[importPath]; external != nil {
		return external.Package
	}
	return nil
}

// declared returns the top-level names of a package, or the reason why the package cannot be read. It
// returns neither if the package is not in the input.
func (a *assembly) declared(importPath string) (names map[string]bool, problem string) {
	if pkg := a.described(importPath); pkg != nil {
		return pkg.Declared, ""
	}
	if external := a.externals[importPath]; external != nil {
		return nil, external.Problem
	}
	return nil, ""
}

// missing returns the mistake in a reference and its fix, or "". local reports whether the reference
// has no import path in the marker.
func (a *assembly) missing(ref model.TypeRef, local bool) string {
	names, problem := a.declared(ref.Path)
	switch {
	case problem != "":
		return fmt.Sprintf("cannot read package %s: %s", ref.Path, problem)
	case !token.IsExported(ref.Name):
		return fmt.Sprintf("%s is not exported; begin its name with a capital letter", ref.Name)
	case names == nil || names[ref.Name]:
		return ""
	}
	exported := slices.DeleteFunc(slices.Sorted(maps.Keys(names)), func(name string) bool { return !token.IsExported(name) })
	fix := "write a type that it declares"
	if meant := spelling.Nearest(ref.Name, exported); meant != "" {
		fix = "did you mean " + meant + "?"
	} else if local {
		fix = "declare it, or write a type of another package with its import path, such as k8s.io/api/autoscaling/v1.Scale"
	}
	return fmt.Sprintf("package %s declares no %s; %s", ref.Path, ref.Name, fix)
}
