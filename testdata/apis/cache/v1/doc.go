// Package v1 has a group called as the runtime package that informers use.
//
// +groupName=cache.example.com
package v1
