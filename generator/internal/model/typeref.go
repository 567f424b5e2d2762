package model

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// TypeRef names a type of a package.
type TypeRef struct {
	// Path is the import path.
	Path, Name string
}

// IsZero says whether it names nothing.
func (r TypeRef) IsZero() bool { return r == TypeRef{} }

// parseTypeRef reads Scale or k8s.io/api/autoscaling/v1.Scale. The path of the
// former is empty: it is in the package of the marker.
func parseTypeRef(s string) (TypeRef, bool) {
	dot := strings.LastIndexByte(s, '.')
	ref := TypeRef{Path: s[:max(dot, 0)], Name: s[dot+1:]}
	if !token.IsIdentifier(ref.Name) || dot >= 0 && !IsImportPath(ref.Path) {
		return TypeRef{}, false
	}
	return ref, true
}

// IsImportPath says whether s may be the import path of a package that is not
// relative to another one.
func IsImportPath(s string) bool {
	for _, element := range strings.Split(s, "/") {
		if element == "" || element[0] == '.' || element[0] == '-' || strings.Contains(element, "...") {
			return false
		}
		for _, r := range element {
			if !strings.ContainsRune("-._~+", r) && (r >= 0x80 || !token.IsIdentifier("_"+string(r))) {
				return false
			}
		}
	}
	return true
}

// declared returns the top-level names of a package, or says why it cannot be read.
// Both are empty for a package that nobody has looked at.
func (a *assembly) declared(importPath string) (names map[string]bool, problem string) {
	for _, pkg := range a.Packages {
		if pkg.Path == importPath {
			return pkg.Declared, ""
		}
	}
	if external := a.Externals[importPath]; external != nil {
		return external.Declared, external.Problem
	}
	return nil, ""
}

// missing says what is wrong with a resolved reference and what to do; empty for
// nothing.
func (a *assembly) missing(ref TypeRef, fromHere bool) string {
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
	if meant := nearest(ref.Name, exported); meant != "" {
		return fmt.Sprintf("package %s declares no %s; did you mean %s?", ref.Path, ref.Name, meant)
	}
	if fromHere {
		return fmt.Sprintf("package %s declares no %s; declare it, or write a type of another package with its import path, such as k8s.io/api/autoscaling/v1.Scale", ref.Path, ref.Name)
	}
	return fmt.Sprintf("package %s declares no %s; write a type that it declares", ref.Path, ref.Name)
}
