package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// HasFile reports whether the output folder has a file at a path.
func (l *Loaded) HasFile(path string) bool {
	_, err := os.Stat(filepath.Join(l.run.OutputDir, filepath.FromSlash(path)))
	return err == nil
}

// MethodsOf returns the names of the methods of a type in the files of a folder of the output folder that no generator has
// written. The folder may be missing, and the files need not compile.
func (l *Loaded) MethodsOf(folder, typeName string) (names []string) {
	dir := filepath.Join(l.run.OutputDir, filepath.FromSlash(folder))
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		content, err := regular.ReadFile(name)
		if err != nil {
			continue
		}
		file, _ := parser.ParseFile(token.NewFileSet(), name, content, parser.ParseComments|parser.SkipObjectResolution)
		if file == nil || ast.IsGenerated(file) {
			continue
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && syntax.Receiver(f) == typeName {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}
