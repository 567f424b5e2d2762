// Package v1 has the kinds of a harbor.
//
// +groupName=harbor.example.com
package v1
