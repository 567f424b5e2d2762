// Package register decides which declarations API packages lack to be registered with a scheme.
package register

import (
	"cmp"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// object is the interface of the types that a scheme can have.
var object = model.TypeRef{Path: "k8s.io/apimachinery/pkg/runtime", Name: "Object"}

// NamedPackages returns the import paths of other packages that Decide needs, sorted: packages that packages import
// with a dot, because their names cannot be declared again.
func NamedPackages(packages []*input.Package) []string {
	named := map[string]bool{}
	for _, pkg := range packages {
		for _, imported := range pkg.DotImports {
			named[imported.Path] = named[imported.Path] || !pkg.Dependency && len(pkg.Types) > 0
		}
	}
	for _, pkg := range packages {
		delete(named, pkg.Path)
	}
	maps.DeleteFunc(named, func(_ string, needed bool) bool { return !needed })
	return slices.Sorted(maps.Keys(named))
}

// Decide returns the missing declarations of the packages of the set that are not dependencies. It leaves out
// packages that lack nothing. A package that declares AddToScheme registers its types itself, so that only
// its missing list types are registered. externals are the packages of NamedPackages, by import path.
func Decide(packages []*input.Package, externals map[string]*input.External, set *model.Set, errs *model.Errors) []*model.Registration {
	byPath := map[string]*input.Package{}
	for _, pkg := range packages {
		byPath[pkg.Path] = pkg
	}
	var all []*model.Registration
	for _, p := range set.Packages() {
		if pkg := byPath[p.Path]; pkg != nil && !pkg.Dependency && len(p.Kinds()) > 0 {
			if r := decide(pkg, p, set, errs); r != nil {
				refuseDotImports(pkg, r, func(path string) *input.Package {
					if external := externals[path]; external != nil {
						return external.Package
					}
					return byPath[path]
				}, errs)
				all = append(all, r)
			}
		}
	}
	return all
}

// decide returns the missing declarations of a package, or nil.
func decide(pkg *input.Package, p *model.Package, set *model.Set, errs *model.Errors) *model.Registration {
	r := &model.Registration{
		APIPackage: model.APIPackage{Path: pkg.Path, Name: pkg.Name, Dir: pkg.Dir, Private: privateNames(pkg)},
		Group:      p.GroupVersion.Group.Name, Version: p.GroupVersion.Version, GroupVersion: p.SchemeGroupVersion,
		WritesGroupVersion: pkg.GroupVersion.Name != p.SchemeGroupVersion || pkg.GroupVersion.OtherType,
		WritesAddToScheme:  !pkg.HasAddToScheme,
	}
	r.WritesGroupName = r.WritesGroupVersion && !pkg.Declared["GroupName"]
	if r.WritesAddToScheme {
		r.WritesKind, r.WritesResource = !pkg.Declared["Kind"], !pkg.Declared["Resource"]
	}
	for _, k := range p.Kinds() {
		if t := pkg.Type(k.Name); t.WritesList {
			r.Lists = append(r.Lists, &model.MissingList{
				Kind: k.Name, Name: k.List(), Plural: k.Plural, WritesCopy: t.WritesListCopy, CopiesInto: t.HasDeepCopyInto,
			})
		}
	}
	if !r.WritesGroupVersion && !r.WritesAddToScheme && len(r.Lists) == 0 {
		return nil
	}
	r.Types = typesOf(pkg, p, set, r)
	for _, name := range r.Types {
		if isRenamed(pkg, p, name) {
			r.Renamed = append(r.Renamed, name)
		}
	}
	r.Builder = builderOf(pkg, r, errs)
	r.WritesBuilder = r.Builder == model.FuncBuilder && pkg.SchemeBuilder == input.NoBuilder
	r.BuildConstraint = constraintOf(pkg, r, errs)
	return r
}

// refuseDotImports adds the names that the file would declare although the package imports them with a dot. read
// returns another package, or nil.
func refuseDotImports(pkg *input.Package, r *model.Registration, read func(path string) *input.Package, errs *model.Errors) {
	names := declaredBy(r)
	for _, imported := range pkg.DotImports {
		other := read(imported.Path)
		if other == nil {
			continue
		}
		taken := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !other.Declared[name] })
		if len(taken) > 0 {
			errs.Add(imported.Pos, "--register declares %s, and this import with a dot does too; import package %s with a name",
				strings.Join(taken, ", "), imported.Path)
		}
	}
}

// declaredBy returns the names that the file declares.
func declaredBy(r *model.Registration) (names []string) {
	for _, declared := range []struct {
		writes bool
		name   string
	}{
		{r.WritesGroupName, "GroupName"}, {r.WritesGroupVersion, r.GroupVersion}, {r.WritesBuilder, "SchemeBuilder"},
		{r.WritesAddToScheme, "AddToScheme"}, {r.WritesKind, "Kind"}, {r.WritesResource, "Resource"},
	} {
		if declared.writes {
			names = append(names, declared.name)
		}
	}
	for _, list := range r.Lists {
		names = append(names, list.Name)
	}
	return names
}

// typesOf returns the types that the file registers: with an AddToScheme that exists, the kinds with a missing
// list and that list, and otherwise all objects of the package. Views are objects in caches only.
func typesOf(pkg *input.Package, p *model.Package, set *model.Set, r *model.Registration) []string {
	names := map[string]bool{}
	for _, list := range r.Lists {
		names[list.Kind], names[list.Name] = true, true
	}
	if r.WritesAddToScheme {
		for _, name := range slices.Concat(pkg.Objects, copied(set, pkg)) {
			names[name] = true
		}
		for _, view := range p.Views() {
			delete(names, view.Name)
			delete(names, view.List())
		}
		for _, k := range p.Kinds() {
			names[k.Name] = true
			if pkg.Type(k.Name).DeclaresList {
				names[k.List()] = true
			}
		}
	}
	for name := range names {
		if isOnlyAliased(pkg, p, name) {
			delete(names, name)
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// aliases returns the kinds of the package and their list types that are aliases, with the types that they stand for.
func aliases(pkg *input.Package, p *model.Package) map[string]model.TypeRef {
	found := map[string]model.TypeRef{}
	for _, k := range p.Kinds() {
		t := pkg.Type(k.Name)
		found[k.Name], found[k.List()] = t.AliasOf, t.ListAliasOf
	}
	return found
}

// isRenamed reports whether a kind or a list type is an alias of a type with another name, which a scheme would take for
// the name of the kind.
func isRenamed(pkg *input.Package, p *model.Package, name string) bool {
	of := aliases(pkg, p)[name]
	return !of.IsZero() && of.Name != name
}

// isOnlyAliased reports whether a type of the package is an object only because a kind or a list type is an alias of it.
func isOnlyAliased(pkg *input.Package, p *model.Package, name string) bool {
	all := aliases(pkg, p)
	if _, isKind := all[name]; isKind {
		return false
	}
	for _, of := range all {
		if of == (model.TypeRef{Path: pkg.Path, Name: name}) {
			return true
		}
	}
	return false
}

// copied returns the exported types of the package that become objects by the methods that the run writes.
func copied(set *model.Set, pkg *input.Package) []string {
	var names []string
	for _, c := range set.DeepCopies {
		for _, t := range c.Types {
			isObject := slices.ContainsFunc(t.Interfaces, func(i model.CopiedInterface) bool { return i.Interface == object && !i.ByValue })
			if c.Path == pkg.Path && isObject && token.IsExported(t.Name) && len(t.TypeParams) == 0 {
				names = append(names, t.Name)
			}
		}
	}
	return names
}

// builderOf returns how the file registers its types. It adds an error if a list type would not be registered.
func builderOf(pkg *input.Package, r *model.Registration, errs *model.Errors) model.Builder {
	switch {
	case len(r.Types) == 0:
		return model.NoBuilder
	case pkg.SchemeBuilder == input.ObjectBuilder:
		return model.ObjectBuilder
	case pkg.SchemeBuilder == input.FuncBuilder, pkg.SchemeBuilder == input.NoBuilder && r.WritesAddToScheme:
		return model.FuncBuilder
	case r.WritesAddToScheme:
		return model.AddToSchemeBuilder
	}
	for _, list := range r.Lists {
		if t := pkg.Type(list.Kind); !t.ListMentioned {
			errs.Add(t.Pos, "--register declares %s, but AddToScheme of package %s does not register it, "+
				"and there is no SchemeBuilder with which generated code could; add &%s{} to AddKnownTypes in AddToScheme",
				list.Name, pkg.Path, list.Name)
		}
	}
	return model.NoBuilder
}

// constraintOf returns the build constraint that all types of the file have. It adds an error if only some
// have one, because one file cannot register all of them.
func constraintOf(pkg *input.Package, r *model.Registration, errs *model.Errors) string {
	needed := slices.Clone(r.Types)
	for _, list := range r.Lists {
		needed = append(needed, list.Kind)
	}
	missing := func(name string) bool { // the list types that the file declares have its constraint
		return slices.ContainsFunc(r.Lists, func(list *model.MissingList) bool { return list.Name == name })
	}
	needed = slices.DeleteFunc(needed, missing)
	if len(needed) == 0 {
		return ""
	}
	constraint := pkg.Constraints[needed[0]]
	for _, name := range needed {
		if line := pkg.Constraints[name]; line != constraint {
			first, other := needed[0], cmp.Or(constraint, "no build constraint")
			if line == "" { // begin with a type that has a constraint
				first, name, line, other = name, first, constraint, "no build constraint"
			}
			pos := pkg.Pos
			if t := pkg.Type(name); t != nil {
				pos = t.Pos
			}
			errs.Add(pos, "--register cannot register %s, whose file has %s, together with %s, whose file has %s; "+
				"move the types to separate packages, or write AddToScheme yourself", name, line, first, other)
			return ""
		}
	}
	return constraint
}

// privateNames returns the unexported names that the package declares.
func privateNames(pkg *input.Package) []string {
	var names []string
	for name := range pkg.Declared {
		if !token.IsExported(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
