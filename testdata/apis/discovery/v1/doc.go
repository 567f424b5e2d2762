// Package v1 has a group called as the package that the clientset uses.
//
// +groupName=discovery.example.com
package v1
