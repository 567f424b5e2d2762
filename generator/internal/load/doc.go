// Package load reads Go packages of API types. It makes no decisions:
//
//	patterns ──go list──▶ files ──parse, in parallel──▶ syntax ──▶ input.Package
//	                                                      └─ questions ─▶ types ─┘
//
//	load.go           Load and Externals: patterns to packages
//	environment.go    the environment and the settings of the go command
//	go_list.go        the errors of the go command, and the module that one is about
//	source.go         the syntax of a package, and its declarations by name
//	pkg.go  type.go   what the syntax shows of a package and of a type
//	generated.go      files of earlier runs, which are not read
//	missing.go        list types that the run writes, and how a package registers types
//	comments.go       markers in comments
//	constraint.go     build constraints in comments and in the names of files, and files that they exclude
//	method.go         the methods of the types that +genclient:method names
//	question.go       the questions that the syntax leaves open, and the steps that answer them
//	typecheck.go  meta.go  the types of the package by itself, and the metadata of kinds
//	json_name.go      the names of the fields of kinds and lists
//	untagged.go       fields of kinds whose JSON name is not in a tag
//	protobuf.go       whether a kind has protobuf tags
//	prune.go  closure.go  body.go  the types of other packages that a question needs
//	field.go          the field at a JSON path of a type
//	view.go           whether a view can decode the JSON of its kind
//	clientset.go      Clientset: the methods of a clientset that exists
//	declared.go       Declared: all types that kinds consist of, with their comments
//
// The syntax of the package answers nearly everything. The package is type-checked by itself only if a
// kind is not a plain struct with the usual JSON names, or if a marker names a field or makes a view. Dependencies are read only if
// that leaves a question open, and only those that the question needs.
package load
