package render

import (
	"cmp"
	"fmt"
	"go/token"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// file is the data of a template: its subject, and the names of packages. A method that returns the
// name of a package makes it available to the imports.
type file struct {
	subject
	template string
	path     string
	imports  *imports
	// declared are the top-level names of the file once it is rendered.
	declared []string
	// misnamed is a text of the input that should have been a Go name, or "".
	misnamed string
}

// Package returns the name of the file's own package. It is the name of the folder, unless the
// folder is a group with a dot.
func (f *file) Package() string {
	if api := f.api(); api != nil {
		return api.Name
	}
	dir := path.Dir(f.path)
	if f.Group != nil && dir == f.Set.Layout.InformerGroup(f.Group) {
		return f.Group.Package
	}
	return path.Base(dir)
}

// dir returns the File.Dir of the file.
func (f *file) dir() string {
	if api := f.api(); api != nil {
		return api.Dir
	}
	return ""
}

// Import returns the name of a package in a file of an API package, whose own declarations may have the
// usual name.
func (f *file) Import(importPath string) string {
	alias := externalAlias(importPath)
	return f.imports.use(importPath, path.Base(importPath), alias, "other"+alias)
}

// API returns the name of a package with API types. If the group version has several, each has a name of its own.
func (f *file) API(p *model.Package) string {
	alias := p.GroupVersion.Alias
	if len(p.GroupVersion.Packages) > 1 {
		alias = externalAlias(p.Path)
	}
	f.imports.explicit[p.Path] = true
	return f.imports.use(p.Path, alias, "api"+alias)
}

// Resource returns an expression for the resource of the file's kind or view.
func (f *file) Resource() code { return f.resource(f.Kind.Resource) }

// ListerResource returns an expression for the resource in the errors of the lister: as in
// lister-gen's listers, the kind in lower case.
func (f *file) ListerResource() code { return f.resource(strings.ToLower(f.WireKind())) }

// resource returns an expression for a resource of the group and version of the file's kind or of the
// viewed kind.
func (f *file) resource(name string) code {
	p := f.Kind.Package
	if view := f.Kind.View; view != nil {
		if view.Kind == nil {
			// A literal, because the package of the kind is imported only for protobuf.
			return code(fmt.Sprintf("schema.GroupVersionResource{Group: %q, Version: %q, Resource: %q}", view.Group, view.Version, name))
		}
		p = view.Kind.Package
	}
	return code(fmt.Sprintf("%s.WithResource(%q)", f.GroupVersion(p), name))
}

// GroupVersion returns an expression for the group and version of a package: its variable or, if it has none, a
// literal.
func (f *file) GroupVersion(p *model.Package) code {
	if p.SchemeGroupVersion == "" {
		return code(fmt.Sprintf("schema.GroupVersion{Group: %q, Version: %q}", p.GroupVersion.Group.Name, p.GroupVersion.Version))
	}
	return code(f.API(p) + "." + f.name(p.SchemeGroupVersion))
}

// WireKind returns the kind in the JSON of the objects. For a view it is the viewed kind.
func (f *file) WireKind() string {
	if view := f.Kind.View; view != nil {
		return view.Of.Name
	}
	return f.Kind.Name
}

// Protobuf returns an expression for an empty object of the Go type with the protobuf tags, or "" if
// informers request JSON. For a view it is the type of the viewed kind.
func (f *file) Protobuf() code {
	switch {
	case !f.Kind.Protobuf:
		return ""
	case f.Kind.View != nil:
		return code("&" + f.Type(f.Kind.View.Of) + "{}")
	}
	return code("&" + f.API(f.Kind.Package) + "." + f.name(f.Kind.Name) + "{}")
}

// ListMetaOf returns an expression for the metadata of the list in a variable. The list has no field ListMeta.
func (f *file) ListMetaOf(list string) code {
	if f.Kind.ListForm.Meta == model.ListMetaAccessor {
		return code(list + ".GetListMeta()")
	}
	return code(list)
}

// Whole returns the kind whose client lists and watches for the file's kind or view: the kind itself,
// or the viewed kind. It is nil if there is no such client.
func (f *file) Whole() *model.Kind {
	if view := f.Kind.View; view != nil {
		return cmp.Or(view.Kind, view.Client)
	}
	return f.Kind
}

// registration is a package whose types a scheme registers, with the expressions for the package and
// for its group and version.
type registration struct {
	Package      *model.Package
	API          string
	GroupVersion code
}

// Registration returns the registration of a package.
func (f *file) Registration(p *model.Package) registration {
	return registration{p, f.API(p), f.GroupVersion(p)}
}

// Type returns an expression for a type that a marker or an option names.
func (f *file) Type(ref model.TypeRef) string {
	for _, p := range f.Set.Packages() {
		if p.Path == ref.Path {
			return f.API(p) + "." + f.name(ref.Name)
		}
	}
	alias := externalAlias(ref.Path)
	root := f.Set.ApplyPackage
	if root != "" && strings.HasPrefix(ref.Path, root+"/") || strings.HasPrefix(ref.Path, "k8s.io/client-go/applyconfigurations/") {
		alias = "apply" + alias
	}
	return f.imports.use(ref.Path, alias, "other"+alias) + "." + f.name(ref.Name)
}

// TypeArguments returns the type arguments of the kind's client of package gentype.
func (f *file) TypeArguments() code {
	types := []string{"*" + f.API(f.Kind.Package) + "." + f.name(f.Kind.Name)}
	if f.Kind.NeedsList() {
		types = append(types, "*"+f.API(f.Kind.Package)+"."+f.name(f.Kind.List()))
	}
	if f.Kind.NeedsApply() {
		types = append(types, "*"+f.Type(f.Kind.Apply))
	}
	return code(strings.Join(types, ", "))
}

// externalAlias returns a name for a package, such as appsv1 for k8s.io/api/apps/v1.
func externalAlias(importPath string) string {
	isSeparator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	parts := strings.FieldsFunc(path.Join(path.Base(path.Dir(importPath)), path.Base(importPath)), isSeparator)
	alias := strings.ToLower(strings.Join(parts, ""))
	if !token.IsIdentifier(alias) {
		alias = "pkg" + alias
	}
	return alias
}

// Clientset returns the package of the clientset.
func (f *file) Clientset() string {
	if existing := f.Set.Clientset; existing != nil {
		return f.imports.use(existing.Path, existing.Name, "versionedclientset")
	}
	return f.emitted(f.Set.Layout.Clientset(), f.Set.Layout.ClientsetName, "clientset")
}

// Scheme returns the package with the scheme of the clientset.
func (f *file) Scheme() string { return f.emitted(f.Set.Layout.Scheme(), "scheme", "clientsetscheme") }

// Typed returns the package of the typed clients of gv.
func (f *file) Typed(gv *model.GroupVersion) string {
	return f.emitted(f.Set.Layout.Typed(gv), gv.Alias, "typed"+gv.Alias)
}

// Fake returns the package of the fake clients of gv.
func (f *file) Fake(gv *model.GroupVersion) string {
	return f.emitted(f.Set.Layout.Fake(gv), "fake"+gv.Alias, "typedfake"+gv.Alias)
}

// Listers returns the package of the listers of gv.
func (f *file) Listers(gv *model.GroupVersion) string {
	return f.emitted(f.Set.Layout.Listers(gv), "listers", "listers"+gv.Alias)
}

// Internal returns the package that the informers share.
func (f *file) Internal() string {
	return f.emitted(f.Set.Layout.Internal(), "internalinterfaces", "factoryinterfaces")
}

// InformerGroup returns the package of the informers of a group.
func (f *file) InformerGroup(g *model.Group) string {
	return f.emitted(f.Set.Layout.InformerGroup(g), g.Package, g.Package+"informers")
}

// Informers returns the package of the informers of gv.
func (f *file) Informers(gv *model.GroupVersion) string {
	return f.emitted(f.Set.Layout.Informers(gv), gv.Dir, "informers"+gv.Alias)
}

func (f *file) emitted(dir, alias, otherwise string) string {
	return f.imports.use(path.Join(f.Set.Layout.OutputPackage, dir), alias, otherwise)
}

// Ref returns "&" if the user has declared the expansion of the kind's lister, whose methods may have pointer
// receivers. Otherwise it returns "", because a lister that is a value costs no allocation.
func (f *file) Ref() code {
	if f.Kind.ListerExpanded {
		return "&"
	}
	return ""
}

// name returns a name for code. The file is not written if the text is not a Go name.
func (f *file) name(name string) string {
	if !isName(name) {
		f.misnamed = cmp.Or(f.misnamed, strconv.Quote(name))
	}
	return name
}

// typeExpression returns the expression for a type. A part of it may be the source of a struct without a name, with
// tags. The file is not written if it is no type.
func (f *file) typeExpression(text string) code {
	before, after, isQualified := strings.Cut(text, ".")
	isName := token.IsIdentifier(before) && (!isQualified || token.IsIdentifier(after))
	if text != "" && !isName && (!isType(text) || strings.ContainsAny(text, "\r\n") || hasComment(text)) {
		f.misnamed = cmp.Or(f.misnamed, strconv.Quote(text))
	}
	return code(text)
}
