// Package load reads Go packages of API types and says what stands in them,
// without deciding anything:
//
//	patterns ──go list──▶ files ──parse, in parallel──▶ syntax ──▶ model.Package
//	                                                      └─ questions ─▶ types ─┘
//
//	load.go     Load: patterns to packages, and what the go command says against them
//	pkg.go      one package: its names, its markers, its group and version
//	types.go    one type: what it embeds, its methods, its list
//	manifest.go Manifests: the CRDs in files of YAML or JSON
//	manifest_node.go  the values in these, and the places of mistakes
//	bad_line.go the line with the mistake in YAML that does not parse
//	constraint.go  build constraints of files
//	markers.go  comments to markers, with their places
//	question.go what syntax leaves open, and who answers it
//	typecheck.go  types of the package by itself, and what kinds are made of
//	closure.go  types of other packages, as far as a question leads to them
//	prune.go    what a type leads to, and what JSON does not see of it
//	body.go     source without the bodies of functions
//	field.go    the field at a JSON path of a type
//	view.go     whether a view decodes what the kind has
//	external.go the names of the packages that markers name
//
// Nearly everything that the generator asks is answered by the syntax of the
// package itself. Nothing is type-checked, unless a kind is no plain struct, or a marker
// names a field or makes a view. Then the package is type-checked by itself. Dependencies are
// read only if that leaves a question open, and only those that the question leads to: to
// read all of them is what makes the predecessors of this generator take seconds.
package load
