// Package describe turns the syntax of packages into the data that decide reads, and finds out which questions the syntax
// leaves open:
//
//	syntax.Package ──Packages──▶ input.Package, and Open
//
//	described.go      Described, and Open: the questions that the syntax leaves open
//	generated.go      files of earlier runs, which are not read
//	shape.go          the fields of structs, and the metadata that they embed
//	method.go         the methods that +genclient:method needs, and DeepCopyObject
//	protobuf.go       whether a kind has protobuf tags and methods
//	list.go           the list type of a kind, and list types that the run writes
//	type.go           a type with markers
//	group_version.go  the variable for the group and the version
//	registration.go   how a package registers types
//	package.go        a package
//	untagged.go       fields whose JSON name is not in a tag, in the structs that kinds consist of
//	open.go           the types that the syntax does not describe completely
//	describe.go       Packages and External
//	clientset.go      Clientset: the methods of a clientset that exists
//
// The syntax answers nearly all questions. It resolves no import, so a package that does not compile is described too.
package describe
