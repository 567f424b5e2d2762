package model

import (
	"go/token"
	"slices"
	"strings"
)

// Set is all that one run generates for, sorted by group, version and kind.
type Set struct {
	Groups []*Group
	// ApplyPackage is the import path of the root of apply configurations; empty
	// for none.
	ApplyPackage string
	// Warnings say what was read and has no effect.
	Warnings []*Error
}

// GroupVersions returns the versions of all groups.
func (s *Set) GroupVersions() []*GroupVersion {
	var all []*GroupVersion
	for _, g := range s.Groups {
		all = append(all, g.Versions...)
	}
	return all
}

// Clients returns the versions of all groups that have a client.
func (s *Set) Clients() []*GroupVersion {
	return slices.DeleteFunc(s.GroupVersions(), func(gv *GroupVersion) bool { return !gv.HasClient() })
}

// Kinds returns the kinds of all versions.
func (s *Set) Kinds() []*Kind {
	var all []*Kind
	for _, gv := range s.GroupVersions() {
		all = append(all, gv.Kinds...)
	}
	return all
}

// Informed returns the kinds and the views of all versions.
func (s *Set) Informed() []*Kind {
	var all []*Kind
	for _, gv := range s.GroupVersions() {
		all = append(all, gv.Informed()...)
	}
	return all
}

// Group is an API group.
type Group struct {
	// Name is the name on the wire, such as rbac.authorization.k8s.io; empty for
	// the core group.
	Name string
	// Dir is the folder of the group, such as rbac; Package is the name of the Go
	// package in it.
	Dir, Package string
	// GoName begins the names of its clients, and is its accessor in a factory,
	// such as Rbac. GoPrivate is the same with a lower-case first letter.
	GoName, GoPrivate string
	Versions          []*GroupVersion
}

// HasInformers says whether a kind of the group is listed and watched.
func (g *Group) HasInformers() bool {
	return slices.ContainsFunc(g.Versions, (*GroupVersion).HasInformers)
}

// GroupVersion is one version of a group, which is one Go package.
type GroupVersion struct {
	Group *Group
	// Version is the name on the wire, such as v1beta1.
	Version string
	// Dir is the folder of the version, below that of the group, and the name of the Go
	// packages in it.
	Dir string
	// GoVersion is its accessor, such as V1beta1.
	GoVersion string
	// Path is the import path of the API types.
	Path string
	// Alias is what generated files call that package, unless it clashes.
	Alias string
	// SchemeGroupVersion is the package's variable that holds group and version; empty
	// if a dependency has none.
	SchemeGroupVersion string
	// RegistersTypes reports whether the generated scheme registers the kinds, because a
	// dependency declares no AddToScheme.
	RegistersTypes bool
	Kinds          []*Kind
	// Views are the views of kinds, of this version or another, that the package
	// declares. They have informers and listers, and no client.
	Views []*Kind
	Pos   token.Position
}

// Informed are the kinds and the views, of which there may be informers and listers.
func (gv *GroupVersion) Informed() []*Kind {
	all := slices.Concat(gv.Kinds, gv.Views)
	slices.SortFunc(all, func(x, y *Kind) int { return strings.Compare(x.Private, y.Private) })
	return all
}

// HasClient says whether the version has a client: one that has nothing but views
// has none.
func (gv *GroupVersion) HasClient() bool { return len(gv.Kinds) > 0 }

// GoName begins the names of the version's client, such as RbacV1.
func (gv *GroupVersion) GoName() string { return gv.Group.GoName + gv.GoVersion }

// GoPrivate is GoName with a lower-case first letter.
func (gv *GroupVersion) GoPrivate() string { return gv.Group.GoPrivate + gv.GoVersion }

// APIPath is the root of the group on the server.
func (gv *GroupVersion) APIPath() string {
	if gv.Group.Name == "" {
		return "/api"
	}
	return "/apis"
}

// HasInformers says whether a kind of the version is listed and watched.
func (gv *GroupVersion) HasInformers() bool {
	return slices.ContainsFunc(gv.Informed(), (*Kind).HasInformer)
}

// HasMethods says whether a kind of the version has methods beside the verbs.
func (gv *GroupVersion) HasMethods() bool {
	return slices.ContainsFunc(gv.Kinds, func(k *Kind) bool { return len(k.Methods) > 0 })
}

// Kind is one kind of object.
type Kind struct {
	GroupVersion *GroupVersion
	// Name is the Go type and the kind on the wire, such as NetworkPolicy.
	Name string
	// Private is Name with a lower-case first letter; Param is the same made safe
	// as the name of a parameter.
	Private, Param string
	// Plural is the accessor, such as NetworkPolicies; PluralPrivate is the same
	// with a lower-case first letter.
	Plural, PluralPrivate string
	// Resource is the name on the wire, such as networkpolicies.
	Resource string
	// File, FakeFile and ExpansionFile are the names of the kind's files without
	// ".go": networkpolicy, fake_networkpolicy, and networkpolicy_expansion, which
	// the user may write.
	File, FakeFile, ExpansionFile string
	Namespaced                    bool
	// Summary is the first sentence of the type's comment, without the full stop.
	// Deprecated is the paragraph of the comment that says so, a line each; nil for
	// none.
	Summary    string
	Deprecated []string
	// Verbs are the methods of the client, in the order in which they are
	// written. Empty for +genclient:noVerbs.
	Verbs []Verb
	// Methods are those beside the verbs, in the order of their markers.
	Methods []*Method
	// Apply is the apply configuration of the kind; zero if NeedsApply is false.
	Apply TypeRef
	// Indexes are those of the informer's cache, beside the one by namespace.
	Indexes []*Index
	// SelectableFields are those by which the server selects; none if no marker
	// names one.
	SelectableFields []*SelectableField
	// ListForm is the form of the list type, if NeedsList is true.
	ListForm ListForm
	// Manifest is the CRD that the kind was checked against; nil for none.
	Manifest *Manifest
	// DiffersFromManifest reports whether the kind, of a dependency, does not agree with Manifest.
	DiffersFromManifest bool
	// View says of which kind this is a view; nil for a kind of its own.
	View *View
	Pos  token.Position
}

// List is the type of a list of the kind.
func (k *Kind) List() string { return k.Name + "List" }

// ItemsArePointers reports whether a list of the kind has Items []*Foo.
func (k *Kind) ItemsArePointers() bool { return k.ListForm.ItemsArePointers }

// ListMetaIsField reports whether a list of the kind has a field ListMeta.
func (k *Kind) ListMetaIsField() bool { return k.ListForm.Meta == ListMetaField }

// ListMetaOf returns the expression for the metadata of a list of the kind, without a field
// ListMeta, that a variable holds.
func (k *Kind) ListMetaOf(list string) string {
	if k.ListForm.Meta == ListMetaAccessor {
		return list + ".GetListMeta()"
	}
	return list
}

// Has says whether the client has a verb. It takes a string for templates.
func (k *Kind) Has(verb string) bool { return slices.Contains(k.Verbs, Verb(verb)) }

// NeedsList says whether the client has a method that needs the list type.
func (k *Kind) NeedsList() bool { return k.Has("list") || k.Has("deleteCollection") }

// NeedsApply says whether the client has a method that needs the apply
// configuration of the kind.
func (k *Kind) NeedsApply() bool { return k.Has("apply") || k.Has("applyStatus") }

// Client is the type of package gentype that the client is made of; that of the
// fake begins with Fake.
func (k *Kind) Client() string {
	switch {
	case k.NeedsList() && k.NeedsApply():
		return "ClientWithListAndApply"
	case k.NeedsList():
		return "ClientWithList"
	case k.NeedsApply():
		return "ClientWithApply"
	}
	return "Client"
}

// HasInformer says whether the kind can be listed and watched.
func (k *Kind) HasInformer() bool { return k.Has("list") && k.Has("watch") }

// HasLister says whether there is anything that a lister could read.
func (k *Kind) HasLister() bool { return k.HasInformer() || k.Has("list") && k.Has("get") }

// Verb is a method of a typed client.
type Verb string

// Verbs are all verbs, in the order of client-gen.
var Verbs = []Verb{"create", "update", "updateStatus", "delete", "deleteCollection", "get", "list", "watch", "patch"}

// ApplyVerbs need an apply configuration package; they may be named in
// onlyVerbs and skipVerbs without one.
var ApplyVerbs = []Verb{"apply", "applyStatus"}

// ReadOnlyVerbs are those of +genclient:readonly.
var ReadOnlyVerbs = []Verb{"get", "list", "watch"}
