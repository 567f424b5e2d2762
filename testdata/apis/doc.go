// Package apis has no kind and is passed over. Each folder below it is input of
// the generator, and ../generated is what comes out:
//
//	shop       two versions; a kind for each option of +genclient; plurals
//	fleet      +groupGoName, and kinds whose names are awkward in Go
//	cache, discovery, error, type
//	           groups called as something that generated code uses
//	io         views, and no kind
//	shapes     metadata and lists in unusual forms
//	single     kubebuilder's layout for a project with one group
package apis
