// Package v1 has a kind for each option of +genclient.
//
// +groupName=shop.example.com
package v1
