package decide

import (
	"fmt"
	"go/token"
	"maps"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/spelling"
)

// NamedPackages returns the import paths, sorted, of the other packages that Decide looks
// into: those that markers name, applyRoot, and the packages with apply configurations below
// it. Some of the latter may not exist, and need not. applyRoot may be empty.
func NamedPackages(packages []*input.Package, applyRoot string) []string {
	named := map[string]bool{}
	for _, pkg := range packages {
		for _, t := range pkg.Types {
			for _, importPath := range t.Markers.Packages() {
				named[importPath] = true
			}
		}
	}
	for _, importPath := range applyPackages(packages, applyRoot) {
		named[importPath] = true
	}
	for _, pkg := range packages {
		delete(named, pkg.Path)
	}
	return slices.Sorted(maps.Keys(named))
}

// applyPackages returns the packages with apply configurations: root, that of each package,
// and those of the types that methods apply.
func applyPackages(packages []*input.Package, root string) []string {
	if root == "" {
		return nil
	}
	paths := []string{root}
	for _, pkg := range packages {
		if len(pkg.Types) > 0 {
			paths = append(paths, applyPath(root, pkg.Path))
		}
		for _, t := range pkg.Types {
			for _, m := range t.Markers {
				if method, ok := m.Value.(markers.Method); ok && len(m.Problems) == 0 && method.Verb == "apply" && method.Input.Path != "" {
					paths = append(paths, applyPath(root, method.Input.Path))
				}
			}
		}
	}
	return paths
}

// described returns a package that was read, or nil.
func (a *assembly) described(importPath string) *input.Package {
	for _, pkg := range a.Packages {
		if pkg.Path == importPath {
			return pkg
		}
	}
	if external := a.Externals[importPath]; external != nil {
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
	if external := a.Externals[importPath]; external != nil {
		return nil, external.Problem
	}
	return nil, ""
}

// missing returns what is wrong with a resolved reference and what to do about it, or "".
func (a *assembly) missing(ref model.TypeRef, fromHere bool) string {
	names, problem := a.declared(ref.Path)
	switch {
	case problem != "":
		return fmt.Sprintf("cannot read package %s: %s", ref.Path, problem)
	case !token.IsExported(ref.Name):
		return fmt.Sprintf("%s is not exported; begin its name with a capital letter", ref.Name)
	case names == nil || names[ref.Name]:
		return ""
	}
	var exported []string
	for name := range names {
		if token.IsExported(name) {
			exported = append(exported, name)
		}
	}
	slices.Sort(exported)
	if meant := spelling.Nearest(ref.Name, exported); meant != "" {
		return fmt.Sprintf("package %s declares no %s; did you mean %s?", ref.Path, ref.Name, meant)
	}
	if fromHere {
		return fmt.Sprintf("package %s declares no %s; declare it, or write a type of another package with its import path, such as k8s.io/api/autoscaling/v1.Scale", ref.Path, ref.Name)
	}
	return fmt.Sprintf("package %s declares no %s; write a type that it declares", ref.Path, ref.Name)
}
