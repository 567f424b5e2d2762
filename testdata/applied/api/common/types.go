// Package common has parts of kinds, and no kind. Its apply configurations are generated with those of the
// kinds.
package common

// Base has the fields that all kits have. Structs embed it.
type Base struct {
	// Owner is who pays.
	Owner string `json:"owner,omitempty"`
	// Tags are not sorted.
	// +listType=set
	Tags []string `json:"tags,omitempty"`
}

// Page is an instance for each type of its items.
type Page[T any] struct {
	// +listType=atomic
	Items []T `json:"items,omitempty"`
	Next  *T  `json:"next,omitempty"`
}
