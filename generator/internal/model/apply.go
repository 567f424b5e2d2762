package model

import (
	"go/token"
	"path"
	"slices"
	"strings"
)

// ApplyPath returns the import path of the apply configurations of a package,
// below root: that of the last two elements of its path, where
// applyconfiguration-gen writes them.
func ApplyPath(root, packagePath string) string {
	elements := strings.Split(packagePath, "/")
	last := elements[max(len(elements)-2, 0):]
	return path.Join(root, strings.ToLower(path.Join(last...)))
}

// ApplyPaths returns the packages with apply configurations that Assemble looks
// into: root, the one of each package, and those of what methods apply. There are
// none if root is empty. Some of them may not exist, and need not.
func ApplyPaths(root string, packages []*Package) []string {
	if root == "" {
		return nil
	}
	found := map[string]bool{root: true}
	for _, pkg := range packages {
		if len(pkg.Types) > 0 {
			found[ApplyPath(root, pkg.Path)] = true
		}
		for _, t := range pkg.Types {
			for _, m := range t.Markers {
				if !m.Is("genclient:method") {
					continue
				}
				if method := parseMethod(m, &Errors{}); method != nil && method.Verb == "apply" && method.Input.Path != "" {
					found[ApplyPath(root, method.Input.Path)] = true
				}
			}
		}
	}
	var paths []string
	for p := range found {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

// possibleVerbs are those that a kind has where no marker says otherwise.
func (a *assembly) possibleVerbs() []Verb {
	if a.ApplyPackage == "" {
		return Verbs
	}
	return slices.Concat(Verbs, ApplyVerbs)
}

// applyConfiguration is the type that describes what to apply to a type.
func (a *assembly) applyConfiguration(ref TypeRef) TypeRef {
	return TypeRef{Path: ApplyPath(a.ApplyPackage, ref.Path), Name: ref.Name + "ApplyConfiguration"}
}

// addApply gives k the type that its Apply takes.
func (a *assembly) addApply(k *Kind) {
	if !k.NeedsApply() {
		return
	}
	const remedy = "run applyconfiguration-gen for it first, or write +genclient:skipVerbs=apply,applyStatus"
	k.Apply = a.applyConfiguration(TypeRef{Path: k.GroupVersion.Path, Name: k.Name})
	switch names, problem := a.declared(k.Apply.Path); {
	case problem != "":
		a.errs.Add(k.Pos, "kind %s has no apply configuration, because package %s cannot be read: %s; %s", k.Name, k.Apply.Path, reason(problem), remedy)
	case names != nil && !names[k.Apply.Name]:
		a.errs.Add(k.Pos, "kind %s has no apply configuration: package %s declares no %s; %s", k.Name, k.Apply.Path, k.Apply.Name, remedy)
	}
}

// checkApplyPackage refuses a root without what the fake clientset needs of it.
func (a *assembly) checkApplyPackage() {
	if a.ApplyPackage == "" {
		return
	}
	const remedy = "run applyconfiguration-gen first, and name what its --output-pkg names"
	switch names, problem := a.declared(a.ApplyPackage); {
	case problem != "":
		a.errs.Add(token.Position{}, "--apply-configuration-package=%s cannot be read: %s; %s", a.ApplyPackage, reason(problem), remedy)
	case names != nil && !names["NewTypeConverter"]:
		a.errs.Add(token.Position{}, "--apply-configuration-package=%s declares no NewTypeConverter; %s", a.ApplyPackage, remedy)
	}
}

// reason is a problem without what to do about it.
func reason(problem string) string {
	before, _, _ := strings.Cut(problem, "; ")
	return before
}
