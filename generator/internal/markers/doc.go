// Package markers parses markers, the lines in comments that configure informer-gen:
//
//	line ──Parse──▶ Marker: Name, Pos, and a Value of one type for each marker
//
//	registry.go   all markers, and their misspellings
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
