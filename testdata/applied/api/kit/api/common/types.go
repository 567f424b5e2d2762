// Package common ends with the same two folders as the other package common, so the folders of their apply
// configurations have one more.
package common

// Lock locks a kit.
type Lock struct {
	Code string `json:"code,omitempty"`
}
