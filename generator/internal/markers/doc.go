// Package markers parses markers, the lines in comments that configure informer-gen:
//
//	line ──Parse──▶ Marker: Name, Pos, and a Value of one type for each marker
//
//	path.go       Path: the JSON names that lead to a field
//	value.go      the types of values
//	marker.go     Marker, Problem; List: the markers of one declaration
//	reader.go     the text of a marker that is being read
//	argument.go   key=value pairs, lists and quotes in that text
//	typeref.go    names of types and packages in it
//	method.go     +genclient:method to a model.Method
//	read.go       other texts to values
//	registry.go   all markers, and their misspellings
//	parse.go      Parse
//
// A marker is parsed once, when the package is loaded. A Marker carries the
// Problems of its text, because only decide knows whether the marker has an
// effect, and whether the user can edit the file.
package markers
