package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// typedInformer returns the type of the objects of an informer that becomes typed.
func (f *file) typedInformer(expression ast.Expr) (object types.Type, ok bool) {
	switch e := expression.(type) {
	case *ast.Ident:
		object, ok = f.locals[f.info.Uses[e]]
		return object, ok
	case *ast.CallExpr:
		selector, isSelector := e.Fun.(*ast.SelectorExpr)
		if !isSelector || selector.Sel.Name != "Informer" || len(e.Args) > 0 || !f.isGeneratedMethod(selector) {
			return nil, false
		}
		return objectOf(f.info.TypeOf(selector.X))
	}
	return nil, false
}

// isGeneratedMethod reports whether a selector is a method of generated code.
func (f *file) isGeneratedMethod(selector *ast.SelectorExpr) bool {
	selection := f.info.Selections[selector]
	return selection != nil && selection.Obj().Pkg() != nil && f.isGenerated(selection.Obj().Pkg().Path())
}

// objectOf returns the type of the objects that the lister of an informer of generated code returns.
func objectOf(informer types.Type) (types.Type, bool) {
	lister := resultOf(informer, "Lister")
	if lister == nil {
		return nil, false
	}
	list, ok := resultOf(lister, "List").(*types.Slice)
	if !ok { // a lister of client-go without List returns one for a namespace
		return nil, false
	}
	return list.Elem(), true
}

// resultOf returns the type of the first result of a method; nil if there is none.
func resultOf(receiver types.Type, method string) types.Type {
	object, _, _ := types.LookupFieldOrMethod(receiver, true, nil, method)
	function, ok := object.(*types.Func)
	if !ok || function.Signature().Results().Len() == 0 {
		return nil
	}
	return function.Signature().Results().At(0).Type()
}

// findLocals finds the variables that are set once, to an informer that becomes typed.
func (f *file) findLocals() {
	isSetAgain := map[types.Object]bool{}
	defined := map[types.Object]ast.Expr{}
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			for n, left := range node.Lhs {
				ident, ok := left.(*ast.Ident)
				if !ok {
					continue
				}
				if object := f.info.Defs[ident]; object != nil && len(node.Lhs) == len(node.Rhs) {
					defined[object] = node.Rhs[n]
				} else if object := f.info.Uses[ident]; object != nil {
					isSetAgain[object] = true
				}
			}
		case *ast.UnaryExpr:
			if ident, ok := node.X.(*ast.Ident); ok && node.Op == token.AND {
				isSetAgain[f.info.Uses[ident]] = true
			}
		}
		return true
	})
	for object, value := range defined {
		if kind, ok := f.typedInformer(value); ok && !isSetAgain[object] {
			f.locals[object] = kind
		}
	}
}

// rewrite visits all uses of informers and factories.
func (f *file) rewrite() {
	f.findLocals()
	var path []ast.Node
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		if node == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, node)
		switch node := node.(type) {
		case *ast.CallExpr:
			f.factoryCall(node)
		}
		if expression, ok := node.(ast.Expr); ok {
			if kind, ok := f.typedInformer(expression); ok {
				f.use(expression, kind, path[:len(path)-1])
			}
		}
		return true
	})
	f.finish()
}

// same are the methods that both forms of an informer have.
var same = map[string]bool{"HasSynced": true, "LastSyncResourceVersion": true}

// use rewrites a use of an informer that becomes typed. path are the nodes around it.
func (f *file) use(informer ast.Expr, kind types.Type, path []ast.Node) {
	around := func(n int) ast.Node {
		if len(path) < n {
			return nil
		}
		return path[len(path)-n]
	}
	switch parent := around(1).(type) {
	case *ast.ExprStmt:
		return
	case *ast.AssignStmt:
		for n, value := range parent.Rhs {
			if value != informer || len(parent.Lhs) != len(parent.Rhs) {
				continue
			}
			if ident, ok := parent.Lhs[n].(*ast.Ident); ok && (ident.Name == "_" || f.locals[f.info.Defs[ident]] != nil) {
				return
			}
		}
	case *ast.SelectorExpr:
		call, isCall := around(2).(*ast.CallExpr)
		switch name := parent.Sel.Name; {
		case same[name]:
			return
		case isCall && call.Fun == parent && name == "AddEventHandler" && len(call.Args) == 1 && f.handler(call.Args[0], kind):
			return
		case isCall && call.Fun == parent && name == "AddEventHandlerWithResyncPeriod" && len(call.Args) == 2 && f.handler(call.Args[0], kind):
			f.replace(parent.Sel.Pos(), parent.Sel.End(), "AddEventHandler", "")
			f.periods = append(f.periods, call.Args[1])
			return
		case isCall && call.Fun == parent && (name == "Run" || name == "RunWithContext") && len(call.Args) == 1:
			f.replace(parent.Sel.Pos(), parent.Sel.End(), "Run", "")
			f.context(call.Args[0])
			return
		case name == "GetIndexer" && isCall && (f.isListerOf(around(3), call) || f.writesTyped(around(3), around(4), around(5), kind)):
			return
		}
	}
	f.replace(informer.Pos(), informer.Pos(), f.nameOf(adapter, "clientgo")+".SharedIndexInformer(", "use the informer as one of client-go")
	f.replace(informer.End(), informer.End(), ")", "")
}

// writesTyped reports whether nodes are a write of an object of the type to an indexer, whose result is not used. The typed one has none.
func (f *file) writesTyped(method, call, statement ast.Node, kind types.Type) bool {
	selector, isMethod := method.(*ast.SelectorExpr)
	write, isCall := call.(*ast.CallExpr)
	_, isUnused := statement.(*ast.ExprStmt)
	return isMethod && isCall && isUnused && len(write.Args) == 1 && types.Identical(f.info.TypeOf(write.Args[0]), kind) &&
		(selector.Sel.Name == "Add" || selector.Sel.Name == "Update" || selector.Sel.Name == "Delete")
}

// isListerOf reports whether a node is a call of a generated function NewFooLister with an argument.
func (f *file) isListerOf(node ast.Node, argument ast.Expr) bool {
	call, ok := node.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || call.Args[0] != argument {
		return false
	}
	function := f.functionOf(call)
	return function != nil && strings.HasPrefix(function.Name(), "New") && strings.HasSuffix(function.Name(), "Lister")
}

// functionOf returns the generated function that is called; nil if it is another one.
func (f *file) functionOf(call *ast.CallExpr) *types.Func {
	ident, ok := call.Fun.(*ast.Ident)
	if selector, isSelector := call.Fun.(*ast.SelectorExpr); isSelector {
		ident, ok = selector.Sel, true
	}
	if !ok {
		return nil
	}
	function, ok := f.info.Uses[ident].(*types.Func)
	if !ok || function.Pkg() == nil || !f.isGenerated(function.Pkg().Path()) {
		return nil
	}
	return function
}

// factoryCall rewrites a call of a generated factory, or of a function that makes one.
func (f *file) factoryCall(call *ast.CallExpr) {
	function := f.functionOf(call)
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if function == nil || !ok {
		return
	}
	switch name := function.Name(); {
	case name == "NewSharedInformerFactoryWithOptions":
		f.replace(selector.Sel.Pos(), selector.Sel.End(), "NewSharedInformerFactory", "call NewSharedInformerFactory")
	case name == "NewFilteredSharedInformerFactory" && len(call.Args) == 4:
		pkg := f.source(selector.X)
		f.replace(selector.Sel.Pos(), selector.Sel.End(), "NewSharedInformerFactory", "call NewSharedInformerFactory")
		f.replace(call.Args[2].Pos(), call.Args[3].End(), pkg+".WithNamespace("+f.source(call.Args[2])+"), "+pkg+".WithTweakListOptions("+f.source(call.Args[3])+")", "")
	case function.Signature().Recv() == nil || len(call.Args) != 1:
	case name == "Start" || name == "WaitForCacheSync":
		f.context(call.Args[0])
	case name == "StartWithContext" || name == "WaitForCacheSyncWithContext":
		f.replace(selector.Sel.Pos(), selector.Sel.End(), strings.TrimSuffix(name, "WithContext"), "call "+strings.TrimSuffix(name, "WithContext"))
	}
}

// context replaces a stop channel by a context.
func (f *file) context(channel ast.Expr) {
	if _, ok := f.info.TypeOf(channel).Underlying().(*types.Chan); !ok {
		return
	}
	if call, ok := channel.(*ast.CallExpr); ok {
		if selector, ok := call.Fun.(*ast.SelectorExpr); ok && selector.Sel.Name == "Done" && types.TypeString(f.info.TypeOf(selector.X), nil) == "context.Context" {
			f.replace(channel.Pos(), channel.End(), f.source(selector.X), "pass the context")
			return
		}
	}
	f.replace(channel.Pos(), channel.Pos(), f.nameOf(waitPackage, "wait")+".ContextForChannel(", "pass a context")
	f.replace(channel.End(), channel.End(), ")", "")
}
