// Package render makes the emitted files of a model, in memory:
//
//	model.Set ──catalogue──▶ rows × subjects ──template──▶ body ──imports──▶ gofmt ──▶ File
//
//	catalogue.go which files there are: a row for each template
//	layout.go    where the emitted packages are
//	file.go      what a template sees
//	method.go    the methods of +genclient:method
//	index.go     the functions of indexes
//	reserved.go  the names that nothing else may have
//	imports.go   the packages that a body uses become its imports
//	render.go    Render: all files, in parallel, the same in every run
//
// A body is written first and names packages by what they are called; then the
// body is parsed, and what it uses is imported. So an import can be neither
// missing nor left over, and two packages of one name cannot clash.
package render
