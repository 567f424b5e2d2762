// Package cachewrite finds writes to objects of a cache.
package cachewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/typedinformers/informer-gen/vet/internal/caches"
	"github.com/typedinformers/informer-gen/vet/internal/handlers"
	"github.com/typedinformers/informer-gen/vet/internal/program"
	"github.com/typedinformers/informer-gen/vet/internal/report"
	"github.com/typedinformers/informer-gen/vet/internal/trace"
)

var Analyzer = &analysis.Analyzer{
	Name: "cachewrite",
	Doc: `find writes to objects that came from a cache

Listers, indexers and handlers give the program the object of the cache itself. A write to it, or to a map or a slice of it, changes
what all other readers see, races with them, and hides the difference to the server's state from the program.`,
	URL:       "https://github.com/typedinformers/informer-gen/blob/main/docs/vet.md#cachewrite",
	Requires:  []*analysis.Analyzer{program.Analyzer, handlers.Analyzer},
	FactTypes: []analysis.Fact{(*Uses)(nil)},
	Run:       run,
}

// Uses is the fact of what a function does with its arguments, and which of its results are objects of a cache.
type Uses struct {
	// Arguments has summaries for arguments of depth 0 and 1.
	Arguments map[int][2]trace.Summary
	// Cached has the depths of results from a cache, and From the method that read them.
	Cached map[int]int
	From   string
}

// AFact marks facts.
func (*Uses) AFact() {}

func (u *Uses) String() string { return "uses objects of a cache" }

// origin is a value from a cache.
type origin struct {
	value   ssa.Value
	depth   int
	from    string
	dynamic bool
}

type checker struct {
	pass    *analysis.Pass
	program *program.Program
	tracer  *trace.Tracer
	// cached has the results of functions of this package that come from a cache.
	cached map[*ssa.Function]*Uses
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{pass: pass, program: program.Of(pass), cached: map[*ssa.Function]*Uses{}}
	c.tracer = &trace.Tracer{Program: c.program, Imported: c.imported, Position: c.position}
	params := map[*ssa.Function][]origin{}
	for _, h := range handlers.Of(pass) {
		for _, object := range h.Objects {
			params[h.Fn] = append(params[h.Fn], origin{value: object, from: "the event handler got"})
		}
	}
	// One finding for each object that is written to, because one copy is the fix of all writes to it, and for each place that writes.
	reported := map[ssa.Instruction]bool{}
	places := map[string]bool{}
	for _, fn := range c.program.Funcs {
		for _, o := range slices.Concat(params[fn], c.origins(fn)) {
			// A function literal of the function is followed with it.
			result := c.tracer.Trace(fn, map[ssa.Value]int{o.value: o.depth}, o.dynamic)
			for _, write := range result.Writes {
				if reported[write.Instr] {
					continue
				}
				reported[write.Instr] = true
				if write.At == "" || !places[write.At] {
					c.report(o, write)
				}
				places[write.At] = true
				break
			}
		}
		c.export(fn)
	}
	return nil, nil
}

// origins returns the values in a function that come from a cache.
func (c *checker) origins(fn *ssa.Function) (found []origin) {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			call, is := instr.(*ssa.Call)
			if !is {
				continue
			}
			if read, is := caches.ReadOf(&call.Call); is {
				if !read.Store || c.isInformers(receiver(&call.Call), 0) {
					found = append(found, origin{call, read.Depth, read.Name + " returned", read.Dynamic})
				}
				continue
			}
			if list := unsafeList(&call.Call); list != nil {
				found = append(found, origin{list, 2, "List with UnsafeDisableDeepCopy returned", false})
				continue
			}
			if uses := c.results(&call.Call); uses != nil {
				for result, depth := range uses.Cached {
					for _, value := range resultOf(call, result) {
						found = append(found, origin{value, depth, uses.From, false})
					}
				}
			}
		}
	}
	return found
}

func receiver(call *ssa.CallCommon) ssa.Value {
	if call.IsInvoke() {
		return call.Value
	}
	return call.Args[0]
}

func resultOf(call *ssa.Call, result int) (values []ssa.Value) {
	if call.Call.Signature().Results().Len() == 1 {
		return []ssa.Value{call}
	}
	for _, instr := range *call.Referrers() {
		if extract, is := instr.(*ssa.Extract); is && extract.Index == result {
			values = append(values, extract)
		}
	}
	return values
}

// unsafeList returns the list that client.List fills with objects of the cache.
func unsafeList(call *ssa.CallCommon) ssa.Value {
	if caches.ClientMethod(caches.Callee(call)) != "List" {
		return nil
	}
	args := call.Args
	if !call.IsInvoke() {
		args = args[1:]
	}
	if len(args) < 3 || !disablesCopies(args[2]) {
		return nil
	}
	list := args[1]
	if made, is := list.(*ssa.MakeInterface); is {
		list = made.X
	}
	if _, is := list.(*ssa.Alloc); !is {
		return nil
	}
	return list
}

// disablesCopies reports whether client.UnsafeDisableDeepCopy is among the options.
func disablesCopies(options ssa.Value) bool {
	slice, is := options.(*ssa.Slice)
	if !is {
		return false
	}
	for _, instr := range *slice.X.Referrers() {
		element, is := instr.(*ssa.IndexAddr)
		if !is {
			continue
		}
		for _, use := range *element.Referrers() {
			if store, is := use.(*ssa.Store); is {
				value := store.Val
				if made, is := value.(*ssa.MakeInterface); is {
					value = made.X
				}
				if load, is := value.(*ssa.UnOp); is {
					value = load.X
				}
				if global, is := value.(*ssa.Global); is && global.Name() == "UnsafeDisableDeepCopy" {
					return true
				}
				if path, name := caches.Named(value.Type()); strings.HasPrefix(path, caches.ControllerRuntime) && strings.HasPrefix(name, "UnsafeDisableDeepCopy") {
					return true
				}
			}
		}
	}
	return false
}

// isInformers reports whether a store belongs to an informer, and is not filled by the program.
func (c *checker) isInformers(store ssa.Value, depth int) bool {
	if depth > 5 {
		return false
	}
	switch store := store.(type) {
	case *ssa.Call:
		return caches.IsInformerMethod(caches.Callee(&store.Call), "GetStore", "GetIndexer", "GetTypedIndexer")
	case *ssa.Extract:
		call, is := store.Tuple.(*ssa.Call)
		return is && caches.IsFunc(caches.Callee(&call.Call), caches.ClientGo, "NewInformer", "NewIndexerInformer", "NewInformerWithOptions", "NewTransformingInformer", "NewTransformingIndexerInformer")
	case *ssa.ChangeInterface:
		return c.isInformers(store.X, depth+1)
	case *ssa.UnOp:
		if field, is := store.X.(*ssa.FieldAddr); is {
			return c.fieldIsInformers(field, depth)
		}
	}
	return false
}

// fieldIsInformers reports whether this package stores only informers' stores to a field.
func (c *checker) fieldIsInformers(field *ssa.FieldAddr, depth int) bool {
	stored := false
	for _, fn := range c.program.Funcs {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				store, is := instr.(*ssa.Store)
				if !is {
					continue
				}
				if to, is := store.Addr.(*ssa.FieldAddr); is && to.Field == field.Field && types.Identical(to.X.Type(), field.X.Type()) {
					if !c.isInformers(store.Val, depth+1) {
						return false
					}
					stored = true
				}
			}
		}
	}
	return stored
}

// results returns which results of a call come from a cache; nil if none does.
func (c *checker) results(call *ssa.CallCommon) *Uses {
	if callee := c.program.Callee(call); callee != nil {
		return c.cachedResults(callee)
	}
	fn := caches.Callee(call)
	var fact Uses
	if fn == nil || call.IsInvoke() || fn.Pkg() == c.pass.Pkg || !c.pass.ImportObjectFact(fn, &fact) || len(fact.Cached) == 0 {
		return nil
	}
	return &fact
}

func (c *checker) cachedResults(fn *ssa.Function) *Uses {
	if known, is := c.cached[fn]; is {
		return known
	}
	c.cached[fn] = nil // a function that calls itself
	uses := &Uses{Cached: map[int]int{}}
	for _, o := range c.origins(fn) {
		for result, depth := range c.tracer.Trace(fn, map[ssa.Value]int{o.value: o.depth}, o.dynamic).Returns {
			uses.Cached[result], uses.From = depth, o.from
		}
	}
	if len(uses.Cached) > 0 {
		c.cached[fn] = uses
	}
	return c.cached[fn]
}

func (c *checker) imported(fn *types.Func, argument, depth int) trace.Summary {
	var fact Uses
	if fn.Pkg() == c.pass.Pkg || !c.pass.ImportObjectFact(fn, &fact) {
		return trace.Summary{}
	}
	return fact.Arguments[argument][min(depth, 1)]
}

func (c *checker) export(fn *ssa.Function) {
	obj, is := fn.Object().(*types.Func)
	if !is || !obj.Exported() {
		return
	}
	fact := Uses{Arguments: map[int][2]trace.Summary{}}
	for n, param := range fn.Params {
		if !caches.HasReferences(param.Type()) || caches.Is(param.Type(), "context", "Context") {
			continue
		}
		own, list := c.tracer.Summary(fn, n, 0), c.tracer.Summary(fn, n, 1)
		if own.Writes != "" || len(own.Returns) > 0 || list.Writes != "" || len(list.Returns) > 0 {
			fact.Arguments[n] = [2]trace.Summary{own, list}
		}
	}
	if uses := c.cachedResults(fn); uses != nil {
		fact.Cached, fact.From = uses.Cached, uses.From
	}
	if len(fact.Arguments) > 0 || len(fact.Cached) > 0 {
		c.pass.ExportObjectFact(obj, &fact)
	}
}

func (c *checker) position(pos token.Pos) string {
	p := c.pass.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

func (c *checker) report(o origin, write trace.Write) {
	what, where, advice := "this "+write.What, "", "write to a DeepCopy"
	if write.At != "" {
		what, where, advice = "this call", fmt.Sprintf(" (%s in %s)", write.What, write.At), "pass a DeepCopy"
		if fn := caches.Callee(write.Instr.(ssa.CallInstruction).Common()); fn != nil {
			what = "calling " + fn.Name()
		}
	}
	effect := fmt.Sprintf("changes the object in the cache that %s%s, while others read it; %s", o.from, where, advice)
	if strings.HasPrefix(write.What, "append to ") && !strings.HasPrefix(write.What, "append to a part") {
		effect = fmt.Sprintf("may write to memory of the object in the cache that %s%s, where another append writes too; append to a copy", o.from, where)
	}
	report.Diagnostic(c.pass, analysis.Diagnostic{
		Pos:            trace.Pos(write.Instr),
		Message:        what + " " + effect,
		Related:        []analysis.RelatedInformation{{Pos: o.value.Pos(), Message: "the object comes from here"}},
		SuggestedFixes: c.copies(write),
	})
}

// copies inserts v = v.DeepCopy() before the statement of the write, if v is a variable with the object itself.
func (c *checker) copies(write trace.Write) []analysis.SuggestedFix {
	pos := trace.Pos(write.Instr)
	file := report.FileOf(c.pass, pos)
	if file == nil {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(file, pos, pos)
	for n, node := range path {
		statement, is := node.(ast.Stmt)
		if !is || n+1 == len(path) {
			continue
		}
		if _, is := path[n+1].(*ast.BlockStmt); !is {
			return nil
		}
		name := root(c.pass, statement)
		if name == nil {
			return nil
		}
		variable, is := c.pass.TypesInfo.Uses[name].(*types.Var)
		if !is || variable.Pkg() == nil || variable.Parent() == variable.Pkg().Scope() || !copiesItself(variable.Type()) {
			return nil
		}
		indent := "\n" + strings.Repeat("\t", c.pass.Fset.Position(statement.Pos()).Column-1)
		return []analysis.SuggestedFix{{
			Message:   "Copy the object before the write",
			TextEdits: []analysis.TextEdit{{Pos: statement.Pos(), End: statement.Pos(), NewText: []byte(name.Name + " = " + name.Name + ".DeepCopy()" + indent)}},
		}}
	}
	return nil
}

// root returns the variable that an assignment, or a call of a method, writes through.
func root(pass *analysis.Pass, statement ast.Stmt) *ast.Ident {
	var expr ast.Expr
	switch statement := statement.(type) {
	case *ast.AssignStmt:
		if len(statement.Lhs) != 1 {
			return nil
		}
		expr = statement.Lhs[0]
	case *ast.IncDecStmt:
		expr = statement.X
	case *ast.ExprStmt:
		call, is := statement.X.(*ast.CallExpr)
		if !is {
			return nil
		}
		selector, is := call.Fun.(*ast.SelectorExpr)
		if !is || pass.TypesInfo.Selections[selector] == nil {
			return nil
		}
		expr = selector.X
	}
	for {
		switch e := expr.(type) {
		case *ast.Ident:
			return e
		case *ast.SelectorExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.ParenExpr:
			expr = e.X
		default:
			return nil
		}
	}
}

// copiesItself reports whether t is a pointer to an object, whose DeepCopy returns the same type. A copy of a part of an object would
// not be in the object.
func copiesItself(t types.Type) bool {
	if _, is := t.Underlying().(*types.Pointer); !is {
		return false
	}
	if labels, _, _ := types.LookupFieldOrMethod(t, false, nil, "GetLabels"); labels == nil {
		return false
	}
	method, _, _ := types.LookupFieldOrMethod(t, false, nil, "DeepCopy")
	fn, is := method.(*types.Func)
	return is && fn.Signature().Results().Len() == 1 && types.Identical(fn.Signature().Results().At(0).Type(), t)
}
