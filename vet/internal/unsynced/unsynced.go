// Package unsynced finds caches that are read before they are filled.
package unsynced

import (
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/typedinformers/informer-gen/vet/internal/caches"
	"github.com/typedinformers/informer-gen/vet/internal/handlers"
	"github.com/typedinformers/informer-gen/vet/internal/program"
	"github.com/typedinformers/informer-gen/vet/internal/report"
)

var Analyzer = &analysis.Analyzer{
	Name: "unsynced",
	Doc: `find reads of a cache, and workers, that do not wait until it is synced

Start returns at once. Until the first list is there, the cache is empty, and a program that reads it takes objects for deleted. What
handlers collect is complete when the registration is synced, which is after the informer.`,
	URL:      "https://github.com/typedinformers/informer-gen/blob/main/docs/vet.md#unsynced",
	Requires: []*analysis.Analyzer{program.Analyzer, handlers.Analyzer},
	Run:      run,
}

type checker struct {
	pass    *analysis.Pass
	program *program.Program
	waiting map[*ssa.Function]bool
	reading map[*ssa.Function]bool
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{pass: pass, program: program.Of(pass), waiting: map[*ssa.Function]bool{}, reading: map[*ssa.Function]bool{}}
	for _, fn := range c.program.Funcs {
		c.starts(fn)
		c.collects(fn)
	}
	return nil, nil
}

// starts reads a function that starts informers, and reports what reads a cache after that, if nothing in the function waits.
func (c *checker) starts(fn *ssa.Function) {
	if c.waits(fn) {
		return
	}
	var started ssa.Instruction
	for _, block := range fn.DomPreorder() {
		for _, instr := range block.Instrs {
			call, is := instr.(ssa.CallInstruction)
			if !is {
				continue
			}
			if started == nil {
				if isStart(instr, call.Common()) {
					started = instr
				}
				continue
			}
			if !started.Block().Dominates(block) {
				continue
			}
			if what := c.reads(instr, call.Common()); what != "" {
				report.Diagnostic(c.pass, analysis.Diagnostic{
					Pos:     call.Pos(),
					Message: fmt.Sprintf("%s the cache before it is filled, because nothing waits after the start in line %d; call WaitForCacheSync", what, c.pass.Fset.Position(started.Pos()).Line),
				})
				return
			}
		}
	}
}

// isStart reports whether an instruction starts informers and goes on.
func isStart(instr ssa.Instruction, call *ssa.CallCommon) bool {
	fn := caches.Callee(call)
	if _, is := instr.(*ssa.Go); is {
		return caches.IsInformerMethod(fn, "Run", "RunWithContext")
	}
	_, is := instr.(*ssa.Call)
	return is && caches.IsFactoryMethod(fn, "Start", "StartWithContext")
}

// waits reports whether a function, or one of this package that it calls, may wait for a cache: it calls something with Sync or Wait in its
// name, receives from a channel, or sleeps.
func (c *checker) waits(fn *ssa.Function) bool {
	if known, is := c.waiting[fn]; is {
		return known
	}
	c.waiting[fn] = false // until more is known, in a cycle
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if c.waitsIn(instr) {
				c.waiting[fn] = true
				return true
			}
		}
	}
	return false
}

func (c *checker) waitsIn(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Select:
		return true
	case *ssa.MakeClosure:
		return c.waits(instr.Fn.(*ssa.Function))
	case *ssa.UnOp:
		// Receiving from a channel that ends the program, at the end of the function, is no wait for a cache.
		return instr.Op == token.ARROW && !last(instr)
	case ssa.CallInstruction:
		call := instr.Common()
		if callee := c.program.Callee(call); callee != nil && c.waits(callee) {
			return true
		}
		fn := caches.Callee(call)
		if fn == nil {
			return !isBuiltin(call)
		}
		name := strings.ToLower(fn.Name())
		return strings.Contains(name, "sync") || strings.Contains(name, "sleep") || strings.Contains(name, "wait") && fn.Name() != "Wait" || strings.Contains(name, "poll")
	}
	return false
}

func isBuiltin(call *ssa.CallCommon) bool {
	_, is := call.Value.(*ssa.Builtin)
	return is
}

// last reports whether the function returns after the instruction.
func last(instr ssa.Instruction) bool {
	instrs := instr.Block().Instrs
	_, returns := instrs[len(instrs)-1].(*ssa.Return)
	return returns
}

// reads says what an instruction reads of a cache, or starts to read.
func (c *checker) reads(instr ssa.Instruction, call *ssa.CallCommon) string {
	if read, is := caches.ReadOf(call); is {
		return read.Name + " reads"
	}
	if _, is := instr.(*ssa.Go); !is {
		return ""
	}
	worker := c.program.Callee(call)
	if fn := caches.Callee(call); caches.IsFunc(fn, "k8s.io/apimachinery/pkg/util/wait", "Until", "UntilWithContext") {
		for _, argument := range call.Args {
			switch argument := argument.(type) {
			case *ssa.MakeClosure:
				worker = c.program.Source(argument.Fn.(*ssa.Function))
			case *ssa.Function:
				worker = c.program.Source(argument)
			}
		}
	}
	if worker != nil && !c.waits(worker) && c.readsCache(worker) {
		return "this worker reads"
	}
	return ""
}

// readsCache reports whether a function, or one of this package that it calls, reads a cache.
func (c *checker) readsCache(fn *ssa.Function) bool {
	if known, is := c.reading[fn]; is {
		return known
	}
	c.reading[fn] = false
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			call, is := instr.(ssa.CallInstruction)
			if !is {
				continue
			}
			callee := c.program.Callee(call.Common())
			if _, reads := caches.ReadOf(call.Common()); reads || callee != nil && c.readsCache(callee) {
				c.reading[fn] = true
				return true
			}
		}
	}
	return false
}

// collects finds a variable that a handler fills, and that the function reads after it has waited for the informer only.
func (c *checker) collects(fn *ssa.Function) {
	filled := c.filled(fn)
	if len(filled) == 0 {
		return
	}
	var waited *ssa.Call
	for _, block := range fn.DomPreorder() {
		for _, instr := range block.Instrs {
			switch instr := instr.(type) {
			case *ssa.Call:
				callee := caches.Callee(&instr.Call)
				if caches.IsInformerMethod(callee, "AddEventHandler", "AddEventHandlerWithResyncPeriod", "AddEventHandlerWithOptions") && keepsRegistration(instr) {
					return
				}
				if caches.IsFactoryMethod(callee, "WaitForCacheSync") || caches.IsFunc(callee, caches.ClientGo, "WaitForCacheSync", "WaitForNamedCacheSync") {
					waited = instr
				}
			case *ssa.UnOp:
				if variable, is := instr.X.(*ssa.Alloc); is && waited != nil && filled[variable] && waited.Block().Dominates(block) {
					report.Diagnostic(c.pass, analysis.Diagnostic{
						Pos: instr.Pos(),
						Message: fmt.Sprintf("%s may lack objects: the wait in line %d ends when the informer is synced, and its handler comes after it; wait for HasSynced of the registration that AddEventHandler returns",
							variable.Comment, c.pass.Fset.Position(waited.Pos()).Line),
					})
					return
				}
			}
		}
	}
}

func keepsRegistration(call *ssa.Call) bool {
	for _, instr := range *call.Referrers() {
		if extract, is := instr.(*ssa.Extract); is && extract.Index == 0 {
			return true
		}
	}
	return false
}

// filled returns the variables of a function that an event handler in it stores to.
func (c *checker) filled(fn *ssa.Function) map[*ssa.Alloc]bool {
	found := map[*ssa.Alloc]bool{}
	for _, h := range handlers.Of(c.pass) {
		if h.Fn.Parent() != fn || h.Role != handlers.Add {
			continue
		}
		bindings := bindingsOf(fn, h.Fn)
		for n, free := range h.Fn.FreeVars {
			variable, is := bindings[n].(*ssa.Alloc)
			if is && writesTo(free) {
				found[variable] = true
			}
		}
	}
	return found
}

func bindingsOf(fn, literal *ssa.Function) []ssa.Value {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if closure, is := instr.(*ssa.MakeClosure); is && closure.Fn == literal {
				return closure.Bindings
			}
		}
	}
	return nil
}

// writesTo reports whether a function literal stores to a captured variable, or to the map in it.
func writesTo(free *ssa.FreeVar) bool {
	for _, instr := range *free.Referrers() {
		switch instr := instr.(type) {
		case *ssa.Store:
			if instr.Addr == free {
				return true
			}
		case *ssa.UnOp:
			for _, use := range *instr.Referrers() {
				if update, is := use.(*ssa.MapUpdate); is && update.Map == instr {
					return true
				}
			}
		}
	}
	return false
}
