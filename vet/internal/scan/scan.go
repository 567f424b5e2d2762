// Package scan finds loops over all objects of a cache that look for a few of them.
package scan

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/typedinformers/informer-gen/vet/internal/caches"
	"github.com/typedinformers/informer-gen/vet/internal/program"
	"github.com/typedinformers/informer-gen/vet/internal/report"
)

var Analyzer = &analysis.Analyzer{
	Name: "scan",
	Doc: `find lists of a cache that are filtered by a field

A list and a loop take time for each object in the cache, and controller-runtime copies each of them. An index finds those with a
value of a field at once.`,
	URL:      "https://github.com/typedinformers/informer-gen/blob/main/docs/vet.md#scan",
	Requires: []*analysis.Analyzer{program.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	if program.Of(pass).Pkg == nil {
		return nil, nil
	}
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if fn, is := decl.(*ast.FuncDecl); is && fn.Body != nil {
				f := finder{pass: pass, body: fn.Body}
				ast.Inspect(fn.Body, func(node ast.Node) bool {
					if loop, is := node.(*ast.RangeStmt); is {
						f.loop(loop)
					}
					return true
				})
			}
		}
	}
	return nil, nil
}

type finder struct {
	pass *analysis.Pass
	body *ast.BlockStmt
}

// list is a call that lists all objects of a cache, or of a namespace.
type list struct {
	call *ast.CallExpr
	// client is set for a client of controller-runtime, and namespace if it lists one.
	client, namespace bool
}

// loop reports a loop over all objects that does something with those alone whose field has a value: it consists of one if statement,
// or begins with some that continue.
func (f finder) loop(loop *ast.RangeStmt) {
	listed := f.listOf(loop.X)
	if listed == nil {
		return
	}
	elements := map[types.Object]bool{}
	if element, is := loop.Value.(*ast.Ident); is {
		elements[f.pass.TypesInfo.Defs[element]] = true
	}
	index, _ := loop.Key.(*ast.Ident)
	for n, statement := range loop.Body.List {
		if f.isElement(statement, index, elements) {
			continue
		}
		check, is := statement.(*ast.IfStmt)
		if !is || check.Init != nil || check.Else != nil {
			return
		}
		skips := isContinue(check.Body)
		if !skips && n+1 < len(loop.Body.List) {
			return
		}
		var found *ast.BinaryExpr
		for _, term := range terms(check.Cond, !skips) {
			if f.pathOf(term.X, elements) == "" {
				term.X, term.Y = term.Y, term.X
			}
			path := f.pathOf(term.X, elements)
			if path == "" || !f.outside(term.Y, loop) {
				continue
			}
			// A name tells more objects apart than a kind or a namespace.
			if found == nil || strings.HasSuffix(strings.ToLower(path), "name") && !strings.HasSuffix(strings.ToLower(f.pathOf(found.X, elements)), "name") {
				found = term
			}
		}
		if found != nil {
			f.report(listed, loop, found, f.pathOf(found.X, elements))
			return
		}
	}
}

// isContinue reports whether a body goes on with the next element.
func isContinue(body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	branch, is := body.List[0].(*ast.BranchStmt)
	return is && branch.Tok == token.CONTINUE && branch.Label == nil
}

// listOf returns the list that a loop reads; nil if it reads something else.
func (f finder) listOf(over ast.Expr) *list {
	switch over := over.(type) {
	case *ast.CallExpr:
		return f.readsCache(over)
	case *ast.Ident: // objects, err := lister.List(labels.Everything())
		if call := f.assigned(f.pass.TypesInfo.Uses[over]); call != nil {
			return f.readsCache(call)
		}
	case *ast.SelectorExpr: // client.List(ctx, &list)
		if variable, is := over.X.(*ast.Ident); is && over.Sel.Name == "Items" {
			return f.filledBy(f.pass.TypesInfo.Uses[variable])
		}
	}
	return nil
}

// assigned returns the call whose first result is the only value of a variable.
func (f finder) assigned(variable types.Object) (found *ast.CallExpr) {
	count := 0
	ast.Inspect(f.body, func(node ast.Node) bool {
		assign, is := node.(*ast.AssignStmt)
		if !is {
			return true
		}
		for n, left := range assign.Lhs {
			name, is := left.(*ast.Ident)
			if !is || f.pass.TypesInfo.ObjectOf(name) != variable {
				continue
			}
			count++
			if call, is := assign.Rhs[0].(*ast.CallExpr); is && n == 0 && len(assign.Rhs) == 1 {
				found = call
			}
		}
		return true
	})
	if count != 1 {
		return nil
	}
	return found
}

func (f finder) method(call *ast.CallExpr) (*types.Func, *ast.SelectorExpr) {
	selector, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return nil, nil
	}
	fn, _ := f.pass.TypesInfo.Uses[selector.Sel].(*types.Func)
	return fn, selector
}

// readsCache returns the list of a lister of all objects; nil for other calls.
func (f finder) readsCache(call *ast.CallExpr) *list {
	fn, _ := f.method(call)
	if fn == nil || fn.Name() != "List" || len(call.Args) != 1 || !caches.IsLister(fn) {
		return nil
	}
	selector, is := call.Args[0].(*ast.CallExpr)
	if !is {
		return nil
	}
	if everything, _ := f.method(selector); !caches.IsFunc(everything, "k8s.io/apimachinery/pkg/labels", "Everything", "NewSelector") {
		return nil
	}
	_, receiver := caches.Named(caches.Receiver(fn))
	return &list{call: call, namespace: strings.Contains(receiver, "NamespaceLister")}
}

// filledBy returns the list that a client of a controller fills a variable with, from all objects or those of a namespace.
func (f finder) filledBy(variable types.Object) (found *list) {
	count := 0
	ast.Inspect(f.body, func(node ast.Node) bool {
		call, is := node.(*ast.CallExpr)
		if !is || len(call.Args) < 2 {
			return true
		}
		target := call.Args[1]
		if address, is := target.(*ast.UnaryExpr); is && address.Op == token.AND {
			target = address.X
		}
		name, is := target.(*ast.Ident)
		if !is || f.pass.TypesInfo.Uses[name] != variable {
			return true
		}
		count++
		if fn, selector := f.method(call); caches.ClientMethod(fn) == "List" && f.isReconcilers(selector.X) && f.all(call.Args[2:]) {
			found = &list{call: call, client: true, namespace: len(call.Args) > 2}
		}
		return true
	})
	if count != 1 {
		return nil
	}
	return found
}

// isReconcilers reports whether a client is in a struct that is a reconciler: it reads from the manager's cache.
func (f finder) isReconcilers(expr ast.Expr) bool {
	owner := f.pass.TypesInfo.TypeOf(expr)
	if selector, is := expr.(*ast.SelectorExpr); is && caches.IsClient(owner, "Client") {
		owner = f.pass.TypesInfo.TypeOf(selector.X) // r.Client.List, and not r.List of an embedded client
	}
	for _, name := range []string{"Reconcile", "SetupWithManager"} {
		if method, _, _ := types.LookupFieldOrMethod(owner, true, f.pass.Pkg, name); method != nil {
			return true
		}
	}
	return false
}

// all reports whether options leave out no object, except for those of other namespaces.
func (f finder) all(options []ast.Expr) bool {
	for _, option := range options {
		switch o := option.(type) {
		case *ast.CallExpr:
			option = o.Fun
		default:
			return false
		}
		if selector, is := option.(*ast.SelectorExpr); !is || selector.Sel.Name != "InNamespace" {
			return false
		}
	}
	return true
}

// isElement reports whether a statement names the element: pod := obj.(*v1.Pod), or pod := &pods.Items[n].
func (f finder) isElement(statement ast.Stmt, index *ast.Ident, elements map[types.Object]bool) bool {
	assign, is := statement.(*ast.AssignStmt)
	if !is || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return false
	}
	name, is := assign.Lhs[0].(*ast.Ident)
	if !is {
		return false
	}
	value := assign.Rhs[0]
	if address, is := value.(*ast.UnaryExpr); is {
		value = address.X
	}
	if assertion, is := value.(*ast.TypeAssertExpr); is {
		value = assertion.X
	}
	switch value := value.(type) {
	case *ast.Ident:
		if !elements[f.pass.TypesInfo.Uses[value]] {
			return false
		}
	case *ast.IndexExpr:
		n, is := value.Index.(*ast.Ident)
		if !is || index == nil || f.pass.TypesInfo.Uses[n] != f.pass.TypesInfo.Defs[index] {
			return false
		}
	default:
		return false
	}
	elements[f.pass.TypesInfo.Defs[name]] = true
	return true
}

// terms returns the comparisons that all objects of interest pass: those joined with && for equal, with || for the opposite.
func terms(condition ast.Expr, equal bool) []*ast.BinaryExpr {
	binary, is := ast.Unparen(condition).(*ast.BinaryExpr)
	if !is {
		return nil
	}
	join, compare := token.LAND, token.EQL
	if !equal {
		join, compare = token.LOR, token.NEQ
	}
	switch binary.Op {
	case join:
		return append(terms(binary.X, equal), terms(binary.Y, equal)...)
	case compare:
		term := *binary
		return []*ast.BinaryExpr{&term}
	}
	return nil
}

// pathOf returns the path of a field of the element, such as spec.nodeName; "" for other expressions.
func (f finder) pathOf(expr ast.Expr, elements map[types.Object]bool) string {
	var path []string
	if pointer, is := ast.Unparen(expr).(*ast.StarExpr); is {
		expr = pointer.X
	}
	for {
		switch e := expr.(type) {
		case *ast.SelectorExpr:
			selection := f.pass.TypesInfo.Selections[e]
			if selection == nil || selection.Kind() != types.FieldVal {
				return ""
			}
			path = append([]string{jsonName(selection)}, path...)
			expr = e.X
		case *ast.Ident:
			if !elements[f.pass.TypesInfo.Uses[e]] {
				return ""
			}
			return strings.Join(path, ".")
		default:
			return ""
		}
	}
}

// jsonName returns the name of a field in the API.
func jsonName(selection *types.Selection) string {
	t, tag := selection.Recv(), ""
	for _, n := range selection.Index() {
		if pointer, is := t.Underlying().(*types.Pointer); is {
			t = pointer.Elem()
		}
		structure := t.Underlying().(*types.Struct)
		t, tag = structure.Field(n).Type(), structure.Tag(n)
	}
	if name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ","); name != "" {
		return name
	}
	name := selection.Obj().Name()
	return strings.ToLower(name[:1]) + name[1:]
}

// outside reports whether a value is a string that the loop does not change. An index of a field with few values, which constants
// stand for, is of little use.
func (f finder) outside(value ast.Expr, loop *ast.RangeStmt) bool {
	known := f.pass.TypesInfo.Types[value]
	if known.Type == nil {
		return false
	}
	basic, is := known.Type.Underlying().(*types.Basic)
	if !is || basic.Info()&types.IsString == 0 || known.Value != nil {
		return false
	}
	inside := false
	ast.Inspect(value, func(node ast.Node) bool {
		if name, is := node.(*ast.Ident); is {
			if obj := f.pass.TypesInfo.Uses[name]; obj != nil && loop.Pos() <= obj.Pos() && obj.Pos() < loop.End() {
				inside = true
			}
		}
		return true
	})
	return !inside
}

func (f finder) report(listed *list, loop *ast.RangeStmt, filter *ast.BinaryExpr, path string) {
	kind := strings.TrimPrefix(types.TypeString(elementOf(f.pass.TypesInfo.TypeOf(loop.X)), func(*types.Package) string { return "" }), "*")
	what, where := "reads", "in the cache"
	if listed.client {
		what = "copies"
	}
	if listed.namespace {
		where = "of the namespace"
	}
	advice := fmt.Sprintf("add an indexer of %s, and call ByIndex", path)
	switch {
	case path == "name" || path == "metadata.name":
		advice = "call Get"
		if !listed.namespace {
			advice += ", or add an index of the name if the kind has namespaces"
		}
	case path == "namespace" || path == "metadata.namespace":
		advice = "list the namespace"
	case listed.client:
		advice = fmt.Sprintf("call IndexField with %q, and list with MatchingFields", path)
	}
	report.Diagnostic(f.pass, analysis.Diagnostic{
		Pos:     listed.call.Pos(),
		End:     listed.call.End(),
		Message: fmt.Sprintf("each call %s every %s %s to find those whose %s is %s; %s", what, kind, where, path, types.ExprString(filter.Y), advice),
		Related: []analysis.RelatedInformation{{Pos: filter.Pos(), Message: "the filter"}},
	})
}

func elementOf(t types.Type) types.Type {
	if slice, is := t.Underlying().(*types.Slice); is {
		return slice.Elem()
	}
	return t
}
