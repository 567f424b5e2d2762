// Package v1 has kinds that are no plain structs.
//
// +groupName=forms.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/testdata/apis/forms/base"
)

// SchemeGroupVersion is the version of this package.
var SchemeGroupVersion = schema.GroupVersion{Group: "forms.example.com", Version: "v1"}

// AddToScheme adds the types to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &Paper{}, &Letter{}, &LetterList{})
	// A generic type has no name that could be a kind's.
	scheme.AddKnownTypeWithName(SchemeGroupVersion.WithKind("PaperList"), &PaperList{})
	scheme.AddKnownTypeWithName(SchemeGroupVersion.WithKind("Stamp"), &Stamp{})
	scheme.AddKnownTypeWithName(SchemeGroupVersion.WithKind("StampList"), &StampList{})
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}

// Paper is another name for a type of another package.
//
// +genclient
// +informer:index:name=byAuthor,path=spec.author
type Paper = base.Paper

// PaperList is another name for a generic type.
type PaperList = base.List[Paper]

// Resource is what kinds have in common.
type Resource[S any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec S `json:"spec,omitempty"`
}

// DeepCopyObject returns a copy.
func (in *Resource[S]) DeepCopyObject() runtime.Object {
	out := &Resource[S]{TypeMeta: in.TypeMeta, Spec: in.Spec}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return out
}

// StampSpec is of Stamp.
type StampSpec struct {
	Value int `json:"value,omitempty"`
}

// Stamp is another name for an instance of a generic type.
//
// +genclient
// +informer:index:name=byValue,path=spec.value
type Stamp = Resource[StampSpec]

// StampList is a list of Stamp.
type StampList = base.List[Stamp]

// Letter embeds what makes it a kind.
//
// +genclient
// +genclient:nonNamespaced
type Letter struct {
	base.Meta `json:",inline"`

	Status Resource[StampSpec] `json:"status,omitempty"`
}

// DeepCopyObject returns a copy.
func (in *Letter) DeepCopyObject() runtime.Object {
	out := new(Letter)
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return out
}

// LetterList is a list of Letter.
type LetterList struct {
	base.List[Letter] `json:",inline"`
}

// DeepCopyObject returns a copy.
func (in *LetterList) DeepCopyObject() runtime.Object {
	return &LetterList{*in.List.DeepCopyObject().(*base.List[Letter])}
}
