// Package render makes the emitted files of a model, in memory:
//
//	model.Set ──catalogue──▶ rows × subjects ──template──▶ body ──imports──▶ gofmt ──▶ File
//
//	catalogue.go the emitted files: a row for each template
//	file.go      the data of a template
//	method.go    the methods of +genclient:method
//	index.go     the functions of indexes
//	locals.go    names in templates that no import may have
//	imports.go   imports for the packages that a body uses
//	render.go    Render: all files, in parallel
//	aliases.go   Aliases: a file of aliases
//
// A body is written first, with a name for each package. Then the body is parsed, and the packages
// that it uses are imported. So no import is missing or unused, and two packages of one name do not
// clash.
package render
