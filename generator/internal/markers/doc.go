// Package markers reads the lines of comments that tell informer-gen what to
// generate:
//
//	line ──Parse──▶ Marker: Name, Pos, and a Value of one type for each marker
//
//	registry.go   the markers that there are, and what their misspellings mean
//	parse.go      Parse
//	marker.go     Marker, Problem; List: the markers of one declaration
//	value.go      the types of values
//	read.go       text to values, and the types and key=value pairs in it
//	method.go     +genclient:method to a model.Method
//	path.go       Path: the JSON names that lead to a field
//
// A marker is parsed once, when the package is loaded. A Marker carries the
// Problems of its text, because only decide knows whether the marker has an
// effect, and whether the user can edit the file.
package markers
