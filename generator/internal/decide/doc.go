// Package decide turns packages, their markers and CRDs into the model of the generated code. It
// reports every contradiction with its position:
//
//	input.Package, markers.List, input.Manifest ──Decide──▶ model.Set
//
//	decide.go         Decide: the stages
//	alias.go          Aliases: the types that can be kinds, with the markers they need
//	view.go           +informer:view
//	kind.go           one type: whether it is a kind, and what its client has
//	group.go          the groups of the versions
//	manifest.go       the differences between a kind and its CRD
//	group_version.go  the group and the version of a package
//	reading.go        From, and the markers of code-generator on a kind
//	kubebuilder.go    the markers of kubebuilder on a kind
//	method.go  apply.go  field.go  the methods, apply configurations and indexes of a kind
//	scale.go          the methods and the paths of +kubebuilder:subresource:scale
//	served.go         what a server has to know about a kind
//	stray.go          markers without an effect
//	external.go       packages that markers and options name
//	naming.go         derived names
//	assembly.go       Input, and the state of a run: groups, errors and warnings
//
// Markers of a package in the main module that have no effect are errors. The user
// cannot edit a dependency, so there they are warnings.
package decide
