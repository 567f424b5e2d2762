package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// GeneratedFiles are the names of the files that a run may write to API packages.
var GeneratedFiles = []string{model.DeepCopyFile, model.RegisterFile}

// writes reports whether the run writes a file of that name to the API packages of the main module.
func (o Options) writes(name string) bool {
	return o.AllTypes && name == model.DeepCopyFile || o.Registers && name == model.RegisterFile
}

// dropGenerated removes the files that an earlier run wrote to a package of the main module, so that
// every run reads the same: what the user has written. A file that this run does not write stays, like
// any other file of the package, unless everything in it is declared in other files too. dropGenerated
// returns the names of the removed files, which need not parse.
func (src *source) dropGenerated(options Options) (dropped []string) {
	for i := len(src.files) - 1; i >= 0 && len(src.files) > 1; i-- {
		name := filepath.Base(src.names[i])
		if src.dependency || !slices.Contains(GeneratedFiles, name) || !src.isGenerated(i, options.Header) {
			continue
		}
		if options.writes(name) || src.failures[i] == nil && src.isRepeated(i) {
			dropped = append(dropped, name)
			src.names, src.files, src.failures = slices.Delete(src.names, i, i+1), slices.Delete(src.files, i, i+1), slices.Delete(src.failures, i, i+1)
		}
	}
	return dropped
}

// isOutput reports whether a package is in a folder that the run writes.
func (o Options) isOutput(importPath string) bool {
	return slices.ContainsFunc(o.emitted, func(root string) bool { return importPath == root || strings.HasPrefix(importPath, root+"/") })
}

// hasEmitted reports whether a run has written files of a package that is no API package.
func (src *source) hasEmitted(header string) bool {
	for i, name := range src.names {
		if !slices.Contains(GeneratedFiles, filepath.Base(name)) && src.isGenerated(i, header) {
			return true
		}
	}
	return false
}

// isGenerated reports whether a file has the header of the generator above its package clause.
func (src *source) isGenerated(i int, header string) bool {
	file := src.files[i]
	if src.failures[i] != nil {
		file, _ = parser.ParseFile(token.NewFileSet(), src.names[i], nil, parser.PackageClauseOnly|parser.ParseComments)
	}
	return file != nil && slices.ContainsFunc(file.Comments, func(group *ast.CommentGroup) bool {
		return group.Pos() < file.Package && slices.ContainsFunc(group.List, func(c *ast.Comment) bool { return c.Text == header })
	})
}

// isRepeated reports whether other files declare everything that a file declares.
func (src *source) isRepeated(i int) bool {
	others := map[string]bool{}
	for n, file := range src.files {
		if n != i && file != nil {
			for _, name := range namesIn(file) {
				others[name] = true
			}
		}
	}
	return !slices.ContainsFunc(namesIn(src.files[i]), func(name string) bool { return !others[name] })
}

// namesIn returns the names that a file declares, and its methods as Type.Method. It leaves out init
// and the blank identifier.
func namesIn(file *ast.File) (names []string) {
	add := func(name string) {
		if name != "init" && name != "_" {
			names = append(names, name)
		}
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv != nil {
				names = append(names, receiver(decl)+"."+decl.Name.Name)
			} else {
				add(decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						add(name.Name)
					}
				}
			}
		}
	}
	return names
}
