// Package v1 has kinds that may change. It registers them itself, and the last two folders of its path are those
// of another package.
//
// +kubebuilder:object:generate=true
// +groupName=split.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of the kinds.
var GroupVersion = schema.GroupVersion{Group: "split.example.com", Version: "v1"}

// AddToScheme adds the kinds to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Route{}, &RouteList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// Route leads from depot to depot.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Route struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec RouteSpec `json:"spec,omitempty"`
}

// RouteSpec has the depots of a route.
type RouteSpec struct {
	Depots []string `json:"depots,omitempty"`
}

// RouteList is a list of routes.
//
// +kubebuilder:object:root=true
type RouteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Route `json:"items"`
}

// ParkedTruck is a view of a kind of another package of the group version.
//
// +informer:view=github.com/typedinformers/informer-gen/testdata/split/api/fleet/v1.Truck
type ParkedTruck struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ParkedTruckSpec `json:"spec,omitempty"`
}

// ParkedTruckSpec is a part of a truck.
type ParkedTruckSpec struct {
	Depot string `json:"depot,omitempty"`
}
