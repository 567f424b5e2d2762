// Package tombstone finds delete handlers that do not expect a DeletedFinalStateUnknown.
package tombstone

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/typedinformers/informer-gen/vet/internal/caches"
	"github.com/typedinformers/informer-gen/vet/internal/handlers"
	"github.com/typedinformers/informer-gen/vet/internal/program"
	"github.com/typedinformers/informer-gen/vet/internal/report"
)

var Analyzer = &analysis.Analyzer{
	Name: "tombstone",
	Doc: `find delete handlers that panic on DeletedFinalStateUnknown, or ignore it

If a watch misses a deletion, client-go calls the delete handler, and the filter before it, with a value of this type in place of
the object. An assertion without a check panics, which ends the process, and MetaNamespaceKeyFunc returns an error.`,
	URL:       "https://github.com/typedinformers/informer-gen/blob/main/docs/vet.md#tombstone",
	Requires:  []*analysis.Analyzer{program.Analyzer, handlers.Analyzer},
	FactTypes: []analysis.Fact{(*Asserts)(nil)},
	Run:       run,
}

// Asserts is the fact that a function asserts the type of parameters without a check. The texts say what and where.
type Asserts struct{ Params map[int]string }

// AFact marks facts.
func (*Asserts) AFact() {}

func (a *Asserts) String() string { return "asserts the type of an argument" }

// fault is what happens to a tombstone.
type fault struct {
	instr ssa.Instruction
	// message is a text after "if the watch has missed a deletion, ".
	message string
	// asserted is the type of an assertion in this package.
	asserted string
	key      *types.Func
}

type checker struct {
	pass    *analysis.Pass
	program *program.Program
	visited map[*ssa.Parameter]bool
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{pass: pass, program: program.Of(pass)}
	reported := map[ssa.Instruction]bool{}
	for _, h := range handlers.Of(pass) {
		if !h.Untyped || h.Filtered || h.Role != handlers.Delete && h.Role != handlers.Filter {
			continue
		}
		for _, fault := range c.faults(h.Objects[0]) {
			if reported[fault.instr] || h.Role == handlers.Filter && fault.key != nil {
				continue
			}
			reported[fault.instr] = true
			c.report(fault)
		}
	}
	for _, fn := range c.program.Funcs {
		c.export(fn)
	}
	return nil, nil
}

// export states what an exported function asserts of its parameters that are interfaces without methods.
func (c *checker) export(fn *ssa.Function) {
	obj, is := fn.Object().(*types.Func)
	if !is || !obj.Exported() {
		return
	}
	params := map[int]string{}
	for n, param := range fn.Params {
		if i, is := param.Type().Underlying().(*types.Interface); !is || i.NumMethods() > 0 {
			continue
		}
		for _, fault := range c.faults(param) {
			if fault.key == nil {
				params[n] = fault.message
				break
			}
		}
	}
	if len(params) > 0 {
		c.pass.ExportObjectFact(obj, &Asserts{params})
	}
}

// faults returns what becomes of a tombstone that is an argument.
func (c *checker) faults(param *ssa.Parameter) []fault {
	c.visited = map[*ssa.Parameter]bool{}
	return c.follow(param)
}

func (c *checker) follow(param *ssa.Parameter) (found []fault) {
	if c.visited[param] {
		return nil
	}
	c.visited[param] = true
	aliases := aliasesOf(param)
	guards := guardsOf(aliases)
	for _, alias := range aliases {
		if alias.Referrers() == nil {
			continue
		}
		for _, instr := range *alias.Referrers() {
			guarded := slices.ContainsFunc(guards, func(guard ssa.Instruction) bool { return guard != instr && dominates(guard, instr) })
			if assert, is := instr.(*ssa.TypeAssert); is && isPointer(assert.AssertedType) {
				found = append(found, fault{instr: instr, message: "the handler gets a cache.DeletedFinalStateUnknown, never a pointer to one, and this assertion fails; assert the value"})
			} else if !guarded {
				found = append(found, c.fault(alias, instr)...)
			}
		}
	}
	return found
}

// aliasesOf returns the values that are the argument, also in a function literal and in a variable of its own.
func aliasesOf(param ssa.Value) []ssa.Value {
	aliases := []ssa.Value{param}
	for n := 0; n < len(aliases); n++ {
		if aliases[n].Referrers() == nil {
			continue
		}
		for _, instr := range *aliases[n].Referrers() {
			switch instr := instr.(type) {
			case *ssa.ChangeInterface:
				aliases = append(aliases, instr)
			case *ssa.Store:
				// A variable that a function literal captures, and that nothing else is stored to.
				if cell, is := instr.Addr.(*ssa.Alloc); is && instr.Val == aliases[n] && stores(cell) == 1 {
					for _, use := range *cell.Referrers() {
						if load, is := use.(*ssa.UnOp); is && load.Op == token.MUL {
							aliases = append(aliases, load)
						}
					}
				}
			}
		}
	}
	return aliases
}

func stores(cell *ssa.Alloc) (count int) {
	for _, instr := range *cell.Referrers() {
		switch instr := instr.(type) {
		case *ssa.Store:
			if instr.Addr == cell {
				count++
			}
		case *ssa.MakeClosure:
			count++ // it may store to the variable
		}
	}
	return count
}

// guardsOf returns the instructions after which the program knows what the argument is, or may know it: checked assertions, and calls with
// a bool as a result.
func guardsOf(aliases []ssa.Value) (guards []ssa.Instruction) {
	for _, alias := range aliases {
		if alias.Referrers() == nil {
			continue
		}
		for _, instr := range *alias.Referrers() {
			switch instr := instr.(type) {
			case *ssa.TypeAssert:
				if instr.CommaOk {
					guards = append(guards, instr)
				}
			case *ssa.Call:
				results := instr.Call.Signature().Results()
				for result := range results.Variables() {
					if basic, is := result.Type().Underlying().(*types.Basic); is && basic.Kind() == types.Bool {
						guards = append(guards, instr)
					}
				}
			}
		}
	}
	return guards
}

func dominates(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return false
	}
	if a.Block() == b.Block() {
		return slices.Index(a.Block().Instrs, a) < slices.Index(b.Block().Instrs, b)
	}
	return a.Block().Dominates(b.Block())
}

func (c *checker) fault(value ssa.Value, instr ssa.Instruction) []fault {
	switch instr := instr.(type) {
	case *ssa.TypeAssert:
		if instr.CommaOk || c.holds(instr.AssertedType) {
			return nil
		}
		asserted := types.TypeString(instr.AssertedType, types.RelativeTo(c.pass.Pkg))
		asserted = asserted[strings.LastIndexByte(asserted, '/')+1:]
		if _, is := instr.AssertedType.(*types.Pointer); is {
			asserted = "*" + strings.TrimPrefix(asserted, "*")
		}
		return []fault{{instr: instr, asserted: asserted, message: fmt.Sprintf("this assertion of %s panics, which ends the process", asserted)}}
	case ssa.CallInstruction:
		if _, is := instr.(*ssa.Go); is && instr.Common().IsInvoke() {
			return nil
		}
		return c.callFaults(value, instr)
	}
	return nil
}

// isPointer reports whether t is a pointer to a tombstone, which no handler gets.
func isPointer(t types.Type) bool {
	_, is := t.(*types.Pointer)
	return is && caches.Is(t, caches.ClientGo, caches.Tombstone)
}

// holds reports whether a tombstone has the asserted type.
func (c *checker) holds(t types.Type) bool {
	if caches.Is(t, caches.ClientGo, caches.Tombstone) {
		return true
	}
	return isAny(t)
}

func (c *checker) callFaults(value ssa.Value, instr ssa.CallInstruction) (found []fault) {
	call := instr.Common()
	fn := caches.Callee(call)
	if fn == nil || call.IsInvoke() {
		return nil
	}
	if caches.IsFunc(fn, caches.ClientGo, "MetaNamespaceKeyFunc", "ObjectToName") {
		return []fault{{instr: instr, key: fn, message: fmt.Sprintf("%s returns an error, and the deletion is lost; call DeletionHandling%[1]s", fn.Name())}}
	}
	for n, argument := range call.Args {
		if argument != value {
			continue
		}
		if callee := c.program.Callee(call); callee != nil && n < len(callee.Params) {
			found = append(found, c.follow(callee.Params[n])...)
			continue
		}
		var fact Asserts
		if fn.Pkg() != c.pass.Pkg && c.pass.ImportObjectFact(fn, &fact) && fact.Params[n] != "" {
			found = append(found, fault{instr: instr, message: fmt.Sprintf("in %s, %s", fn.Name(), fact.Params[n])})
		}
	}
	return found
}

func (c *checker) report(f fault) {
	pos := f.instr.Pos()
	finding := analysis.Diagnostic{
		Pos:     pos,
		Message: "if the watch has missed a deletion, " + f.message,
	}
	if f.asserted != "" {
		finding.Message += "; check for cache.DeletedFinalStateUnknown, and use its Obj"
		finding.SuggestedFixes = c.unwrap(f.instr.(*ssa.TypeAssert))
	}
	if f.key != nil {
		finding.SuggestedFixes = c.rename(pos, f.key)
	}
	report.Diagnostic(c.pass, finding)
}

// rename calls the function that knows tombstones. Versions of client-go before v0.30 have one of the two.
func (c *checker) rename(pos token.Pos, fn *types.Func) []analysis.SuggestedFix {
	better := "DeletionHandling" + fn.Name()
	file := report.FileOf(c.pass, pos)
	if file == nil || fn.Pkg().Scope().Lookup(better) == nil {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(file, pos, pos)
	for _, node := range path {
		if call, is := node.(*ast.CallExpr); is {
			if selector, is := call.Fun.(*ast.SelectorExpr); is && selector.Sel.Name == fn.Name() {
				return []analysis.SuggestedFix{{Message: "Call " + better, TextEdits: []analysis.TextEdit{{Pos: selector.Sel.Pos(), End: selector.Sel.End(), NewText: []byte(better)}}}}
			}
			return nil
		}
	}
	return nil
}

// unwrap inserts the check before the statement with the assertion, if that is one of the parameter of a function.
func (c *checker) unwrap(assert *ssa.TypeAssert) []analysis.SuggestedFix {
	file := report.FileOf(c.pass, assert.Pos())
	if file == nil {
		return nil
	}
	imported := ""
	for _, spec := range file.Imports {
		if strings.Trim(spec.Path.Value, `"`) == caches.ClientGo {
			imported = "cache"
			if spec.Name != nil {
				imported = spec.Name.Name
			}
		}
	}
	path, _ := astutil.PathEnclosingInterval(file, assert.Pos(), assert.Pos())
	var name *ast.Ident
	for n, node := range path {
		if expr, is := node.(*ast.TypeAssertExpr); is && name == nil {
			if name, is = expr.X.(*ast.Ident); !is {
				return nil
			}
		}
		statement, is := node.(ast.Stmt)
		if !is || n+1 == len(path) || imported == "" || name == nil {
			continue
		}
		if _, is := path[n+1].(*ast.BlockStmt); !is {
			continue
		}
		if obj, is := c.pass.TypesInfo.Uses[name].(*types.Var); !is || !isAny(obj.Type()) {
			return nil
		}
		indent := "\n" + strings.Repeat("\t", c.pass.Fset.Position(statement.Pos()).Column-1)
		text := fmt.Sprintf("if tombstone, is := %s.(%s.%s); is {%s\t%[1]s = tombstone.Obj%[4]s}%[4]s", name.Name, imported, caches.Tombstone, indent)
		return []analysis.SuggestedFix{{Message: "Unwrap the tombstone", TextEdits: []analysis.TextEdit{{Pos: statement.Pos(), End: statement.Pos(), NewText: []byte(text)}}}}
	}
	return nil
}

func isAny(t types.Type) bool {
	if _, is := types.Unalias(t).(*types.TypeParam); is { // whose underlying type is its constraint
		return false
	}
	i, is := t.Underlying().(*types.Interface)
	return is && i.NumMethods() == 0
}
