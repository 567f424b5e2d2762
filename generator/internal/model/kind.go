package model

import (
	"go/token"
	"slices"
)

// Kind is one kind of object.
type Kind struct {
	GroupVersion *GroupVersion
	// Package declares the type. It is one of GroupVersion.
	Package *Package
	// Name is the Go type and the kind on the wire, such as NetworkPolicy.
	Name string
	// Private is Name with a lower-case first letter. Param is Private, changed where that
	// cannot be the name of a parameter.
	Private, Param string
	// Plural is the accessor, such as NetworkPolicies. PluralPrivate is Plural with a
	// lower-case first letter.
	Plural, PluralPrivate string
	// Resource is the name on the wire, such as networkpolicies.
	Resource string
	// File, FakeFile and ExpansionFile are the names of the kind's files without
	// ".go": networkpolicy, fake_networkpolicy, and networkpolicy_expansion, which
	// the user may write.
	File, FakeFile, ExpansionFile string
	// ClientExpanded and ListerExpanded report whether the user has written ExpansionFile next to the client, or
	// next to the lister. It declares the expansion.
	ClientExpanded, ListerExpanded bool
	Namespaced                     bool
	// Summary is the first sentence of the type's comment, without the full stop.
	// Deprecated has the lines of the paragraph that begins with "Deprecated:", or is nil.
	Summary    string
	Deprecated []string
	// Verbs are the methods of the client, in the order in which they are emitted. They
	// are empty with +genclient:noVerbs.
	Verbs []Verb
	// Methods are the methods in addition to the verbs, in the order of their markers.
	Methods []*Method
	// Apply is the apply configuration of the kind, or zero if NeedsApply is false.
	Apply TypeRef
	// Indexes are the indexes of the informer's cache in addition to the one by namespace.
	Indexes []*Index
	// SelectableFields are the fields by which the server selects. They are empty if no
	// marker names one.
	SelectableFields []*SelectableField
	// Served has the other properties of the resource on a server. It is empty for a view.
	Served Served
	// ListForm is the form of the list type, if NeedsList is true.
	ListForm ListForm
	// Protobuf reports whether clients and informers request protobuf. For a view, the kind has the
	// tags, and the generated code can import it.
	Protobuf bool
	// CRD is the position of the CRD that the kind was checked against, or zero.
	CRD token.Position
	// DiffersFromCRD reports whether the kind, of a dependency, disagrees with its CRD.
	DiffersFromCRD bool
	// View is nil unless this is a view of a kind.
	View *View
	// Pos is the name in the type declaration.
	Pos token.Position
}

// Ref returns the type of the kind.
func (k *Kind) Ref() TypeRef { return TypeRef{Path: k.Package.Path, Name: k.Name} }

// List returns the name of the type of a list of the kind.
func (k *Kind) List() string { return k.Name + "List" }

// ItemsArePointers reports whether a list of the kind has Items []*Foo.
func (k *Kind) ItemsArePointers() bool { return k.ListForm.ItemsArePointers }

// ListMetaIsField reports whether a list of the kind has a field ListMeta.
func (k *Kind) ListMetaIsField() bool { return k.ListForm.Meta == ListMetaField }

// Has reports whether the client has a verb. It takes a string for templates.
func (k *Kind) Has(verb string) bool { return slices.Contains(k.Verbs, Verb(verb)) }

// NeedsList reports whether the client has a method that needs the list type.
func (k *Kind) NeedsList() bool { return k.Has("list") || k.Has("deleteCollection") }

// NeedsApply reports whether the client has a method that needs the apply
// configuration of the kind.
func (k *Kind) NeedsApply() bool { return k.Has("apply") || k.Has("applyStatus") }

// Client returns the type of package gentype that the client consists of. The type for
// the fake client has the prefix Fake.
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

// HasInformer reports whether the kind can be listed and watched.
func (k *Kind) HasInformer() bool { return k.Has("list") && k.Has("watch") }

// HasLister reports whether the kind has a lister: it can be listed, and either watched or read.
func (k *Kind) HasLister() bool { return k.HasInformer() || k.Has("list") && k.Has("get") }

// Aliased is a kind with the markers that an alias of it needs.
type Aliased struct {
	*Kind
	// Markers are lines that begin with +.
	Markers []string
	// GuessedScope reports whether the scope is a guess.
	GuessedScope bool
}

// View is a struct with some of a kind's fields, from +informer:view. It has an informer
// and a lister over the kind's resource.
type View struct {
	// Of is the type of the kind.
	Of TypeRef
	// Kind is the kind itself, whose client lists and watches. It is nil if the run does not
	// read the kind.
	Kind *Kind
	// Client has the names of the kind's client in the clientset that exists, such as CoreV1 and
	// Pods of CoreV1().Pods. It is nil if the run reads the kind, or if that clientset lacks it.
	Client *Kind
	// Group and Version are the kind's on the wire.
	Group, Version string
}

// ListForm is how the fields of a list type are accessed.
type ListForm struct {
	// ItemsArePointers is set for Items []*Foo.
	ItemsArePointers bool
	// Meta is how the metadata is copied from one list to another.
	Meta ListMeta
}

// ListMeta is how the metadata of a list is accessed.
type ListMeta int

const (
	// ListMetaField is a field ListMeta, nearly always an embedded one.
	ListMetaField ListMeta = iota
	// ListMetaMethods are the methods of metav1.ListInterface, of the list itself.
	ListMetaMethods
	// ListMetaAccessor is the method GetListMeta of metav1.ListMetaAccessor.
	ListMetaAccessor
)

// ServedFields returns the paths of the selectable fields of the kind that not every server has.
func (k *Kind) ServedFields() []string {
	var paths []string
	for _, f := range k.SelectableFields {
		if f.Pos.IsValid() {
			paths = append(paths, f.Path)
		}
	}
	return paths
}
