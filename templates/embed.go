// Package templates holds the text/template of each file that informer-gen emits, and of parts that
// several of them share. They are Go with loops and ifs: the names come from the model, and package
// render imports the packages that they use. A line that ends in {{/* … */ -}} goes on in the next one.
package templates

import "embed"

// Files holds the templates.
//
//go:embed *.go.tmpl
var Files embed.FS
