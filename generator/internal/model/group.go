package model

import (
	"go/token"
	"slices"
	"strings"
)

// Group is an API group.
type Group struct {
	// Name is the name on the wire, such as rbac.authorization.k8s.io; empty for
	// the core group.
	Name string
	// Dir is the folder of the group, such as rbac. Package is the name of the Go
	// package in it.
	Dir, Package string
	// GoName begins the names of the group's clients and is the group's accessor in a
	// factory, such as Rbac. GoPrivate is GoName with a lower-case first letter.
	GoName, GoPrivate string
	Versions          []*GroupVersion
}

// HasInformers reports whether a kind of the group is listed and watched.
func (g *Group) HasInformers() bool {
	return slices.ContainsFunc(g.Versions, (*GroupVersion).HasInformers)
}

// GroupVersion is one version of a group.
type GroupVersion struct {
	Group *Group
	// Version is the name on the wire, such as v1beta1.
	Version string
	// Dir is the folder of the version, below the folder of the group, and the name of the
	// Go packages in it.
	Dir string
	// GoVersion is the accessor of the version, such as V1beta1.
	GoVersion string
	// Alias is the name under which generated files import packages of the version, unless it clashes.
	Alias string
	// Packages have the API types, in the order of their import paths. Nearly always there is one.
	Packages []*Package
	// Kinds are the kinds of all packages.
	Kinds []*Kind
	// Views are the views that the packages declare, of kinds of this version or another.
	// They have informers and listers, but no client.
	Views []*Kind
}

// Package is a Go package with API types of a group version.
type Package struct {
	GroupVersion *GroupVersion
	// Path is the import path.
	Path string
	// SchemeGroupVersion is the name of the variable that holds group and version. It is empty if a
	// dependency has no such variable.
	SchemeGroupVersion string
	// RegistersTypes reports whether the generated scheme registers the kinds, because a
	// dependency declares no AddToScheme.
	RegistersTypes bool
	// Pos is the package clause.
	Pos token.Position
}

// Kinds returns the kinds that the package declares.
func (p *Package) Kinds() []*Kind {
	return slices.DeleteFunc(slices.Clone(p.GroupVersion.Kinds), func(k *Kind) bool { return k.Package != p })
}

// Views returns the views that the package declares.
func (p *Package) Views() []*Kind {
	return slices.DeleteFunc(slices.Clone(p.GroupVersion.Views), func(k *Kind) bool { return k.Package != p })
}

// Pos returns the package clause of the first package.
func (gv *GroupVersion) Pos() token.Position { return gv.Packages[0].Pos }

// Main returns the package whose variable is the group and version: the first one with a kind, or else the first one.
func (gv *GroupVersion) Main() *Package { return append(gv.Registering(), gv.Packages...)[0] }

// Registering returns the packages with kinds, which a scheme registers.
func (gv *GroupVersion) Registering() []*Package {
	return slices.DeleteFunc(slices.Clone(gv.Packages), func(p *Package) bool { return len(p.Kinds()) == 0 })
}

// Informed returns the kinds and the views, which may have informers and listers.
func (gv *GroupVersion) Informed() []*Kind {
	all := slices.Concat(gv.Kinds, gv.Views)
	slices.SortFunc(all, func(x, y *Kind) int { return strings.Compare(x.Private, y.Private) })
	return all
}

// HasClient reports whether the version has a client. A version with views only has none.
func (gv *GroupVersion) HasClient() bool { return len(gv.Kinds) > 0 }

// GoName returns the beginning of the names of the version's client, such as RbacV1.
func (gv *GroupVersion) GoName() string { return gv.Group.GoName + gv.GoVersion }

// GoPrivate returns GoName with a lower-case first letter.
func (gv *GroupVersion) GoPrivate() string { return gv.Group.GoPrivate + gv.GoVersion }

// APIPath returns the root of the group on the server.
func (gv *GroupVersion) APIPath() string {
	if gv.Group.Name == "" {
		return "/api"
	}
	return "/apis"
}

// HasInformers reports whether a kind of the version is listed and watched.
func (gv *GroupVersion) HasInformers() bool {
	return slices.ContainsFunc(gv.Informed(), (*Kind).HasInformer)
}

// Resources returns the kinds whose informers ForResource returns: those that are listed and watched, and
// the first one of each resource.
func (gv *GroupVersion) Resources() []*Kind {
	var kinds []*Kind
	for _, k := range gv.Kinds {
		if k.HasInformer() && !slices.ContainsFunc(kinds, func(first *Kind) bool { return first.Resource == k.Resource }) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// HasMethods reports whether a kind of the version has methods in addition to the verbs.
func (gv *GroupVersion) HasMethods() bool {
	return slices.ContainsFunc(gv.Kinds, func(k *Kind) bool { return len(k.Methods) > 0 })
}
