// Package v1 is version v1 of the API group data.example.com: databases, their
// classes and their servers.
//
// +groupName=data.example.com
// +kubebuilder:object:generate=true
package v1
