// Package model is what informer-gen has decided: which groups, versions and
// kinds there are, and what everything about them is called. It is plain data
// and imports no other stage:
//
//	load ──Packages──▶ model.Assemble ──Set──▶ render
//
//	model.go     Set, Group, GroupVersion, Kind: the data
//	package.go   Package, Type: what load has found, before any decision
//	marker.go    Marker: a line of a comment, and its arguments
//	path.go      Path: the way to a field by JSON names; Field: what is there
//	assemble.go  Assemble: decisions, and the contradictions that it refuses
//	kind.go      one type: is it a kind, and which
//	genclient.go  kubebuilder.go  what the markers of either say of it
//	index.go     indexes and selectable fields
//	view.go      View: +informer:view, and the kind that it is of
//	manifest.go  Manifest: a CRD, as load has found it
//	manifest_check.go  what a kind and its CRD disagree on
//	spelling.go  what was probably meant
//	method.go    Method: +genclient:method, and what it may not be
//	apply.go     where apply configurations are
//	typeref.go   TypeRef: types that markers name
//	names.go     every derived name, derived once
//	errors.go    Error: a mistake in the input, with its place
//
// Nothing later derives a name again: a resource that is spelled in two places
// is a resource that is misspelled in one of them.
package model
