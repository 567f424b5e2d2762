// Package typecheck answers, with the types of Go, the questions that the syntax of packages leaves open. It compiles nothing,
// and reads only the declarations that a question needs, of any package:
//
//	describe.Open ──Answer──▶ fields, metadata and lists of kinds, in input.Type
//	kinds ──Types──▶ input.Types: all types that kinds consist of, with their comments
//
//	check.go      types of a package by itself, or with an importer
//	limit.go      how long a check may take
//	json_name.go  mistakes in the JSON names of kinds and lists
//	clarify.go    whether a type has everything that a kind needs
//	field.go      the field at a JSON path of a type
//	view.go       whether a view can decode the JSON of its kind
//	closure.go    closure: packages with the declarations that are kept of them
//	cause.go      why a type is unknown
//	prune.go      the declarations that a question needs
//	question.go   the questions about one package, and their answers
//	comment.go    the comments of types and fields
//	growth.go     types that contain themselves without end
//	root.go       the types of which Types has all parts
//	checker.go    Checker: Answer and Types
//
// The package with the question is first checked by itself, which reads no files. Its imports are listed and read only if
// that leaves the question open.
package typecheck
