// Package v1 has the kinds of vehicles.
//
// +groupName=split.example.com
package v1
