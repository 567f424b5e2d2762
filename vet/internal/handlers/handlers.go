// Package handlers finds the functions of a package that informers and controllers call with objects of a cache: event handlers, filters,
// predicates and the functions that map an object to requests.
package handlers

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/typedinformers/informer-gen/vet/internal/caches"
	"github.com/typedinformers/informer-gen/vet/internal/program"
)

// Role is what a function is called for.
type Role string

const (
	Add    Role = "add"
	Update Role = "update"
	Delete Role = "delete"
	Filter Role = "filter"
	// Event is one of controller-runtime: its argument has the object, and a deletion has no tombstone.
	Event Role = "event"
)

// Handler is a function with a role.
type Handler struct {
	Fn   *ssa.Function
	Role Role
	// Untyped is set for client-go, whose handlers get an interface.
	Untyped bool
	// Filtered is set if a filter that knows no tombstones, or that is not known, is before the handler.
	Filtered bool
	// Objects are the parameters with objects of the cache, or with the events that have them.
	Objects []*ssa.Parameter
}

// Analyzer results in []Handler. Its facts are the functions that pass an argument of theirs to an informer as a handler.
var Analyzer = &analysis.Analyzer{
	Name:       "informerhandlers",
	Doc:        "find the functions that informers call",
	Requires:   []*analysis.Analyzer{program.Analyzer},
	FactTypes:  []analysis.Fact{(*Registers)(nil)},
	ResultType: reflect.TypeFor[[]Handler](),
	Run:        run,
}

// Of returns the result of the analyzer.
func Of(pass *analysis.Pass) []Handler { return pass.ResultOf[Analyzer].([]Handler) }

// Registers says which parameters of a function become handlers.
type Registers struct{ Roles map[int]Role }

// AFact marks facts.
func (*Registers) AFact() {}

func (r *Registers) String() string { return "registers its arguments as handlers" }

type finder struct {
	pass    *analysis.Pass
	program *program.Program
	found   []Handler
	// filtered has the values that are handlers behind a filter.
	filtered map[ssa.Value]bool
	// registers has the facts about functions of this package.
	registers map[*types.Func]*Registers
}

func run(pass *analysis.Pass) (any, error) {
	f := &finder{pass: pass, program: program.Of(pass), filtered: map[ssa.Value]bool{}, registers: map[*types.Func]*Registers{}}
	f.each(f.filter)
	// A function that passes on a parameter may be called before it in the source, so calls are read again until no more is found.
	for known := -1; known < len(f.registers); {
		known = len(f.registers)
		f.each(f.instruction)
	}
	for fn, fact := range f.registers {
		pass.ExportObjectFact(fn, fact)
	}
	return f.found, nil
}

func (f *finder) each(do func(instr ssa.Instruction)) {
	for _, fn := range f.program.Funcs {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				do(instr)
			}
		}
	}
}

// filter notes the handler of a FilteringResourceEventHandler, unless its filter knows tombstones.
func (f *finder) filter(instr ssa.Instruction) {
	store, is := instr.(*ssa.Store)
	if !is {
		return
	}
	field, is := store.Addr.(*ssa.FieldAddr)
	if !is || !caches.Is(field.X.Type(), caches.ClientGo, "FilteringResourceEventHandler") || fieldOf(field) != "Handler" {
		return
	}
	for _, use := range *field.X.Referrers() {
		if other, is := use.(*ssa.FieldAddr); is && fieldOf(other) == "FilterFunc" {
			for _, use := range *other.Referrers() {
				if set, is := use.(*ssa.Store); is && f.knowsTombstones(set.Val) {
					return
				}
			}
		}
	}
	for handler := store.Val; handler != nil; {
		f.filtered[handler] = true
		switch value := handler.(type) {
		case *ssa.MakeInterface:
			handler = value.X
		case *ssa.UnOp:
			handler = value.X
		default:
			handler = nil
		}
	}
}

// knowsTombstones reports whether a filter looks for them.
func (f *finder) knowsTombstones(value ssa.Value) bool {
	if closure, is := value.(*ssa.MakeClosure); is {
		value = closure.Fn
	}
	literal, is := value.(*ssa.Function)
	if !is {
		return false
	}
	fn := f.program.Source(literal)
	if fn == nil {
		return false
	}
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if assert, is := instr.(*ssa.TypeAssert); is && caches.Is(assert.AssertedType, caches.ClientGo, caches.Tombstone) {
				return true
			}
		}
	}
	return false
}

func fieldOf(field *ssa.FieldAddr) string {
	return field.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(field.Field).Name()
}

func (f *finder) instruction(instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.Store:
		if field, is := instr.Addr.(*ssa.FieldAddr); is {
			if role, untyped, is := roleOfField(field); is {
				f.register(instr.Val, registration{role, untyped, f.filtered[field.X]})
			}
		}
	case *ssa.MakeInterface:
		f.implementation(instr)
	case ssa.CallInstruction:
		value, _ := instr.(*ssa.Call)
		f.call(instr.Common(), value != nil && f.filtered[value])
	}
}

// registration is what is known of a function that becomes a handler.
type registration struct {
	role              Role
	untyped, filtered bool
}

// roleOfField returns the role of a function in a field of ResourceEventHandlerFuncs and the like.
func roleOfField(field *ssa.FieldAddr) (role Role, untyped, ok bool) {
	path, name := caches.Named(field.X.Type())
	inCache := path == caches.ClientGo || path == caches.Typed
	fields := map[string]Role{"AddFunc": Add, "UpdateFunc": Update, "DeleteFunc": Delete, "FilterFunc": Filter}
	switch {
	case inCache && strings.Contains(name, "ResourceEventHandler"):
	case strings.HasPrefix(path, caches.ControllerRuntime+"pkg/") && strings.HasSuffix(name, "Funcs"):
		fields = map[string]Role{"CreateFunc": Event, "UpdateFunc": Event, "DeleteFunc": Event, "GenericFunc": Event}
	default:
		return "", false, false
	}
	role, ok = fields[fieldOf(field)]
	return role, path == caches.ClientGo && !strings.HasPrefix(name, "Typed"), ok
}

// implementation finds the methods of a type of this package that is used as a handler.
func (f *finder) implementation(instr *ssa.MakeInterface) {
	path, name := caches.Named(instr.Type())
	named, is := types.Unalias(deref(instr.X.Type())).(*types.Named)
	if !is || named.Obj().Pkg() != f.pass.Pkg {
		return
	}
	methods := map[string]Role{}
	switch {
	case path == caches.ClientGo && name == "ResourceEventHandler", path == caches.Typed && name == "ResourceEventHandler":
		methods = map[string]Role{"OnAdd": Add, "OnUpdate": Update, "OnDelete": Delete}
	case strings.HasPrefix(path, caches.ControllerRuntime) && (strings.HasSuffix(name, "EventHandler") || strings.HasSuffix(name, "Predicate")):
		methods = map[string]Role{"Create": Event, "Update": Event, "Delete": Event, "Generic": Event}
	}
	for name, role := range methods {
		method, _, _ := types.LookupFieldOrMethod(instr.X.Type(), true, f.pass.Pkg, name)
		if method, is := method.(*types.Func); is {
			f.add(f.program.Source(f.program.SSA.FuncValue(method.Origin())), registration{role, path == caches.ClientGo, f.filtered[instr]})
		}
	}
}

func deref(t types.Type) types.Type {
	if pointer, is := t.Underlying().(*types.Pointer); is {
		return pointer.Elem()
	}
	return t
}

func (f *finder) call(call *ssa.CallCommon, filtered bool) {
	fn := caches.Callee(call)
	if fn == nil || call.IsInvoke() {
		return
	}
	if strings.HasPrefix(caches.Path(fn), caches.ControllerRuntime) {
		if strings.HasSuffix(fn.Name(), "EnqueueRequestsFromMapFunc") || fn.Name() == "NewPredicateFuncs" || fn.Name() == "NewTypedPredicateFuncs" {
			f.register(call.Args[0], registration{role: Event})
		}
		return
	}
	fact := f.registers[fn]
	if fact == nil {
		fact = &Registers{}
		if fn.Pkg() == f.pass.Pkg || !f.pass.ImportObjectFact(fn, fact) {
			return
		}
	}
	for n, role := range fact.Roles {
		if n < len(call.Args) {
			f.register(call.Args[n], registration{role, true, filtered})
		}
	}
}

// register gives a role to the function that a value is.
func (f *finder) register(value ssa.Value, as registration) {
	switch value := value.(type) {
	case *ssa.ChangeType:
		f.register(value.X, as)
	case *ssa.MakeInterface:
		f.register(value.X, as)
	case *ssa.MakeClosure:
		f.register(value.Fn, as)
	case *ssa.Function:
		f.add(f.program.Source(value), as)
	case *ssa.Call:
		// A function that returns the handler.
		callee := f.program.Callee(&value.Call)
		if callee == nil {
			return
		}
		for _, block := range callee.Blocks {
			if returns, is := block.Instrs[len(block.Instrs)-1].(*ssa.Return); is && len(returns.Results) == 1 {
				switch result := returns.Results[0].(type) {
				case *ssa.MakeClosure, *ssa.Function:
					f.register(result, as)
				case *ssa.ChangeType:
					f.register(result.X, as)
				}
			}
		}
	case *ssa.Parameter:
		fn, is := value.Parent().Object().(*types.Func)
		if !is || !as.untyped {
			return
		}
		fact := f.registers[fn]
		if fact == nil {
			fact = &Registers{Roles: map[int]Role{}}
			f.registers[fn] = fact
		}
		if n := slices.Index(value.Parent().Params, value); fact.Roles[n] != Delete {
			fact.Roles[n] = as.role
		}
	}
}

func (f *finder) add(fn *ssa.Function, as registration) {
	if fn == nil {
		return
	}
	for n, known := range f.found {
		if known.Fn == fn && known.Role == as.role {
			f.found[n].Filtered = known.Filtered && as.filtered
			return
		}
	}
	params := fn.Params
	if fn.Signature.Recv() != nil {
		params = params[1:]
	}
	h := Handler{Fn: fn, Role: as.role, Untyped: as.untyped, Filtered: as.filtered}
	switch as.role {
	case Event:
		for _, param := range params {
			if path, _ := caches.Named(param.Type()); path == caches.ControllerRuntime+"pkg/event" || isObject(param.Type()) {
				h.Objects = append(h.Objects, param)
			}
		}
	case Update:
		h.Objects = params[:min(2, len(params))]
	default:
		h.Objects = params[:min(1, len(params))]
	}
	if len(h.Objects) > 0 {
		f.found = append(f.found, h)
	}
}

// isObject reports whether a parameter is an object: it has labels.
func isObject(t types.Type) bool {
	method, _, _ := types.LookupFieldOrMethod(t, true, nil, "GetLabels")
	_, is := method.(*types.Func)
	return is
}
