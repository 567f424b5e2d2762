package decide

import (
	"maps"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/register"
)

// needed returns the import paths, sorted, of the packages outside the input that a decision needs: packages in
// markers, packages with apply configurations that exist, and packages that packages to register import with a dot.
// Some of them may not exist.
func needed(in Input) []string {
	named := map[string]bool{}
	for _, pkg := range in.Packages {
		for _, t := range pkg.Types {
			for _, importPath := range t.Markers.Packages() {
				named[importPath] = true
			}
		}
	}
	if in.GeneratesApply() {
		addExternalApply(in, named)
	} else if in.ApplyPackage != "" {
		addExistingApply(in, named)
	}
	if in.Register {
		for _, importPath := range register.NamedPackages(in.Packages) {
			named[importPath] = true
		}
	}
	for _, pkg := range in.Packages {
		delete(named, pkg.Path)
	}
	return slices.Sorted(maps.Keys(named))
}

// addExistingApply adds the root of the apply configurations that exist, and the packages below it for types with markers and
// for types that methods apply.
func addExistingApply(in Input, named map[string]bool) {
	named[in.ApplyPackage] = true
	for _, pkg := range in.Packages {
		if len(pkg.Types) > 0 {
			named[applyPath(in.ApplyPackage, pkg.Path)] = true
		}
		for of := range applied(pkg) {
			if of.Path != "" {
				named[applyPath(in.ApplyPackage, of.Path)] = true
			}
		}
	}
}

// addExternalApply adds the packages with apply configurations that a run which generates others uses: packages that
// the user has named, and packages of client-go for methods.
func addExternalApply(in Input, named map[string]bool) {
	for _, importPath := range in.ApplyExternals {
		named[importPath] = true
	}
	for _, pkg := range in.Packages {
		for of := range applied(pkg) {
			if of := builtinApply(of); !of.IsZero() {
				named[of.Path] = true
			}
		}
	}
}
