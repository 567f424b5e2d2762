package syntax

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Receiver returns the name of the type that has a method. It is empty for func () f(), which parses.
func Receiver(decl *ast.FuncDecl) string {
	if len(decl.Recv.List) == 0 {
		return ""
	}
	return TypeName(decl.Recv.List[0].Type)
}

// TypeName returns the name of a type of the package, or of the type that a pointer points to. It is empty
// for other types.
func TypeName(expr ast.Expr) string {
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	switch generic := expr.(type) {
	case *ast.IndexExpr:
		expr = generic.X
	case *ast.IndexListExpr:
		expr = generic.X
	}
	if name, ok := expr.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// EmbeddedName returns the name of an embedded field, or nil. As in go/types, it is the name of the type.
func EmbeddedName(expr ast.Expr) *ast.Ident {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return EmbeddedName(expr.X)
	case *ast.IndexExpr:
		return EmbeddedName(expr.X)
	case *ast.IndexListExpr:
		return EmbeddedName(expr.X)
	case *ast.SelectorExpr:
		return expr.Sel
	case *ast.Ident:
		return expr
	}
	return nil
}

// ImportPath returns the import path that a qualifier stands for in a file, or "".
func ImportPath(file *ast.File, qualifier string) string {
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		switch {
		case err != nil:
		case spec.Name != nil && spec.Name.Name == qualifier,
			spec.Name == nil && (ConventionalName(importPath) == qualifier || path.Base(importPath) == qualifier):
			return importPath
		}
	}
	return ""
}

// ConventionalName returns the usual name of the package with an import path, without characters that an
// identifier cannot have.
func ConventionalName(importPath string) string {
	return strings.ReplaceAll(strings.TrimPrefix(path.Base(importPath), "go-"), "-", "")
}

// IsDot reports whether an import has a dot as its name.
func IsDot(spec *ast.ImportSpec) bool { return spec.Name != nil && spec.Name.Name == "." }

// HasDotImport reports whether a file imports a package with a dot, so that any name may be of that package.
func HasDotImport(file *ast.File) bool { return slices.ContainsFunc(file.Imports, IsDot) }

// Declared returns the names that a file declares, and its methods as Type.Method. It leaves out init
// and the blank identifier.
func Declared(file *ast.File) (names []string) {
	add := func(name string) {
		if name != "init" && name != "_" {
			names = append(names, name)
		}
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv != nil {
				names = append(names, Receiver(decl)+"."+decl.Name.Name)
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
