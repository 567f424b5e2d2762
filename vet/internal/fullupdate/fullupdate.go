// Package fullupdate finds updates that write an object back without the fields that the cache leaves out.
package fullupdate

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/typedinformers/informer-gen/vet/internal/caches"
	"github.com/typedinformers/informer-gen/vet/internal/program"
	"github.com/typedinformers/informer-gen/vet/internal/report"
	"github.com/typedinformers/informer-gen/vet/internal/trace"
)

var Analyzer = &analysis.Analyzer{
	Name: "fullupdate",
	Doc: `find updates of objects from a cache that leaves fields out

A transform may drop fields before an object is stored. An Update of this object, or of a copy of it, is one without these fields, and
removes them on the server. A patch or an apply leaves them alone.`,
	URL:       "https://github.com/typedinformers/informer-gen/blob/main/docs/vet.md#fullupdate",
	Requires:  []*analysis.Analyzer{program.Analyzer},
	FactTypes: []analysis.Fact{(*Kinds)(nil)},
	Run:       run,
}

// Kinds is the fact of a package about Go types of objects.
type Kinds struct {
	// Dropped has the fields that a transform drops, with its position.
	Dropped map[string]string
	// Updated has the position of an update of an object from a cache.
	Updated map[string]string
}

// AFact marks facts.
func (*Kinds) AFact() {}

func (k *Kinds) String() string { return "transforms or updates objects" }

type checker struct {
	pass    *analysis.Pass
	program *program.Program
	own     Kinds
	// at has the instructions of this package, to report them.
	transforms map[string]*ssa.Function
	updates    map[string]ssa.CallInstruction
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{
		pass: pass, program: program.Of(pass), own: Kinds{Dropped: map[string]string{}, Updated: map[string]string{}},
		transforms: map[string]*ssa.Function{}, updates: map[string]ssa.CallInstruction{},
	}
	tracer := &trace.Tracer{Program: c.program, Position: c.place, ThroughCopies: true}
	for _, fn := range c.program.Funcs {
		if report.FileOf(pass, fn.Pos()) == nil {
			continue
		}
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				switch instr := instr.(type) {
				case *ssa.Store:
					if field, is := instr.Addr.(*ssa.FieldAddr); is && isTransform(field) {
						c.transform(instr.Val)
					}
				case *ssa.Call:
					c.call(tracer, fn, instr)
				}
			}
		}
	}
	if len(c.own.Dropped)+len(c.own.Updated) > 0 {
		pass.ExportPackageFact(&c.own)
	}
	c.compare()
	return nil, nil
}

// isTransform reports whether a field of the options of a cache has a transform.
func isTransform(field *ssa.FieldAddr) bool {
	path, name := caches.Named(field.X.Type())
	structure := field.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	return strings.HasPrefix(path, caches.ControllerRuntime+"pkg/cache") && (name == "ByObject" || name == "Options" || name == "Config") && strings.HasSuffix(structure.Field(field.Field).Name(), "Transform")
}

func (c *checker) call(tracer *trace.Tracer, fn *ssa.Function, call *ssa.Call) {
	callee := caches.Callee(&call.Call)
	if callee == nil {
		return
	}
	switch {
	case caches.IsInformerMethod(callee, "SetTransform"):
		c.transform(call.Call.Args[len(call.Call.Args)-1])
	case caches.IsFunc(callee, caches.Typed, "WithTransform"):
		c.transform(call.Call.Args[0])
	}
	var object ssa.Value
	var depth int
	if read, is := caches.ReadOf(&call.Call); is {
		object, depth = call, read.Depth
	} else if caches.ClientMethod(callee) == "Get" && call.Call.IsInvoke() && len(call.Call.Args) > 2 && caches.IsClient(call.Call.Value.Type(), "Client") {
		object = call.Call.Args[2]
		if made, is := object.(*ssa.MakeInterface); is {
			object = made.X
		}
	} else {
		return
	}
	for value, depth := range tracer.Trace(fn, map[ssa.Value]int{object: depth}, false).Depths {
		if depth != 0 || value.Referrers() == nil {
			continue
		}
		for _, instr := range *value.Referrers() {
			update, is := instr.(ssa.CallInstruction)
			if !is || !isUpdate(update.Common(), value) {
				continue
			}
			if kind := kindOf(value); kind != "" && c.updates[kind] == nil {
				c.updates[kind] = update
				c.own.Updated[kind] = c.place(update.Pos())
			}
		}
	}
}

// isUpdate reports whether a call writes the whole object to the server.
func isUpdate(call *ssa.CallCommon, object ssa.Value) bool {
	fn := caches.Callee(call)
	if fn == nil || fn.Name() != "Update" {
		return false
	}
	if caches.Request(fn) == "" && !(caches.ClientMethod(fn) == "Update" && caches.IsClient(caches.Receiver(fn), "Client", "Writer")) {
		return false
	}
	return slices.Contains(call.Args, object)
}

func kindOf(object ssa.Value) string {
	if made, is := object.(*ssa.MakeInterface); is {
		object = made.X
	}
	if _, is := object.Type().Underlying().(*types.Pointer); !is {
		return ""
	}
	return types.TypeString(object.Type(), nil)
}

// transform notes which fields a transform drops of which type: it stores a zero value to a field of the argument that it asserts.
func (c *checker) transform(value ssa.Value) {
	switch v := value.(type) {
	case *ssa.ChangeType:
		c.transform(v.X)
		return
	case *ssa.MakeClosure:
		c.transform(v.Fn)
		return
	}
	literal, is := value.(*ssa.Function)
	if !is {
		return
	}
	fn := c.program.Source(literal)
	if fn == nil {
		return
	}
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			store, is := instr.(*ssa.Store)
			if !is {
				continue
			}
			zero, is := store.Val.(*ssa.Const)
			field, isField := store.Addr.(*ssa.FieldAddr)
			if !is || !isField || !(zero.IsNil() || zero.Value == nil) {
				continue
			}
			path, object := pathOf(field)
			if object == nil || !isObject(object) || strings.HasPrefix(path, "Status") || strings.HasSuffix(path, "ManagedFields") {
				continue
			}
			if kind := types.TypeString(object.Type(), nil); c.transforms[kind] == nil {
				c.transforms[kind] = fn
				c.own.Dropped[kind] = fmt.Sprintf("%s in %s", path, c.place(store.Pos()))
			}
		}
	}
}

// isObject reports whether a value is the argument of the function, or the argument with its type asserted.
func isObject(value ssa.Value) bool {
	switch v := value.(type) {
	case *ssa.Parameter:
		_, pointer := v.Type().Underlying().(*types.Pointer)
		return pointer
	case *ssa.Extract:
		return v.Index == 0 && isObject(v.Tuple)
	case *ssa.TypeAssert:
		_, is := v.X.(*ssa.Parameter)
		return is
	}
	return false
}

// pathOf returns the path of a field and the object that it belongs to.
func pathOf(field *ssa.FieldAddr) (string, ssa.Value) {
	structure := field.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	name := structure.Field(field.Field).Name()
	if outer, is := field.X.(*ssa.FieldAddr); is {
		path, object := pathOf(outer)
		return path + "." + name, object
	}
	return name, field.X
}

func (c *checker) place(pos token.Pos) string {
	at := c.pass.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

// compare reports the types that are transformed and updated, where this package does one of the two.
func (c *checker) compare() {
	dropped, updated := maps.Clone(c.own.Dropped), maps.Clone(c.own.Updated)
	for _, fact := range c.pass.AllPackageFacts() {
		if kinds, is := fact.Fact.(*Kinds); is {
			maps.Copy(dropped, kinds.Dropped)
			maps.Copy(updated, kinds.Updated)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(dropped)) {
		if updated[kind] == "" {
			continue
		}
		short := kind[strings.LastIndexByte(kind, '/')+1:]
		field, place, _ := strings.Cut(dropped[kind], " in ")
		switch {
		case c.updates[kind] != nil:
			report.Diagnostic(c.pass, analysis.Diagnostic{
				Pos:     c.updates[kind].Pos(),
				Message: fmt.Sprintf("this Update removes %s of the %s on the server: a transform drops it from the cache, in %s; patch the object, or read it from the server", field, short, place),
			})
		case c.transforms[kind] != nil:
			report.Diagnostic(c.pass, analysis.Diagnostic{
				Pos:     c.transforms[kind].Pos(),
				Message: fmt.Sprintf("this transform drops %s of each %s, and the Update in %s removes it on the server; keep the field, or patch the object", field, short, updated[kind]),
			})
		}
	}
}
