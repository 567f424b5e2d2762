package describe

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// hasAddToScheme reports whether AddToScheme is a variable, or a function with as many parameters and
// results as func(*runtime.Scheme) error.
func hasAddToScheme(in *syntax.Scope) bool {
	if value, ok := in.Values["AddToScheme"]; ok {
		return !value.IsConst()
	}
	function := in.Funcs["AddToScheme"]
	return function != nil && function.Type.TypeParams == nil && function.Type.Params.NumFields() == 1 &&
		function.Type.Results.NumFields() == 1
}

// hasOldTypeConverter reports whether NewTypeConverter returns a *TypeConverter.
func hasOldTypeConverter(in *syntax.Scope) bool {
	function := in.Funcs["NewTypeConverter"]
	if function == nil || function.Type.Results.NumFields() != 1 {
		return false
	}
	pointer, ok := function.Type.Results.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	selector, ok := pointer.X.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "TypeConverter"
}

// schemeBuilder returns the form of the package's variable SchemeBuilder.
func schemeBuilder(in *syntax.Scope) input.SchemeBuilder {
	value, ok := in.Values["SchemeBuilder"]
	if !ok {
		if _, isType := in.Types["SchemeBuilder"]; isType || in.Funcs["SchemeBuilder"] != nil {
			return input.OtherBuilder
		}
		return input.NoBuilder
	}
	for _, expr := range []ast.Expr{value.Type, value.Expr} {
		if pointer, ok := expr.(*ast.UnaryExpr); ok {
			expr = pointer.X
		}
		if pointer, ok := expr.(*ast.StarExpr); ok {
			expr = pointer.X
		}
		if literal, ok := expr.(*ast.CompositeLit); ok {
			expr = literal.Type
		}
		if call, ok := expr.(*ast.CallExpr); ok {
			expr = call.Fun
		}
		selector, ok := expr.(*ast.SelectorExpr)
		if !ok || value.IsConst() {
			continue
		}
		qualifier, ok := selector.X.(*ast.Ident)
		if !ok {
			continue
		}
		switch syntax.ImportPath(value.File, qualifier.Name) + "." + selector.Sel.Name {
		case "k8s.io/apimachinery/pkg/runtime.SchemeBuilder", "k8s.io/apimachinery/pkg/runtime.NewSchemeBuilder":
			return input.FuncBuilder
		case "sigs.k8s.io/controller-runtime/pkg/scheme.Builder":
			return input.ObjectBuilder
		}
	}
	return input.OtherBuilder
}

// objects returns the exported structs of the package that are objects on the wire: they embed TypeMeta and
// have a method DeepCopyObject.
func objects(in *syntax.Scope) (names []string) {
	for name, t := range in.Types {
		isDefined := token.IsExported(name) && t.Spec.TypeParams == nil && !t.Spec.Assign.IsValid()
		if isDefined && in.Has(name, "DeepCopyObject") && embeds(in, t, "TypeMeta") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
