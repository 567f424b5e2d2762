package generator

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// dropExpanded removes the methods of +kubebuilder:subresource:scale that the user has written for the client of a kind.
func dropExpanded(run *input.Run, set *model.Set) {
	isOfScale := func(m *model.Method) bool { return m.FromScale }
	for _, k := range set.Kinds() {
		if !slices.ContainsFunc(k.Methods, isOfScale) {
			continue
		}
		written := methodsIn(filepath.Join(run.OutputDir, filepath.FromSlash(set.Layout.Typed(k.GroupVersion))), k.PluralPrivate)
		k.Methods = slices.DeleteFunc(k.Methods, func(m *model.Method) bool { return m.FromScale && slices.Contains(written, m.Name) })
	}
}

// methodsIn returns the names of the methods of a type in the files of a folder that no generator has written. The folder may
// be missing, and the files need not compile.
func methodsIn(dir, typeName string) (names []string) {
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
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && len(f.Recv.List) == 1 && receiver(f.Recv.List[0].Type) == typeName {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

// receiver returns the name of a type, or of the type that a pointer points to.
func receiver(expr ast.Expr) string {
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	if name, ok := expr.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}
