// Package v1beta1 has the second version of a group, and plurals of each sort.
//
// +groupName=shop.example.com
package v1beta1
