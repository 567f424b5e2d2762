// Package blocking finds event handlers that wait.
package blocking

import (
	"fmt"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/typedinformers/informer-gen/vet/internal/caches"
	"github.com/typedinformers/informer-gen/vet/internal/handlers"
	"github.com/typedinformers/informer-gen/vet/internal/program"
	"github.com/typedinformers/informer-gen/vet/internal/report"
	"github.com/typedinformers/informer-gen/vet/internal/trace"
)

var Analyzer = &analysis.Analyzer{
	Name: "blocking",
	Doc: `find requests, sleeps and sends in event handlers

An informer calls a handler with one event after the other. While the handler waits, further events wait in memory, without a limit,
and what the program knows of the cluster grows old.`,
	URL:      "https://github.com/typedinformers/informer-gen/blob/main/docs/vet.md#blocking",
	Requires: []*analysis.Analyzer{program.Analyzer, handlers.Analyzer},
	Run:      run,
}

type checker struct {
	pass     *analysis.Pass
	program  *program.Program
	visited  map[*ssa.Function]bool
	reported map[ssa.Instruction]bool
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{pass: pass, program: program.Of(pass), reported: map[ssa.Instruction]bool{}}
	for _, h := range handlers.Of(pass) {
		c.visited = map[*ssa.Function]bool{}
		c.function(h, h.Fn)
	}
	return nil, nil
}

// function reads a handler, and the functions that it calls.
func (c *checker) function(h handlers.Handler, fn *ssa.Function) {
	if fn == nil || c.visited[fn] {
		return
	}
	c.visited[fn] = true
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			switch instr := instr.(type) {
			case *ssa.Go: // The handler goes on.
			case ssa.CallInstruction:
				if what := waits(instr.Common()); what != "" {
					c.report(h, instr, what)
				} else {
					c.function(h, c.program.Callee(instr.Common()))
				}
			case *ssa.Send:
				if unbuffered(c.program, instr.Chan) {
					c.report(h, instr, "this send waits for a receiver")
				}
			}
		}
	}
}

// waits says what a call waits for; "" if it does not.
func waits(call *ssa.CallCommon) string {
	fn := caches.Callee(call)
	if fn == nil {
		return ""
	}
	if verb := caches.Request(fn); verb != "" {
		return fmt.Sprintf("this %s waits for the API server", verb)
	}
	switch method := caches.ClientMethod(fn); method {
	case "Create", "Update", "Patch", "Delete", "DeleteAllOf", "Apply":
		return fmt.Sprintf("this %s waits for the API server", method)
	}
	switch {
	case caches.IsFunc(fn, "time", "Sleep"):
		return "this sleep"
	case caches.IsFunc(fn, "k8s.io/apimachinery/pkg/util/wait", "Poll", "PollImmediate", "PollInfinite", "PollImmediateInfinite", "PollUntil", "PollUntilContextTimeout", "PollUntilContextCancel", "PollImmediateUntil"):
		return "this poll"
	case caches.Path(fn) == "net/http" && (fn.Name() == "Do" || fn.Name() == "Get" || fn.Name() == "Post") && fn.Signature().Results().Len() == 2:
		return "this request waits for a server"
	}
	return ""
}

// unbuffered reports whether this package makes the channel, and always without a buffer.
func unbuffered(p *program.Program, channel ssa.Value) bool {
	makes := madeAs(p, channel, 0)
	for _, made := range makes {
		size, is := made.Size.(*ssa.Const)
		if !is || size.Int64() != 0 {
			return false
		}
	}
	return len(makes) > 0
}

// madeAs returns where a channel is made; nil if that is not known for sure.
func madeAs(p *program.Program, channel ssa.Value, depth int) (found []*ssa.MakeChan) {
	if depth > 4 {
		return nil
	}
	switch channel := channel.(type) {
	case *ssa.MakeChan:
		return []*ssa.MakeChan{channel}
	case *ssa.ChangeType:
		return madeAs(p, channel.X, depth+1)
	case *ssa.UnOp:
		stored := trace.StoredTo(channel.X)
		if field, is := channel.X.(*ssa.FieldAddr); is && stored == nil {
			stored = storedToField(p, field)
		}
		for _, value := range stored {
			made := madeAs(p, value, depth+1)
			if made == nil {
				return nil
			}
			found = append(found, made...)
		}
	}
	return found
}

// storedToField returns what this package stores to a field, of any struct of the type.
func storedToField(p *program.Program, field *ssa.FieldAddr) (found []ssa.Value) {
	for _, fn := range p.Funcs {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				store, is := instr.(*ssa.Store)
				if !is {
					continue
				}
				if to, is := store.Addr.(*ssa.FieldAddr); is && to.Field == field.Field && types.Identical(to.X.Type(), field.X.Type()) {
					found = append(found, store.Val)
				}
			}
		}
	}
	return found
}

func (c *checker) report(h handlers.Handler, instr ssa.Instruction, what string) {
	if c.reported[instr] {
		return
	}
	c.reported[instr] = true
	at := c.pass.Fset.Position(h.Fn.Pos())
	if strings.HasSuffix(what, "sleep") || strings.HasSuffix(what, "poll") {
		what += " holds up"
	} else {
		what += ", in"
	}
	report.Diagnostic(c.pass, analysis.Diagnostic{
		Pos: instr.Pos(),
		Message: fmt.Sprintf("%s the %s handler of %s:%d, whose next events wait in memory meanwhile; add a key to a queue, and work in another goroutine",
			what, h.Role, filepath.Base(at.Filename), at.Line),
	})
}
