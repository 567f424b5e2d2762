// Package decide turns packages, their markers and CRDs into the model of the generated code. It
// reports every contradiction with its position:
//
//	packages, CRDs ──▶ needed ──▶ groups, versions, kinds ──▶ types ──▶ model.Set
//	                     │                                      │
//	                     └──────────────▶ Code ◀────────────────┘
//
// Decide first asks for the packages that markers and options name, and at the end for the types that the kinds consist of.
// Code is the only interface through which it learns of code outside the packages of the run.
//
//	input.go          Input and Code
//	naming.go         derived names
//	assembly.go       the state of a run: groups, errors and warnings
//	external.go       packages outside the run
//	reading.go        the content of the markers of a type
//	genclient.go      the markers of code-generator on a kind
//	kubebuilder.go    the markers of kubebuilder on a kind
//	read.go           which of the two apply to a package
//	apply.go  field.go  method.go  protobuf.go  scale.go  served.go   parts of a kind
//	group_version.go  the group and the version of a package
//	group.go          the groups of the versions
//	stray.go          markers without an effect
//	kind.go           one type: whether it is a kind, and the methods of its client
//	view.go           +informer:view
//	clientset.go      the clients in a clientset that exists
//	manifest.go       the differences between a kind and its CRD
//	client_go.go      the form of client-go's informers
//	written.go        code of the user next to the generated code
//	kinds.go          groups, versions, kinds and views
//	needed.go         the packages outside the run that a decision needs
//	types.go          apply configurations and deep copies
//	decide.go         Decide
//	alias.go          Aliases: the types that can be kinds, with the markers they need
//
// Markers of a package in the main module that have no effect are errors. The user
// cannot edit a dependency, so there they are warnings.
package decide
