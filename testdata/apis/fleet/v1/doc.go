// Package v1 has a group with a Go name of its own, and kinds whose names are awkward in Go.
//
// +groupName=fleet.example.com
// +groupGoName=Vessels
package v1
