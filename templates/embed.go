// Package templates holds one text/template for each file that informer-gen
// emits, named after it. They are Go with loops and ifs: all names come from the
// model, and packages are imported by being used. Package render executes them.
package templates

import "embed"

// Files are the templates.
//
//go:embed *.go.tmpl
var Files embed.FS
