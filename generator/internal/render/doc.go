// Package render makes the emitted files of a model, in memory:
//
//	model.Set ──catalogue──▶ rows × subjects ──template──▶ body ──imports──▶ gofmt ──▶ File
//
//	locals.go    names in templates that no import may have
//	imports.go   imports for the packages that a body uses
//	text.go      the only ways in which a text gets into emitted code
//	subject.go   the sets, groups, versions and kinds that files are about
//	file.go      the data of a template
//	apply.go  copy.go  index.go  method.go  schema.go   parts of that data
//	catalogue.go the emitted files: a row for each template
//	render.go    Render: all files, in parallel
//	aliases.go   Aliases: a file of aliases
//
// A body is written first, with a name for each package. Then the body is parsed, and the packages
// that it uses are imported. So no import is missing or unused, and two packages of one name do not
// clash.
package render
