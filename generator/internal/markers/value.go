package markers

import "github.com/typedinformers/informer-gen/generator/internal/model"

// Value is the parsed content of a marker. It has one of the types in this file.
type Value interface{ isValue() }

type (
	// Genclient makes the type a kind, unless it is Off: +genclient=false.
	Genclient struct{ Off bool }
	// NonNamespaced is +genclient:nonNamespaced.
	NonNamespaced struct{}
	// NoStatus is +genclient:noStatus.
	NoStatus struct{}
	// NoVerbs is +genclient:noVerbs.
	NoVerbs struct{}
	// OnlyVerbs are the known verbs of +genclient:onlyVerbs, or the verbs of +genclient:readonly.
	OnlyVerbs []model.Verb
	// SkipVerbs are the known verbs of +genclient:skipVerbs.
	SkipVerbs []model.Verb
	// Method is +genclient:method. It is incomplete if the marker has Problems. The paths of
	// types of the marker's own package are empty.
	Method model.Method
	// ResourceName is a resource on the wire. It may be empty.
	ResourceName string
	// GroupName is a group on the wire.
	GroupName string
	// GroupGoName is the name of a group in Go.
	GroupGoName string
	// Root is +kubebuilder:object:root=true.
	Root struct{}
	// Resource is +kubebuilder:resource. Arguments that the marker leaves out are empty.
	Resource struct {
		Path, Scope, Singular  string
		ShortNames, Categories []string
	}
	// Status is +kubebuilder:subresource:status.
	Status struct{}
	// Scale is +kubebuilder:subresource:scale. Spec and Status are empty only if the marker has Problems.
	Scale struct{ Spec, Status, Selector FieldPath }
	// Unserved is a marker with which no server has the type.
	Unserved struct{}
	// Index is +informer:index. It is incomplete if the marker has Problems.
	Index struct {
		Name string
		Path FieldPath
	}
	// SelectableField is +kubebuilder:selectablefield.
	SelectableField struct{ Path FieldPath }
	// View is +informer:view. Of is zero if the marker has Problems, and its Path is empty for
	// a kind of the marker's own package.
	View struct{ Of model.TypeRef }

	// Unknown is a marker that has the family of one in the registry.
	Unknown struct{}
	// Misspelled is a marker that resembles one in the registry, or has an option that its family in
	// controller-gen does not have. Meant is empty for the latter.
	Misspelled struct{ Meant string }
	// Other is another marker of controller-gen with the family of one in the registry.
	Other struct{}
)

func (Genclient) isValue()       {}
func (NonNamespaced) isValue()   {}
func (NoStatus) isValue()        {}
func (NoVerbs) isValue()         {}
func (OnlyVerbs) isValue()       {}
func (SkipVerbs) isValue()       {}
func (Method) isValue()          {}
func (ResourceName) isValue()    {}
func (GroupName) isValue()       {}
func (GroupGoName) isValue()     {}
func (Root) isValue()            {}
func (Resource) isValue()        {}
func (Status) isValue()          {}
func (Scale) isValue()           {}
func (Unserved) isValue()        {}
func (Index) isValue()           {}
func (SelectableField) isValue() {}
func (View) isValue()            {}
func (Unknown) isValue()         {}
func (Misspelled) isValue()      {}
func (Other) isValue()           {}

// FieldPath is a path as a marker has it.
type FieldPath struct {
	// Text is the path as it is written, or "" if the marker has none.
	Text string
	Path Path
	// Problem is the mistake in Text and its fix, or "".
	Problem string
}
