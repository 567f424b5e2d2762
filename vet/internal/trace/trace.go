// Package trace follows an object of a cache through a function: into variables, fields, elements and calls, to what writes to it.
//
// Each value has a depth: how many pointers are followed before memory of the cache is reached.
//
//	pod, err := lister.Get(name)     pod: 0, a write through it is one to the cache
//	pods, err := lister.List(all)    pods: 1, a new slice, whose elements have depth 0
//	labels := pods[0].Labels         labels: 0
//	short := *pod                    &short: 1, a copy, whose maps and slices have depth 0
//
// What a call does with an argument is in a Summary: of functions of this package it is made when it is asked for, of others it is a fact.
package trace

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/typedinformers/informer-gen/vet/internal/caches"
	"github.com/typedinformers/informer-gen/vet/internal/program"
)

// Summary says what a function does with one argument.
type Summary struct {
	// Writes says how the function writes to what it was passed, and At where; they are empty if it does not.
	Writes, At string
	// Returns has the results that refer to the argument, with their depths.
	Returns map[int]int
}

// Write is an instruction that writes to memory of a cache.
type Write struct {
	Instr ssa.Instruction
	// Value is the value through which it writes.
	Value ssa.Value
	// What says how it writes to what, for messages, such as "write to Labels". At is the place of that if it is in a function that
	// the instruction calls.
	What, At string
}

// Result is what became of the values that a trace began with.
type Result struct {
	Writes  []Write
	Returns map[int]int
	// Depths has all values that refer to the object.
	Depths map[ssa.Value]int
}

// Tracer follows values through the functions of one package.
type Tracer struct {
	Program *program.Program
	// Imported returns the summary of a function of another package for an argument of this depth.
	Imported func(fn *types.Func, argument, depth int) Summary
	// Position prints a position for messages.
	Position func(token.Pos) string
	// ThroughCopies is set to follow deep copies too: what they lack, the object in the cache lacked.
	ThroughCopies bool

	summaries map[question]Summary
}

type question struct {
	fn              *ssa.Function
	argument, depth int
}

// Summary returns what a function of this package does with an argument, the receiver being the first. A call in a cycle does nothing.
func (t *Tracer) Summary(fn *ssa.Function, argument, depth int) Summary {
	if argument >= len(fn.Params) {
		return Summary{}
	}
	q := question{fn, argument, depth}
	if known, is := t.summaries[q]; is {
		return known
	}
	if t.summaries == nil {
		t.summaries = map[question]Summary{}
	}
	t.summaries[q] = Summary{}
	result := t.trace(fn, map[ssa.Value]int{fn.Params[argument]: depth}, false, true)
	summary := Summary{Returns: result.Returns}
	if len(result.Writes) > 0 {
		first := result.Writes[0]
		summary.Writes, summary.At = first.What, first.At
		if first.At == "" {
			summary.At = t.Position(Pos(first.Instr))
		}
	}
	t.summaries[q] = summary
	return summary
}

// Trace follows values through a function and the function literals in it. Dynamic objects may be unstructured ones, whose getters
// return copies.
func (t *Tracer) Trace(fn *ssa.Function, from map[ssa.Value]int, dynamic bool) Result {
	return t.trace(fn, from, dynamic, false)
}

func (t *Tracer) trace(fn *ssa.Function, from map[ssa.Value]int, dynamic, ofArgument bool) Result {
	w := &walk{Tracer: t, fn: fn, dynamic: dynamic, ofArgument: ofArgument, depths: map[ssa.Value]int{}, returns: map[int]int{}, written: map[ssa.Instruction]bool{}}
	for value, depth := range from {
		w.mark(value, depth)
	}
	w.run()
	// In the order of the source, those of the function itself before those of functions that it calls.
	slices.SortFunc(w.writes, func(a, b Write) int {
		if (a.At == "") != (b.At == "") {
			return strings.Compare(a.At, b.At)
		}
		return cmp.Compare(Pos(a.Instr), Pos(b.Instr))
	})
	return Result{Writes: w.writes, Returns: w.returns, Depths: w.depths}
}

type walk struct {
	*Tracer
	fn      *ssa.Function
	dynamic bool
	// ofArgument is set for an argument, of which nothing is known but what the caller knows.
	ofArgument bool
	depths     map[ssa.Value]int
	queue      []ssa.Value
	// cells are local variables that a value was stored to. They are followed if nothing else is stored to them.
	cells   map[cell]bool
	writes  []Write
	written map[ssa.Instruction]bool
	returns map[int]int
}

func (w *walk) run() {
	for {
		for len(w.queue) > 0 {
			value := w.queue[0]
			w.queue = w.queue[1:]
			if referrers := value.Referrers(); referrers != nil {
				for _, instr := range *referrers {
					w.visit(value, w.depths[value], instr)
				}
			}
		}
		for c := range maps.Clone(w.cells) {
			w.follow(c)
		}
		if len(w.queue) == 0 {
			return
		}
	}
}

// mark follows a value. A value that is reached twice has the smaller depth.
func (w *walk) mark(value ssa.Value, depth int) {
	if !caches.HasReferences(value.Type()) {
		return
	}
	if known, is := w.depths[value]; is && known <= depth {
		return
	}
	w.depths[value] = depth
	w.queue = append(w.queue, value)
}

func (w *walk) write(write Write) {
	if !w.written[write.Instr] && !onlyIfNew(write.Instr) {
		w.written[write.Instr] = true
		w.writes = append(w.writes, write)
	}
}

// onlyIfNew reports whether an instruction runs only if an object has no version yet: the object is a new one then, and not one of a cache.
func onlyIfNew(instr ssa.Instruction) bool {
	for block := instr.Block(); block.Idom() != nil; block = block.Idom() {
		if len(block.Preds) != 1 {
			continue
		}
		before := block.Preds[0]
		branch, is := before.Instrs[len(before.Instrs)-1].(*ssa.If)
		if !is || before.Succs[0] != block {
			continue
		}
		if equal, is := branch.Cond.(*ssa.BinOp); is && equal.Op == token.EQL {
			if load, is := equal.X.(*ssa.UnOp); is {
				if field, is := load.X.(*ssa.FieldAddr); is && (fieldName(field.X.Type(), field.Field) == "ResourceVersion" || fieldName(field.X.Type(), field.Field) == "UID") {
					return true
				}
			}
		}
	}
	return false
}

// loaded is the depth of what is read from memory.
func loaded(depth int) int { return max(depth-1, 0) }

func (w *walk) visit(value ssa.Value, depth int, instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.FieldAddr:
		if !cellOf(instr).stored() {
			w.mark(instr, depth)
		}
	case *ssa.IndexAddr:
		if instr.X == value {
			w.mark(instr, depth)
		}
	case *ssa.Slice:
		if instr.X == value {
			w.mark(instr, depth)
		}
	case *ssa.Field, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.Convert, *ssa.MultiConvert, *ssa.SliceToArrayPointer, *ssa.TypeAssert, *ssa.Index:
		// The tuple of a checked assertion has the type of the assertion as its first element.
		w.markAny(instr.(ssa.Value), depth)
	case *ssa.UnOp:
		if instr.Op == token.MUL {
			w.mark(instr, loaded(depth))
		}
	case *ssa.Lookup:
		if instr.X == value {
			w.markAny(instr, loaded(depth))
		}
	case *ssa.Range:
		w.markAny(instr, depth)
	case *ssa.Next:
		w.markAny(instr, loaded(depth))
	case *ssa.Extract:
		w.extract(instr, depth)
	case *ssa.Phi:
		if !mayBeCopy(instr) {
			w.mark(instr, depth)
		}
	case *ssa.MakeClosure:
		for n, binding := range instr.Bindings {
			if binding == value {
				w.mark(instr.Fn.(*ssa.Function).FreeVars[n], depth)
			}
		}
	case *ssa.Store:
		if instr.Val == value {
			w.store(instr.Addr, depth)
		} else if depth == 0 {
			w.write(Write{Instr: instr, Value: value, What: "write to " + describe(instr.Addr)})
		}
	case *ssa.MapUpdate:
		if instr.Map == value && depth == 0 {
			w.write(Write{Instr: instr, Value: value, What: "write to " + describe(instr.Map)})
		} else if made, is := instr.Map.(*ssa.MakeMap); is && instr.Value == value {
			w.mark(made, depth+1)
		}
	case *ssa.Return:
		for n, result := range instr.Results {
			if known, is := w.returns[n]; result == value && instr.Parent() == w.fn && (!is || depth < known) {
				w.returns[n] = depth
			}
		}
	case ssa.CallInstruction:
		w.call(value, depth, instr)
	}
}

// markAny follows values that are no variables of the source, such as tuples and iterators, too.
func (w *walk) markAny(value ssa.Value, depth int) {
	switch value.Type().(type) {
	case *types.Tuple:
	default:
		if _, iterates := value.(*ssa.Range); !iterates {
			w.mark(value, depth)
			return
		}
	}
	if known, is := w.depths[value]; !is || depth < known {
		w.depths[value] = depth
		w.queue = append(w.queue, value)
	}
}

func (w *walk) extract(instr *ssa.Extract, depth int) {
	switch tuple := instr.Tuple.(type) {
	case *ssa.TypeAssert, *ssa.Lookup:
		if instr.Index == 0 {
			w.mark(instr, depth)
		}
	case *ssa.Next:
		if instr.Index == 2 {
			w.mark(instr, depth)
		}
	case *ssa.Call:
		// The results of calls are marked one by one. A tuple that a trace begins with has the object first.
		if _, begins := w.depths[tuple]; begins && instr.Index == 0 {
			w.mark(instr, depth)
		}
	}
}

// store follows a value into a local variable.
func (w *walk) store(addr ssa.Value, depth int) {
	if element, is := addr.(*ssa.IndexAddr); is { // of the array of variadic arguments, or of a literal
		if array, is := element.X.(*ssa.Alloc); is {
			w.mark(array, depth+1)
		}
		return
	}
	if c := cellOf(addr); c.variable != nil {
		if w.cells == nil {
			w.cells = map[cell]bool{}
		}
		w.cells[c] = true
	}
}

// follow adds a variable if all that is stored to it refers to the object.
func (w *walk) follow(c cell) {
	depth := 0
	for _, stored := range c.stores() {
		if constant, is := stored.(*ssa.Const); is && constant.IsNil() {
			continue
		}
		d, is := w.depths[stored]
		if !is {
			return
		}
		depth = max(depth, d)
	}
	if c.reset() {
		return
	}
	for _, addr := range c.addresses() {
		w.mark(addr, depth+1)
	}
}

// mayBeCopy reports whether one of the values that meet here is a copy: a program that copies in one branch does not write in the others.
func mayBeCopy(phi *ssa.Phi) bool {
	for _, edge := range phi.Edges {
		if isCopy(edge) {
			return true
		}
	}
	return false
}

func isCopy(value ssa.Value) bool {
	switch value := value.(type) {
	case *ssa.Call:
		fn := caches.Callee(&value.Call)
		return fn != nil && (strings.Contains(fn.Name(), "Copy") || strings.Contains(fn.Name(), "Clone"))
	case *ssa.Extract:
		return isCopy(value.Tuple)
	case *ssa.TypeAssert:
		return isCopy(value.X)
	case *ssa.MakeInterface:
		return isCopy(value.X)
	case *ssa.ChangeInterface:
		return isCopy(value.X)
	}
	return false
}

// describe names what an address or a map is in the source.
func describe(addr ssa.Value) string {
	var path []string
	for {
		switch value := addr.(type) {
		case *ssa.FieldAddr:
			path = append(path, fieldName(value.X.Type(), value.Field))
			addr = value.X
		case *ssa.Field:
			path = append(path, fieldName(value.X.Type(), value.Field))
			addr = value.X
		case *ssa.IndexAddr:
			path = append(path, "[…]")
			addr = value.X
		case *ssa.UnOp:
			addr = value.X
		case *ssa.Slice:
			addr = value.X
		case *ssa.Call:
			if fn := caches.Callee(&value.Call); fn != nil {
				path = append(path, fn.Name()+"()")
			}
			return join(path)
		default:
			return join(path)
		}
	}
}

func fieldName(t types.Type, index int) string {
	if pointer, is := t.Underlying().(*types.Pointer); is {
		t = pointer.Elem()
	}
	return t.Underlying().(*types.Struct).Field(index).Name()
}

// join prints a path that was read from its end, without the names of the metadata.
func join(path []string) string {
	var text strings.Builder
	for n := len(path) - 1; n >= 0; n-- {
		if name := path[n]; name != "ObjectMeta" && name != "TypeMeta" && (name != "[…]" || text.Len() > 0) {
			if text.Len() > 0 && name != "[…]" {
				text.WriteByte('.')
			}
			text.WriteString(name)
		}
	}
	if text.Len() == 0 {
		return "the object"
	}
	return text.String()
}

// Pos returns the position of an instruction in the source, or of what it writes to.
func Pos(instr ssa.Instruction) token.Pos {
	if instr.Pos().IsValid() {
		return instr.Pos()
	}
	for _, operand := range instr.Operands(nil) {
		if value := *operand; value != nil && value.Pos().IsValid() && value.Parent() == instr.Parent() {
			return value.Pos()
		}
	}
	return instr.Parent().Pos()
}
