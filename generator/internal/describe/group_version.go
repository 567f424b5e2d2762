package describe

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// groupVersion reads a variable such as
//
//	var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1"}
//
// It has the name of code-generator or, failing that, of kubebuilder. A variable of another type is
// used only if neither has the right type.
func groupVersion(src *syntax.Package) input.DeclaredGroupVersion {
	var found input.DeclaredGroupVersion
	for _, name := range []string{"SchemeGroupVersion", "GroupVersion"} {
		value, ok := src.Scope().Values[name]
		if !ok {
			continue
		}
		declared := groupVersionOf(src, value)
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
func groupVersionOf(src *syntax.Package, value syntax.ValueDecl) input.DeclaredGroupVersion {
	declared := input.DeclaredGroupVersion{Name: value.Name.Name, OtherType: !mayBeGroupVersion(value), Pos: src.Position(value.Name.Pos())}
	expr := value.Expr
	if pointer, ok := expr.(*ast.UnaryExpr); ok {
		expr = pointer.X
	}
	literal, ok := expr.(*ast.CompositeLit)
	if !ok {
		return declared
	}
	for n, element := range literal.Elts {
		name := "Version"
		if n == 0 {
			name = "Group"
		}
		if field, ok := element.(*ast.KeyValueExpr); ok {
			key, _ := field.Key.(*ast.Ident)
			if key == nil {
				continue
			}
			name, element = key.Name, field.Value
		}
		switch name {
		case "Group":
			declared.Group, declared.GroupKnown = stringValue(src, element)
		case "Version":
			declared.Version, declared.VersionKnown = stringValue(src, element)
		}
	}
	return declared
}

// mayBeGroupVersion reports whether the syntax allows a value to be a schema.GroupVersion.
func mayBeGroupVersion(v syntax.ValueDecl) bool {
	if v.IsConst() {
		return false
	}
	for _, expr := range []ast.Expr{v.Type, v.Expr} {
		switch expr := expr.(type) {
		case *ast.BasicLit, *ast.BinaryExpr, *ast.FuncLit, *ast.FuncType, *ast.StarExpr, *ast.UnaryExpr:
			return false
		case *ast.Ident:
			if expr.Name == "string" {
				return false
			}
		case *ast.CompositeLit:
			// The type may be an alias of any name.
			of, ok := expr.Type.(*ast.SelectorExpr)
			if ok && strings.HasPrefix(of.Sel.Name, "Group") && of.Sel.Name != "GroupVersion" {
				return false
			}
			if ok && isMeta(v.File, of, "GroupVersion") { // register-gen writes it next to SchemeGroupVersion
				return false
			}
		}
	}
	return true
}

// stringValue returns the value of a literal, or of a constant of the package with a literal.
func stringValue(src *syntax.Package, expr ast.Expr) (string, bool) {
	if name, ok := expr.(*ast.Ident); ok {
		expr = src.Scope().Values[name.Name].Expr
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
