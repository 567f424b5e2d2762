package decide

import (
	"cmp"
	"fmt"
	"go/token"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// applyPath returns the import path of the apply configurations of a package. It is root
// with the folder of these types.
func applyPath(root, packagePath string) string { return path.Join(root, model.ApplyDir(packagePath)) }

// applyConfiguration returns the apply configuration of a type.
func (a *assembly) applyConfiguration(ref model.TypeRef) model.TypeRef {
	importPath := applyPath(a.ApplyPackage, ref.Path)
	if dir := a.applyDirs[ref.Path]; dir != "" {
		importPath = path.Join(a.ApplyPackage, dir)
	}
	return model.TypeRef{Path: importPath, Name: ref.Name + model.ApplySuffix}
}

// applyInput returns the apply configuration of the type that a method sends: one that this run generates, one
// that the user has named, or one of client-go, for a built-in type. It is zero if there is none.
func (a *assembly) applyInput(ref model.TypeRef) model.TypeRef {
	isOwn := func(pkg *input.Package) bool { return pkg.Path == ref.Path }
	if !a.GeneratesApply() || slices.ContainsFunc(a.Packages, isOwn) {
		return a.applyConfiguration(ref)
	}
	if external := model.ExternalApply(ref, a.ApplyExternals); !external.IsZero() {
		return external
	}
	return builtinApply(ref)
}

// clientGoApply is the root of the apply configurations of the built-in types.
const clientGoApply = "k8s.io/client-go/applyconfigurations"

// applied yields the types that the methods of the types of a package apply, as the markers write them.
func applied(pkg *input.Package) iter.Seq[model.TypeRef] {
	return func(yield func(model.TypeRef) bool) {
		for method := range pkg.Methods() {
			if method.Verb == "apply" && !yield(method.Input) {
				return
			}
		}
	}
}

// addApplyDirs sets the folders of the apply configurations that must be known before the kinds: of packages with
// kinds and with types that methods apply. The folders do not depend on other packages of the run.
func (a *assembly) addApplyDirs() {
	if !a.GeneratesApply() {
		return
	}
	used := map[string]bool{}
	for _, pkg := range a.Packages {
		if !a.hasKind(pkg) {
			continue
		}
		used[pkg.Path] = true
		for of := range applied(pkg) {
			used[of.Path] = true
		}
	}
	paths := slices.DeleteFunc(input.Paths(a.Packages), func(path string) bool { return !used[path] })
	a.applyDirs = model.ApplyDirs(paths, nil)
}

// builtinApply returns the apply configuration of client-go for a built-in type, or zero.
func builtinApply(of model.TypeRef) model.TypeRef {
	if !strings.HasPrefix(of.Path, "k8s.io/api/") {
		return model.TypeRef{}
	}
	return model.TypeRef{Path: applyPath(clientGoApply, of.Path), Name: of.Name + model.ApplySuffix}
}

// checkApplyExternals refuses packages of --applyconfig-externals without the apply configuration.
func (a *assembly) checkApplyExternals() {
	refs := slices.SortedFunc(maps.Keys(a.ApplyExternals), func(x, y model.TypeRef) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), strings.Compare(x.Name, y.Name))
	})
	for _, of := range refs {
		flag := fmt.Sprintf("--applyconfig-externals=%s.%s:%s", of.Path, of.Name, a.ApplyExternals[of])
		external := model.ExternalApply(of, a.ApplyExternals)
		switch names, problem := a.declared(external.Path); {
		case problem != "":
			a.errs.Add(token.Position{}, "%s: cannot read package %s: %s", flag, external.Path, problem)
		case names != nil && !names[external.Name]:
			a.errs.Add(token.Position{}, "%s: package %s declares no %s; generate it there, or remove the entry", flag, external.Path,
				external.Name)
		}
	}
}

// addApply sets the type that the Apply of k takes.
func (a *assembly) addApply(k *model.Kind) {
	if !k.NeedsApply() {
		return
	}
	remedy := "run applyconfiguration-gen for its package first, or "
	if a.from(a.pkg) == input.FromKubebuilder {
		remedy += "remove --apply-configuration-package"
	} else {
		remedy += "add +genclient:skipVerbs=apply,applyStatus"
	}
	k.Apply = a.applyConfiguration(k.Ref())
	missing := ""
	if a.GeneratesApply() || a.lacksApplyPackage() {
		return
	}
	switch names, problem := a.declared(k.Apply.Path); {
	case problem != "":
		missing = fmt.Sprintf(", because package %s cannot be read: %s", k.Apply.Path, withoutFix(problem))
	case names != nil && !names[k.Apply.Name]:
		missing = fmt.Sprintf(": package %s declares no %s", k.Apply.Path, k.Apply.Name)
	default:
		return
	}
	a.refuseOrWarn(k.Pos, "kind "+k.Name+" has no apply configuration"+missing, remedy, "its client has no Apply and ApplyStatus")
	if a.pkg.Dependency {
		k.Verbs = slices.DeleteFunc(k.Verbs, func(v model.Verb) bool { return slices.Contains(model.ApplyVerbs, v) })
	}
}

// lacksApplyPackage reports whether the root of the apply configurations cannot be read, which checkApplyPackage
// reports.
func (a *assembly) lacksApplyPackage() bool {
	_, problem := a.declared(a.ApplyPackage)
	return problem != "" && !a.GeneratesApply()
}

// checkApplyPackage refuses a root that is not the output of a recent applyconfiguration-gen: it has
// a NewTypeConverter that compiles. No generated file calls it.
func (a *assembly) checkApplyPackage() {
	if a.ApplyPackage == "" || a.GeneratesApply() {
		return
	}
	const remedy = "run applyconfiguration-gen v0.34 or later first, and pass its --output-pkg here, or remove the flag"
	root := a.described(a.ApplyPackage)
	switch names, problem := a.declared(a.ApplyPackage); {
	case problem != "":
		a.errs.Add(token.Position{}, "--apply-configuration-package=%s cannot be read: %s; %s", a.ApplyPackage, withoutFix(problem), remedy)
	case names != nil && !names["NewTypeConverter"]:
		a.errs.Add(token.Position{}, "--apply-configuration-package=%s declares no NewTypeConverter; %s", a.ApplyPackage, remedy)
	case root != nil && root.OldTypeConverter:
		a.errs.Add(token.Position{}, "--apply-configuration-package=%s was generated by an applyconfiguration-gen before v0.34: "+
			"its NewTypeConverter returns *testing.TypeConverter, which client-go has removed; %s", a.ApplyPackage, remedy)
	}
}
