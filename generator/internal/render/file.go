package render

import (
	"fmt"
	"go/token"
	"path"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// file is what a template sees: its subject, and what the packages are called
// that it wants to name. Calling one of those is what imports it.
type file struct {
	subject
	template string
	layout   layout
	path     string
	imports  *imports
	// PrefersProtobuf says whether clients ask for protobuf.
	PrefersProtobuf bool
	// handWritten says whether the user has a file of that path.
	handWritten func(path string) bool
	// declared are the top-level names of the file once it is rendered.
	declared []string
}

// Package is the name of the file's own package, which is that of its folder,
// except for groups with a dot in it.
func (f *file) Package() string {
	dir := path.Dir(f.path)
	if f.Group != nil && dir == f.layout.informerGroup(f.Group) {
		return f.Group.Package
	}
	return path.Base(dir)
}

// API is the package of the types of gv.
func (f *file) API(gv *model.GroupVersion) string {
	return f.imports.use(gv.Path, gv.Alias, "api"+gv.Alias)
}

// Resource is the resource of the file's kind or view, as an expression.
func (f *file) Resource() string {
	gv := f.GV
	if view := f.Kind.View; view != nil {
		if view.Kind == nil {
			// Not by the package of the kind, which a view keeps out of the program.
			return fmt.Sprintf("schema.GroupVersionResource{Group: %q, Version: %q, Resource: %q}", view.Group, view.Version, f.Kind.Resource)
		}
		gv = view.Kind.GroupVersion
	}
	return fmt.Sprintf("%s.WithResource(%q)", f.GroupVersion(gv), f.Kind.Resource)
}

// GroupVersion is the group and version of gv, as an expression: the variable of its package or, if
// that has none, a literal.
func (f *file) GroupVersion(gv *model.GroupVersion) string {
	if gv.SchemeGroupVersion == "" {
		return fmt.Sprintf("schema.GroupVersion{Group: %q, Version: %q}", gv.Group.Name, gv.Version)
	}
	return f.API(gv) + "." + gv.SchemeGroupVersion
}

// WireKind returns the kind in the JSON of the objects: a view has that of the whole.
func (f *file) WireKind() string {
	if view := f.Kind.View; view != nil {
		return view.Of.Name
	}
	return f.Kind.Name
}

// Whole is the kind that lists and watches for the file's kind or view: itself, or
// the one that it is a view of. It is nil if there is no client of that.
func (f *file) Whole() *model.Kind {
	if f.Kind.View != nil {
		return f.Kind.View.Kind
	}
	return f.Kind
}

// registration is what a scheme registers of a group version, with what its file calls the package
// and the group and version.
type registration struct {
	GV                *model.GroupVersion
	API, GroupVersion string
}

// Registration names the types of gv.
func (f *file) Registration(gv *model.GroupVersion) registration {
	return registration{gv, f.API(gv), f.GroupVersion(gv)}
}

// Type is a type that a marker or a flag names.
func (f *file) Type(ref model.TypeRef) string {
	for _, gv := range f.Set.GroupVersions() {
		if gv.Path == ref.Path {
			return f.API(gv) + "." + ref.Name
		}
	}
	alias := externalAlias(ref.Path)
	if root := f.Set.ApplyPackage; root != "" && strings.HasPrefix(ref.Path, root+"/") {
		alias = "apply" + alias
	}
	return f.imports.use(ref.Path, alias, "other"+alias) + "." + ref.Name
}

// TypeArguments returns the type arguments of the kind's client of package gentype.
func (f *file) TypeArguments() string {
	types := []string{"*" + f.API(f.GV) + "." + f.Kind.Name}
	if f.Kind.NeedsList() {
		types = append(types, "*"+f.API(f.GV)+"."+f.Kind.List())
	}
	if f.Kind.NeedsApply() {
		types = append(types, "*"+f.Type(f.Kind.Apply))
	}
	return strings.Join(types, ", ")
}

// ApplyRoot is the package of the apply configurations of all groups.
func (f *file) ApplyRoot() string {
	return f.imports.use(f.Set.ApplyPackage, "applyconfiguration")
}

// externalAlias is appsv1 of k8s.io/api/apps/v1.
func externalAlias(importPath string) string {
	isSeparator := func(r rune) bool { return r == '/' || r == '.' || r == '-' || r == '_' || r == '~' || r == '+' }
	parts := strings.FieldsFunc(path.Join(path.Base(path.Dir(importPath)), path.Base(importPath)), isSeparator)
	alias := strings.ToLower(strings.Join(parts, ""))
	if !token.IsIdentifier(alias) {
		alias = "pkg" + alias
	}
	return alias
}

// Clientset is the package of the clientset.
func (f *file) Clientset() string {
	return f.emitted(f.layout.clientset(), f.layout.clientsetName, "clientset")
}

// Scheme is the package that knows the types of the clientset.
func (f *file) Scheme() string { return f.emitted(f.layout.scheme(), "scheme", "clientsetscheme") }

// Typed is the package of the typed clients of gv.
func (f *file) Typed(gv *model.GroupVersion) string {
	return f.emitted(f.layout.typed(gv), gv.Alias, "typed"+gv.Alias)
}

// Fake is the package of the typed clients for tests of gv.
func (f *file) Fake(gv *model.GroupVersion) string {
	return f.emitted(f.layout.fake(gv), "fake"+gv.Alias, "typedfake"+gv.Alias)
}

// Listers is the package of the listers of gv.
func (f *file) Listers(gv *model.GroupVersion) string {
	return f.emitted(f.layout.listers(gv), "listers", "listers"+gv.Alias)
}

// Internal is the package that the informers share.
func (f *file) Internal() string {
	return f.emitted(f.layout.internal(), "internalinterfaces", "factoryinterfaces")
}

// InformerGroup is the package of the informers of a group.
func (f *file) InformerGroup(g *model.Group) string {
	return f.emitted(f.layout.informerGroup(g), g.Package, g.Package+"informers")
}

// Informers is the package of the informers of gv.
func (f *file) Informers(gv *model.GroupVersion) string {
	return f.emitted(f.layout.informers(gv), gv.Dir, "informers"+gv.Alias)
}

func (f *file) emitted(dir, alias, otherwise string) string {
	return f.imports.use(path.Join(f.layout.root, dir), alias, otherwise)
}

// Ref is & for a kind whose expansion the user has declared in a file of his own:
// its methods may have pointers as receivers. Otherwise a lister is a value, which
// costs no allocation.
func (f *file) Ref() string {
	if f.handWritten(path.Join(path.Dir(f.path), f.Kind.ExpansionFile+".go")) {
		return "&"
	}
	return ""
}

// Expansions are those of the kinds, which are of the file's version, whose
// expansion the user has not declared in a file of his own, such as
// foo_expansion.go.
func (f *file) Expansions(of []*model.Kind) []*model.Kind {
	var kinds []*model.Kind
	for _, k := range of {
		if !f.handWritten(path.Join(path.Dir(f.path), k.ExpansionFile+".go")) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}
