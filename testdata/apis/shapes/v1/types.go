// Package v1 has kinds and lists that have their metadata and items in unusual forms.
//
// +groupName=shapes.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/testdata/apis/shapes/slim"
)

// Spec is of all kinds.
type Spec struct {
	Weight int `json:"weight,omitempty"`
}

// Crate has a list of pointers.
//
// +genclient
type Crate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec Spec `json:"spec,omitempty"`
}

// CrateList is a list of Crate.
type CrateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []*Crate `json:"items"`
}

// Parcel has metadata that is not apimachinery's.
//
// +genclient
// +informer:index:name=byOwner,path=metadata.labels[owner]
type Parcel struct {
	slim.TypeMeta   `json:",inline"`
	slim.ObjectMeta `json:"metadata,omitempty"`

	Spec Spec `json:"spec,omitempty"`
}

// ParcelList is a list of Parcel.
type ParcelList struct {
	slim.TypeMeta `json:",inline"`
	slim.ListMeta `json:"metadata,omitempty"`

	Items []Parcel `json:"items"`
}

// Pallet embeds its metadata as a pointer.
//
// +genclient
// +informer:index:name=byOwner,path=metadata.labels[owner]
type Pallet struct {
	metav1.TypeMeta    `json:",inline"`
	*metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec Spec `json:"spec,omitempty"`
}

// PalletList is a list of Pallet.
type PalletList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Pallet `json:"items"`
}

// Barrel embeds its kind and its metadata as pointers. Its list has no field ListMeta.
//
// +genclient
type Barrel struct {
	*metav1.TypeMeta   `json:",inline"`
	*metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec Spec `json:"spec,omitempty"`
}

// BarrelList is a list of Barrel.
type BarrelList struct {
	metav1.TypeMeta `json:",inline"`
	slim.Page       `json:"metadata,omitempty"`

	Items []*Barrel `json:"items"`
}

// Tin has methods of its own for its metadata, and so has its list.
//
// +genclient
type Tin struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec Spec `json:"spec,omitempty"`
}

// TinList is a list of Tin.
type TinList struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ListMeta `json:"metadata,omitempty"`

	Items []Tin `json:"items"`
}
