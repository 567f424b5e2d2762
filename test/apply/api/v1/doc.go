// Package v1 has kinds with all ways in which server-side apply merges fields: lists
// that are atomic, sets or maps, with one key and with two, of which one has a default;
// maps and structs that are granular or atomic; and values without a schema.
//
// +groupName=edge.example.com
// +kubebuilder:object:generate=true
package v1
