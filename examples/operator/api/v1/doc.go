// Package v1 is version v1 of the API group data.example.com: databases and their
// classes.
//
// +groupName=data.example.com
// +kubebuilder:object:generate=true
package v1
