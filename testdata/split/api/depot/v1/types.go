// Package v1 has the kinds of buildings.
//
// +groupName=split.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Depot is a building. It is cluster-scoped.
//
// +genclient
// +genclient:nonNamespaced
// +kubebuilder:selectablefield:JSONPath=.spec.address.city
type Depot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec DepotSpec `json:"spec,omitempty"`
}

// DepotSpec is what a depot should be.
type DepotSpec struct {
	Address Address    `json:"address,omitempty"`
	Ramps   []Position `json:"ramps,omitempty"`
}

// Address is where a depot is. A kind of another package has the same type.
type Address struct {
	City string `json:"city,omitempty"`
}

// Position is in the building.
type Position struct {
	Floor int32 `json:"floor"`
}
