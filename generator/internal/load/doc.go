// Package load reads Go packages of API types and CRDs. It decides nothing:
//
//	patterns ──go list──▶ files ──parse, in parallel──▶ syntax ──▶ input.Package
//	                                                      └─ questions ─▶ types ─┘
//
//	load.go           Load: patterns to packages, and errors of the go command
//	pkg.go            one package: its names, its markers, its group and version
//	types.go          one type: what it embeds, its methods, its list
//	markers.go        comments to markers, with their positions
//	constraint.go     build constraints of files
//	external.go       Externals: the packages that markers name
//	question.go       what syntax leaves open, and the steps that answer it
//	typecheck.go      types of the package by itself, and what kinds consist of
//	closure.go  prune.go  body.go  types of other packages, as far as a question leads to them
//	field.go          the field at a JSON path of a type
//	view.go           whether a view decodes the JSON of its kind
//	list_type.go  interfaces.go  list types and the methods of metadata
//	manifest.go  manifest_node.go  bad_line.go  Manifests: the CRDs in files of YAML or JSON
//
// The syntax of the package answers nearly everything. The package is type-checked, by
// itself, only if a kind is not a plain struct, or a marker names a field or makes a view.
// Dependencies are read only if that leaves a question open, and only those to which the
// question leads.
package load
