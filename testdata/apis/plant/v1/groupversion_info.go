// Package v1 is a kubebuilder project's: no type has a +genclient.
//
// +kubebuilder:object:generate=true
// +groupName=plant.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// GroupVersion is the version of this package.
	GroupVersion = schema.GroupVersion{Group: "plant.example.com", Version: "v1"}
	// SchemeBuilder collects the types.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)
	// AddToScheme adds the types to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Robot{}, &RobotList{}, &Hall{}, &HallList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
