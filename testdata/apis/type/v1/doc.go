// Package v1 has a group called as a keyword.
//
// +groupName=type.example.com
package v1
