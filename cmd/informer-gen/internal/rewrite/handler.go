package rewrite

import (
	"go/ast"
	"go/types"
	"strings"
)

// handler rewrites a handler that is a literal of client-go's package cache, and reports whether it is one.
func (f *file) handler(expression ast.Expr, kind types.Type) bool {
	if address, ok := expression.(*ast.UnaryExpr); ok {
		expression = address.X
	}
	literal, name := f.handlerLiteral(expression)
	if literal == nil || !f.isRewritable(literal) {
		return false
	}
	object := f.typeText(kind)
	f.handlers = append(f.handlers, handlerType{literal.Type.(*ast.SelectorExpr), name, object})
	for _, element := range literal.Elts {
		pair := element.(*ast.KeyValueExpr)
		switch field := pair.Key.(*ast.Ident).Name; field {
		case "Handler":
			f.handler(pair.Value, kind)
		case "UpdateFunc":
			f.function(pair.Value, object, kind, []string{"oldObject", "newObject"}, "")
		case "FilterFunc":
			f.function(pair.Value, object, kind, []string{"object"}, " bool")
		default:
			f.function(pair.Value, object, kind, []string{"object", "_"}, "")
		}
	}
	return true
}

// handlerLiteral returns a literal of a handler, and its typed name; nil for another expression.
func (f *file) handlerLiteral(expression ast.Expr) (literal *ast.CompositeLit, name string) {
	literal, ok := expression.(*ast.CompositeLit)
	if !ok {
		return nil, ""
	}
	selector, ok := literal.Type.(*ast.SelectorExpr)
	if !ok || f.info.Uses[selector.Sel] == nil || f.info.Uses[selector.Sel].Pkg() == nil || f.info.Uses[selector.Sel].Pkg().Path() != clientCache {
		return nil, ""
	}
	switch name := selector.Sel.Name; name {
	case handlerFuncs, "FilteringResourceEventHandler":
		return literal, name
	case "ResourceEventHandlerDetailedFuncs":
		return literal, handlerFuncs
	}
	return nil, ""
}

// isRewritable reports whether all fields of a handler have names, and the handler in it is a literal too.
func (f *file) isRewritable(literal *ast.CompositeLit) bool {
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		if key, ok := pair.Key.(*ast.Ident); !ok {
			return false
		} else if key.Name == "Handler" {
			inner, _ := f.handlerLiteral(pair.Value)
			if inner == nil || !f.isRewritable(inner) {
				return false
			}
		}
	}
	return true
}

// function gives the functions of a handler their type. The names are those of the parameters, of which "_" is a bool.
func (f *file) function(function ast.Expr, object string, kind types.Type, names []string, result string) {
	signature, ok := f.info.TypeOf(function).(*types.Signature)
	if !ok {
		return // nil
	}
	literal, ok := function.(*ast.FuncLit)
	if !ok {
		f.wrap(function, object, names, signature.Params().Len(), result)
		return
	}
	var params, prelude []string
	var given []*ast.Ident
	for _, field := range literal.Type.Params.List {
		given = append(given, field.Names...)
	}
	for n, name := range names {
		switch {
		case name == "_" && n < signature.Params().Len():
			params = append(params, given[n].Name+" bool")
		case name == "_":
			params = append(params, "_ bool")
		case len(given) == 0 || given[n].Name == "_":
			params = append(params, "_ "+object)
		case f.keepsType(literal.Body, f.info.Defs[given[n]], kind):
			params = append(params, given[n].Name+" "+object)
		default:
			params = append(params, name+" "+object)
			prelude = append(prelude, "\nvar "+given[n].Name+" interface{} = "+name)
		}
	}
	f.replace(literal.Type.Params.Opening+1, literal.Type.Params.Closing, joined(params), "")
	if len(prelude) > 0 {
		f.replace(literal.Body.Lbrace+1, literal.Body.Lbrace+1, strings.Join(prelude, ""), "")
	}
}

// joined returns parameters with one type for neighbors that share it.
func joined(params []string) string {
	for n := range len(params) - 1 {
		name, kind, _ := strings.Cut(params[n], " ")
		if _, next, _ := strings.Cut(params[n+1], " "); kind == next {
			params[n] = name
		}
	}
	return strings.Join(params, ", ")
}

// wrap puts a typed function around one that takes an interface{}.
func (f *file) wrap(function ast.Expr, object string, names []string, given int, result string) {
	var params, args []string
	for n, name := range names {
		switch {
		case name == "_" && n < given:
			params, args = append(params, "isInInitialList bool"), append(args, "isInInitialList")
		case name == "_":
			params = append(params, "_ bool")
		default:
			params, args = append(params, name+" "+object), append(args, name)
		}
	}
	call := f.source(function) + "(" + strings.Join(args, ", ") + ")"
	if result != "" {
		call = "return " + call
	}
	f.replace(function.Pos(), function.End(), "func("+joined(params)+")"+result+" { "+call+" }", "")
}

// keepsType reports whether a body compiles if a parameter has the type of the objects, and rewrites its type assertions. Otherwise it
// changes nothing.
func (f *file) keepsType(body *ast.BlockStmt, param types.Object, kind types.Type) bool {
	var path []ast.Node
	var assertions []*ast.TypeAssertExpr
	keeps := true
	ast.Inspect(body, func(node ast.Node) bool {
		if node == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, node)
		if selector, ok := node.(*ast.SelectorExpr); ok && selector.Sel.Name == "DeletedFinalStateUnknown" {
			f.note(selector.Pos(), "a typed handler never gets a DeletedFinalStateUnknown; remove the code for it")
		}
		ident, ok := node.(*ast.Ident)
		if !ok || f.info.Uses[ident] != param || len(path) < 2 {
			return true
		}
		switch parent := path[len(path)-2].(type) {
		case *ast.TypeAssertExpr:
			isSingle := true
			if assign, ok := path[len(path)-3].(*ast.AssignStmt); ok {
				isSingle = len(assign.Lhs) == len(assign.Rhs)
			}
			if parent.Type == nil || !types.Identical(f.info.TypeOf(parent.Type), kind) || !isSingle {
				keeps = false
			}
			assertions = append(assertions, parent)
		case *ast.CallExpr:
			_, isFunction := f.info.TypeOf(parent.Fun).Underlying().(*types.Signature)
			keeps = keeps && isFunction
		default:
			keeps = false
		}
		return true
	})
	for _, assertion := range assertions {
		if keeps {
			f.replace(assertion.X.End(), assertion.End(), "", "")
		}
	}
	return keeps
}
