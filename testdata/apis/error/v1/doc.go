// Package v1 has a group called as a predeclared type.
//
// +groupName=error.example.com
package v1
