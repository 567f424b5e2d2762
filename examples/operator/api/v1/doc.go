// Package v1 is version v1 of the API group data.example.com: databases, and the
// classes that they are of.
//
// +groupName=data.example.com
// +kubebuilder:object:generate=true
package v1
