package golist

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// exclusion is the reason why builds do not have a file, and its fix, for messages.
type exclusion struct {
	file, cause, fix string
}

// importC is a cause: a file that builds without cgo do not have.
const importC = `import "C"`

// excluded returns the reason for the first of some files that builds do not have, or zero if none is known.
func excluded(files []string) exclusion {
	for _, name := range files {
		content, err := regular.ReadFile(name)
		if err != nil {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			continue
		}
		importsC := slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == `"C"` })
		const addTag = "use --build-tags with a tag that includes "
		switch line, byName := syntax.GoBuild(file), syntax.NameConstraint(name); {
		case line == "//go:build ignore":
			return exclusion{name, line, "remove the build constraint from "}
		case line != "":
			return exclusion{name, line, addTag}
		case byName != nil:
			return exclusion{name, "a name that means //go:build " + byName.String(), addTag}
		case importsC && !build.Default.CgoEnabled:
			return exclusion{name, importC, "set CGO_ENABLED=1 to include "}
		}
	}
	return exclusion{}
}
