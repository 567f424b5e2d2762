package load

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
)

// describe describes the package as far as its syntax tells. candidates adds the types without a
// marker that have a list type.
func (src *source) describe(candidates bool) (*input.Package, *typeReader) {
	pkg := &input.Package{Path: src.path, Dependency: src.dependency, Declared: src.declared()}
	types := newTypeReader(src)
	for _, file := range src.files {
		pkg.Name = file.Name.Name
		src.addPackageMarkers(pkg, file)
		types.addFile(file)
	}
	pkg.GroupVersion = src.declaredGroupVersion()
	pkg.HasAddToScheme = src.hasAddToScheme()
	pkg.Types = types.marked(candidates)
	return pkg, types
}

// addPackageMarkers adds the markers above the package clause. The position of the package is the
// clause below the first marker, of any tool, or else the first clause.
func (src *source) addPackageMarkers(pkg *input.Package, file *ast.File) {
	var found markers.List
	for _, group := range file.Comments {
		if group.Pos() < file.Package {
			found = append(found, markersOf(src.fset, group, "")...)
		}
	}
	if !pkg.Pos.IsValid() || len(found) > 0 && len(pkg.Markers) == 0 {
		pkg.Pos = src.fset.Position(file.Package)
	}
	pkg.Markers = append(pkg.Markers, found...)
}

// declared returns the package's top-level names.
func (src *source) declared() map[string]bool {
	names := map[string]bool{}
	for _, file := range src.files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					names[decl.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							names[name.Name] = true
						}
					case *ast.TypeSpec:
						names[spec.Name.Name] = true
					}
				}
			}
		}
	}
	return names
}

// declaredGroupVersion looks for
//
//	var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1"}
//
// under the name of code-generator or, failing that, of kubebuilder. One that is of another
// type is second choice.
func (src *source) declaredGroupVersion() input.DeclaredGroupVersion {
	values := src.packageValues()
	var found input.DeclaredGroupVersion
	for _, name := range []string{"SchemeGroupVersion", "GroupVersion"} {
		value, ok := values[name]
		if !ok {
			continue
		}
		declared := src.groupVersionOf(name, value, values)
		if !declared.OtherType {
			return declared
		}
		if found.Name == "" {
			found = declared
		}
	}
	return found
}

// groupVersionOf reads the group and version in a variable or constant.
func (src *source) groupVersionOf(name string, value packageValue, values map[string]packageValue) input.DeclaredGroupVersion {
	declared := input.DeclaredGroupVersion{Name: name, OtherType: value.isNoGroupVersion(), Pos: src.fset.Position(value.name.Pos())}
	expr := value.expr
	if pointer, ok := expr.(*ast.UnaryExpr); ok {
		expr = pointer.X
	}
	literal, ok := expr.(*ast.CompositeLit)
	if !ok {
		return declared
	}
	for n, element := range literal.Elts {
		name, value := fieldOf(element, n)
		switch name {
		case "Group":
			declared.Group, declared.GroupKnown = stringValue(value, values)
		case "Version":
			declared.Version, declared.VersionKnown = stringValue(value, values)
		}
	}
	return declared
}

// isNoGroupVersion reports whether syntax shows that a value is not a schema.GroupVersion.
func (v packageValue) isNoGroupVersion() bool {
	if v.isConst {
		return true
	}
	for _, expr := range []ast.Expr{v.declaredType, v.expr} {
		switch expr := expr.(type) {
		case *ast.BasicLit, *ast.BinaryExpr, *ast.FuncLit, *ast.FuncType, *ast.StarExpr, *ast.UnaryExpr:
			return true
		case *ast.Ident:
			if expr.Name == "string" {
				return true
			}
		case *ast.CompositeLit:
			// The type may be an alias of any name.
			if of, ok := expr.Type.(*ast.SelectorExpr); ok && strings.HasPrefix(of.Sel.Name, "Group") && of.Sel.Name != "GroupVersion" {
				return true
			}
		}
	}
	return false
}

// hasAddToScheme reports whether AddToScheme is a variable, or a function that takes and
// returns as much as func(*runtime.Scheme) error.
func (src *source) hasAddToScheme() bool {
	if value, ok := src.packageValues()["AddToScheme"]; ok {
		return !value.isConst
	}
	for _, file := range src.files {
		for _, decl := range file.Decls {
			if function, ok := decl.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == "AddToScheme" {
				return function.Type.TypeParams == nil && function.Type.Params.NumFields() == 1 && function.Type.Results.NumFields() == 1
			}
		}
	}
	return false
}

// fieldOf returns the field of a schema.GroupVersion that the nth element of a
// literal sets, and its value.
func fieldOf(element ast.Expr, n int) (name string, value ast.Expr) {
	if field, ok := element.(*ast.KeyValueExpr); ok {
		if key, ok := field.Key.(*ast.Ident); ok {
			return key.Name, field.Value
		}
		return "", nil
	}
	if n == 0 {
		return "Group", element
	}
	return "Version", element
}

// packageValue is a constant or variable of the package.
type packageValue struct {
	name *ast.Ident
	// declaredType and expr are nil where the declaration leaves them out.
	declaredType, expr ast.Expr
	isConst            bool
}

func (src *source) packageValues() map[string]packageValue {
	values := map[string]packageValue{}
	for _, file := range src.files {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR && gen.Tok != token.CONST {
				continue
			}
			for _, spec := range gen.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, name := range spec.Names {
					value := packageValue{name: name, declaredType: spec.Type, isConst: gen.Tok == token.CONST}
					if i < len(spec.Values) {
						value.expr = spec.Values[i]
					}
					values[name.Name] = value
				}
			}
		}
	}
	return values
}

// stringValue is the value of a literal, or of a constant of the package that is
// one.
func stringValue(expr ast.Expr, values map[string]packageValue) (string, bool) {
	if name, ok := expr.(*ast.Ident); ok {
		expr = values[name.Name].expr
	}
	if selector, ok := expr.(*ast.SelectorExpr); ok && selector.Sel.Name == "APIVersionInternal" {
		return input.InternalVersion, true // of k8s.io/apimachinery/pkg/runtime
	}
	literal, ok := expr.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(literal.Value)
	return s, err == nil
}

// importPath returns what a file's package qualifier stands for, or "".
func importPath(file *ast.File, qualifier string) string {
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name != nil {
			if spec.Name.Name == qualifier {
				return importPath
			}
			continue
		}
		if conventionalName(importPath) == qualifier || path.Base(importPath) == qualifier {
			return importPath
		}
	}
	return ""
}
