// Package syntax reads the files of Go packages. It resolves no import and checks no type:
//
//	names of files ──Parse──▶ Package ──Scope──▶ declarations by name
//	                            └─────▶ comments, build constraints
//
//	name.go        names in expressions, and import paths
//	body.go        bodies of functions, which are dropped
//	scope.go       Scope: the declarations of a package by name
//	comment.go     the comments above declarations, and the markers in them
//	constraint.go  the build constraints in a file and in its name
//	package.go     Package, Parse, and errors of the parser
package syntax
