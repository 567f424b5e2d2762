// Package implicit finds reads with a manager's client that start informers of all objects of a large kind.
package implicit

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
)

var Analyzer = &analysis.Analyzer{
	Name: "implicit",
	Doc: `find reads of a manager's client that cache all Secrets, ConfigMaps, Pods or Nodes

The client of a manager reads from its cache. The first Get or List of a kind starts an informer of all objects of the kind, in all
namespaces, unless the options of the manager name the kind.`,
	URL:       "https://github.com/typedinformers/informer-gen/blob/main/docs/vet.md#implicit",
	Requires:  []*analysis.Analyzer{program.Analyzer},
	FactTypes: []analysis.Fact{(*Clients)(nil)},
	Run:       run,
}

// Clients is the fact of a package: where clients go, and what is read with them. A client, or the manager that has it, is named by the
// field or the parameter that it is in.
type Clients struct {
	// Flows has the fields and parameters that get a client from another.
	Flows map[string][]string
	// Reads has the first read of each kind with a client.
	Reads map[string]map[string]string
	// Watched has the kinds that a controller watches: they are in the cache because the program says so.
	Watched map[string]bool
}

// AFact marks facts.
func (*Clients) AFact() {}

func (c *Clients) String() string { return "reads with clients" }

// managers names the manager that a function makes, and its client.
const managers = "manager"

type checker struct {
	pass *analysis.Pass
	own  Clients
}

func run(pass *analysis.Pass) (any, error) {
	p := program.Of(pass)
	c := &checker{pass: pass, own: Clients{Flows: map[string][]string{}, Reads: map[string]map[string]string{}, Watched: map[string]bool{}}}
	var made []*ssa.Call
	for _, fn := range p.Funcs {
		if report.FileOf(pass, fn.Pos()) == nil {
			continue
		}
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				switch instr := instr.(type) {
				case *ssa.Store:
					if field, is := instr.Addr.(*ssa.FieldAddr); is {
						c.flow(instr.Val, fieldOf(field))
					}
				case *ssa.Call:
					if isNewManager(&instr.Call) {
						made = append(made, instr)
					}
					c.call(instr)
				}
			}
		}
	}
	if len(c.own.Flows)+len(c.own.Reads)+len(c.own.Watched) > 0 {
		pass.ExportPackageFact(&c.own)
	}
	if len(made) == 1 { // with two, a client may be that of either
		c.report(made[0])
	}
	return nil, nil
}

// flow notes that a field or a parameter gets a value, if that is a client.
func (c *checker) flow(value ssa.Value, to string) {
	if from := clientOf(value); from != "" && !slices.Contains(c.own.Flows[from], to) {
		c.own.Flows[from] = append(c.own.Flows[from], to)
	}
}

// clientOf names a client, or the manager that has it, by where it is from; "" for other values, and for those of unknown origin.
func clientOf(value ssa.Value) string {
	if change, is := value.(*ssa.ChangeInterface); is {
		value = change.X
	}
	if call, is := value.(*ssa.Call); is && call.Call.IsInvoke() && call.Call.Method.Name() == "GetClient" && strings.HasPrefix(caches.Path(call.Call.Method), caches.ControllerRuntime) {
		value = call.Call.Value
	}
	if !caches.IsClient(value.Type(), "Client", "Reader", "WithWatch", "Manager", "Cluster") {
		return ""
	}
	switch value := value.(type) {
	case *ssa.Extract:
		if call, is := value.Tuple.(*ssa.Call); is && isNewManager(&call.Call) {
			return managers
		}
	case *ssa.UnOp:
		switch addr := value.X.(type) {
		case *ssa.FieldAddr:
			return fieldOf(addr)
		case *ssa.Alloc: // a variable that a function literal uses
			return clientIn(addr)
		}
	case *ssa.Parameter:
		if fn, is := value.Parent().Object().(*types.Func); is {
			return parameterOf(fn, slices.Index(value.Parent().Params, value))
		}
	}
	return ""
}

// clientIn names the client in a variable, if only one is stored to it.
func clientIn(variable *ssa.Alloc) (client string) {
	for _, instr := range *variable.Referrers() {
		if store, is := instr.(*ssa.Store); is && store.Addr == variable {
			if client != "" {
				return ""
			}
			client = clientOf(store.Val)
		}
	}
	return client
}

func parameterOf(fn *types.Func, n int) string { return fmt.Sprintf("%s#%d", fn.FullName(), n) }

// fieldOf names a field for facts.
func fieldOf(field *ssa.FieldAddr) string {
	pointer := field.X.Type().Underlying().(*types.Pointer)
	return types.TypeString(pointer.Elem(), nil) + "." + pointer.Elem().Underlying().(*types.Struct).Field(field.Field).Name()
}

// isNewManager reports whether a call makes a manager: ctrl.NewManager is a variable.
func isNewManager(call *ssa.CallCommon) bool {
	if load, is := call.Value.(*ssa.UnOp); is && load.Op == token.MUL {
		global, is := load.X.(*ssa.Global)
		return is && global.Name() == "NewManager" && strings.TrimSuffix(caches.ControllerRuntime, "/") == global.Pkg.Pkg.Path()
	}
	return caches.IsFunc(caches.Callee(call), caches.ControllerRuntime+"pkg/manager", "New")
}

// call notes a read, a watch, and the clients that are arguments.
func (c *checker) call(call *ssa.Call) {
	fn := caches.Callee(&call.Call)
	switch caches.ClientMethod(fn) {
	case "Get", "List":
		if !call.Call.IsInvoke() || len(call.Call.Args) < 3 {
			return
		}
		object := call.Call.Args[2]
		if fn.Name() == "List" {
			object = call.Call.Args[1]
		}
		client, kind := clientOf(call.Call.Value), kindOf(object)
		if client == "" || kind == "" {
			return
		}
		if c.own.Reads[client] == nil {
			c.own.Reads[client] = map[string]string{}
		}
		if c.own.Reads[client][kind] == "" {
			at := c.pass.Fset.Position(call.Pos())
			c.own.Reads[client][kind] = fmt.Sprintf("%s in %s:%d", fn.Name(), filepath.Base(at.Filename), at.Line)
		}
		return
	}
	if fn != nil && !call.Call.IsInvoke() {
		for n, argument := range call.Call.Args {
			c.flow(argument, parameterOf(fn, n))
		}
	}
	if fn != nil && strings.HasPrefix(caches.Path(fn), caches.ControllerRuntime) && slices.Contains([]string{"For", "Owns", "Watches", "Kind", "GetInformer", "IndexField"}, fn.Name()) {
		for _, argument := range call.Call.Args {
			if kind := kindOf(argument); kind != "" {
				c.own.Watched[kind] = true
			}
		}
	}
}

// kindOf returns the kind of an object or a list, if it is one with many or large objects.
func kindOf(object ssa.Value) string {
	if made, is := object.(*ssa.MakeInterface); is {
		object = made.X
	}
	path, name := caches.Named(object.Type())
	name = strings.TrimSuffix(name, "List")
	if path == "k8s.io/api/core/v1" && slices.Contains([]string{"Secret", "ConfigMap", "Pod", "Node"}, name) {
		return name
	}
	return ""
}

// report reports the kinds that are read with the manager's client, and that its options do not name.
func (c *checker) report(manager *ssa.Call) {
	named, visible := optionsOf(manager)
	if !visible {
		return
	}
	all := []*Clients{&c.own}
	for _, fact := range c.pass.AllPackageFacts() {
		if clients, is := fact.Fact.(*Clients); is && fact.Package != c.pass.Pkg {
			all = append(all, clients)
		}
	}
	managed := map[string]bool{managers: true}
	for known := 0; known < len(managed); {
		known = len(managed)
		for _, clients := range all {
			for from, to := range clients.Flows {
				if managed[from] {
					for _, client := range to {
						managed[client] = true
					}
				}
			}
		}
	}
	reads := map[string]string{}
	for _, clients := range all {
		maps.Copy(named, clients.Watched)
	}
	for _, clients := range all {
		for client, kinds := range clients.Reads {
			for kind, read := range kinds {
				if managed[client] && !named[kind] && (reads[kind] == "" || read < reads[kind]) {
					reads[kind] = read
				}
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(reads)) {
		report.Diagnostic(c.pass, analysis.Diagnostic{
			Pos: manager.Pos(),
			Message: fmt.Sprintf("the first %s starts a watch of all %ss of the cluster, and keeps them in memory; name the kind in Cache.ByObject, or in Client.Cache.DisableFor",
				strings.Replace(reads[kind], " in ", " of a "+kind+" in ", 1), kind),
		})
	}
}

// optionsOf returns the kinds that the options of a manager name. They are visible if a literal in the same function has them, and they
// limit the cache by kind only.
func optionsOf(manager *ssa.Call) (named map[string]bool, visible bool) {
	named = map[string]bool{}
	load, is := manager.Call.Args[len(manager.Call.Args)-1].(*ssa.UnOp)
	if !is {
		return nil, false
	}
	literal, is := load.X.(*ssa.Alloc)
	if !is || !visibleIn(literal) {
		return nil, false
	}
	// A kind in a map or a slice of the function is one of the options.
	for _, block := range manager.Parent().Blocks {
		for _, instr := range block.Instrs {
			if object, is := instr.(*ssa.MakeInterface); is && caches.IsClient(object.Type(), "Object") {
				if kind := kindOf(object); kind != "" {
					named[kind] = true
				}
			}
		}
	}
	return named, true
}

// visibleIn reports whether all uses of the options, or of a part of them, set fields that leave the cache as it is, or name kinds.
func visibleIn(options ssa.Value) bool {
	for _, instr := range *options.Referrers() {
		switch instr := instr.(type) {
		case *ssa.FieldAddr:
			structure := instr.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
			switch structure.Field(instr.Field).Name() {
			case "NewCache", "NewClient", "Namespace", "ClientBuilder", "ClientDisableCacheFor", "DefaultNamespaces", "DefaultLabelSelector", "DefaultFieldSelector", "ReaderFailOnMissingInformer", "SelectorsByObject", "DefaultSelector", "Namespaces":
				return false
			case "Cache":
				if !visibleIn(instr) {
					return false
				}
			}
		case *ssa.Store:
			if instr.Addr != options {
				return false
			}
			// The Cache of a literal is a literal of its own; a whole literal is stored to a variable.
			part, is := instr.Val.(*ssa.UnOp)
			if !is {
				if made, is := instr.Val.(*ssa.Alloc); is && visibleIn(made) {
					continue
				}
				return false
			}
			literal, is := part.X.(*ssa.Alloc)
			if !is || !visibleIn(literal) {
				return false
			}
		case *ssa.UnOp:
		default:
			return false
		}
	}
	return true
}
