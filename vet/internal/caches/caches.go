// Package caches knows the types of the caches that the analyzers read about: client-go's, controller-runtime's and those of
// informer-gen. No other package names them.
package caches

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const (
	ClientGo = "k8s.io/client-go/tools/cache"
	Typed    = "github.com/typedinformers/informer-gen/runtime/cache"
	Meta     = "k8s.io/apimachinery/pkg/apis/meta/v1"
	// ControllerRuntime is the beginning of the paths of its packages.
	ControllerRuntime = "sigs.k8s.io/controller-runtime/"
	// Tombstone is the type that a delete handler of client-go gets if the watch has missed the deletion.
	Tombstone = "DeletedFinalStateUnknown"
)

// Relevant reports whether a package can have findings, or functions that others call with an object of a cache: it refers to the
// metadata of objects.
func Relevant(pkg *types.Package) bool {
	return !Known(pkg.Path()) && refers(pkg, map[*types.Package]bool{})
}

// Known reports whether a package belongs to the libraries that every program uses. What they do is known here.
func Known(path string) bool {
	return slices.ContainsFunc([]string{"k8s.io/api/", "k8s.io/apimachinery/", Typed + "/"}, func(known string) bool { return strings.HasPrefix(path+"/", known) })
}

func refers(pkg *types.Package, seen map[*types.Package]bool) bool {
	if seen[pkg] {
		return false
	}
	seen[pkg] = true
	return slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool { return p.Path() == Meta || refers(p, seen) })
}

// Callee returns the function or method that a call names; nil for a call of a value.
func Callee(call *ssa.CallCommon) *types.Func {
	if call.IsInvoke() {
		return call.Method.Origin()
	}
	if callee := call.StaticCallee(); callee != nil {
		if fn, is := callee.Object().(*types.Func); is {
			return fn.Origin()
		}
	}
	return nil
}

// Named returns the name of a type and the path of its package, without the pointer and the type arguments; "" for a type
// without a name.
func Named(t types.Type) (path, name string) {
	t = types.Unalias(t)
	if pointer, is := t.(*types.Pointer); is {
		t = types.Unalias(pointer.Elem())
	}
	named, is := t.(*types.Named)
	if !is || named.Obj().Pkg() == nil {
		return "", ""
	}
	return named.Obj().Pkg().Path(), named.Obj().Name()
}

// Is reports whether t, or the type that it points to, has this name.
func Is(t types.Type, path, name string) bool {
	p, n := Named(t)
	return p == path && n == name
}

// Receiver returns the type that a method was declared for; nil for a function.
func Receiver(fn *types.Func) types.Type {
	if receiver := fn.Signature().Recv(); receiver != nil {
		return receiver.Type()
	}
	return nil
}

// Path returns the path of the package that declares fn; "" for the method Error.
func Path(fn *types.Func) string {
	if fn.Pkg() == nil {
		return ""
	}
	return fn.Pkg().Path()
}

// IsFunc reports whether fn is a function of a package, and not a method.
func IsFunc(fn *types.Func, path string, names ...string) bool {
	return fn != nil && Path(fn) == path && Receiver(fn) == nil && slices.Contains(names, fn.Name())
}

// inCache reports whether a package declares informers, stores or listers.
func inCache(path string) bool {
	return path == ClientGo || path == Typed || strings.HasPrefix(path, ControllerRuntime+"pkg/cache")
}

// IsInformerMethod reports whether fn is a method of an informer, also of one that a factory made.
func IsInformerMethod(fn *types.Func, names ...string) bool {
	if fn == nil || !slices.Contains(names, fn.Name()) || !inCache(Path(fn)) || Receiver(fn) == nil {
		return false
	}
	_, name := Named(Receiver(fn))
	return strings.Contains(name, "Informer")
}

// IsFactoryMethod reports whether fn is a method of a factory of informers, generated or dynamic.
func IsFactoryMethod(fn *types.Func, names ...string) bool {
	if fn == nil || !slices.Contains(names, fn.Name()) || Receiver(fn) == nil {
		return false
	}
	_, name := Named(Receiver(fn))
	return strings.HasSuffix(name, "InformerFactory")
}

// Read says what a call reads from a cache.
type Read struct {
	// Name is the name of the method with its type, for messages.
	Name string
	// Depth is 0 if the result is an object of the cache, and 1 if it is a new slice or map of such objects.
	Depth int
	// All is set if the call returns all objects.
	All bool
	// Dynamic is set if the object may be an unstructured one.
	Dynamic bool
	// Store is set for a method of a store, which may be no informer's.
	Store bool
}

// ReadOf returns what a call reads from a cache; ok is false if it reads none.
func ReadOf(call *ssa.CallCommon) (read Read, ok bool) {
	fn := Callee(call)
	if fn == nil || Receiver(fn) == nil {
		return Read{}, false
	}
	path, name := Named(Receiver(fn))
	read.Name = name + "." + fn.Name()
	results := fn.Signature().Results()
	if results.Len() == 0 {
		return Read{}, false
	}
	switch {
	case IsLister(fn):
		read.Dynamic = strings.HasPrefix(name, "Generic")
		switch fn.Name() {
		case "Get":
			return read, true
		case "List", "ByIndex":
			read.Depth, read.All = 1, fn.Name() == "List" && !strings.Contains(name, "Namespace")
			return read, true
		}
	case inCache(path) && (strings.HasSuffix(name, "Indexer") || strings.HasSuffix(name, "Store")):
		read.Store = true
		switch fn.Name() {
		case "Get", "GetByKey":
			return read, true
		case "List", "ByIndex", "Index", "All", "AllByIndex":
			read.Depth, read.All = 1, fn.Name() == "List" || fn.Name() == "All"
			return read, true
		}
	}
	return Read{}, false
}

// IsLister reports whether fn is a method of a lister, which reads a cache.
func IsLister(fn *types.Func) bool {
	if fn == nil || Receiver(fn) == nil {
		return false
	}
	path, name := Named(Receiver(fn))
	return inCache(path) && strings.Contains(name, "Lister") && !strings.Contains(name, "ListerWatcher") || strings.HasSuffix(name, "Lister") && listsBySelector(fn, Receiver(fn))
}

// listsBySelector reports whether fn is Get or List of a generated lister, whose List takes a selector of labels. A client's takes a context.
func listsBySelector(fn *types.Func, receiver types.Type) bool {
	list, _, _ := types.LookupFieldOrMethod(receiver, true, fn.Pkg(), "List")
	method, is := list.(*types.Func)
	if !is || method.Signature().Params().Len() != 1 {
		return false
	}
	if !Is(method.Signature().Params().At(0).Type(), "k8s.io/apimachinery/pkg/labels", "Selector") {
		return false
	}
	params := fn.Signature().Params()
	return fn.Name() == "List" || params.Len() == 1 && isString(params.At(0).Type())
}

func isString(t types.Type) bool {
	basic, is := t.Underlying().(*types.Basic)
	return is && basic.Info()&types.IsString != 0
}

// IsClient reports whether t is one of the interfaces of a client of controller-runtime.
func IsClient(t types.Type, names ...string) bool {
	path, name := Named(t)
	return strings.HasPrefix(path, ControllerRuntime) && slices.Contains(names, name)
}

// ClientMethod returns the name of the method of a client of controller-runtime that a call names; "" for others.
func ClientMethod(fn *types.Func) string {
	if fn == nil || Path(fn) != ControllerRuntime+"pkg/client" || Receiver(fn) == nil {
		return ""
	}
	switch _, name := Named(Receiver(fn)); name {
	case "Reader", "Writer", "Client", "WithWatch", "SubResourceWriter", "StatusWriter", "SubResourceClient":
		return fn.Name()
	}
	return ""
}

// Request returns the verb of a request to the API server that a call of a generated or dynamic client makes; "" for others.
func Request(fn *types.Func) string {
	if fn == nil || Receiver(fn) == nil || fn.Signature().Params().Len() == 0 || !Is(fn.Signature().Params().At(0).Type(), "context", "Context") {
		return ""
	}
	switch fn.Name() {
	case "Create", "Update", "UpdateStatus", "Patch", "Apply", "ApplyStatus", "Delete", "DeleteCollection", "Get", "List", "Evict", "UpdateScale", "GetScale":
	default:
		return ""
	}
	path, name := Named(Receiver(fn))
	params := fn.Signature().Params()
	optioned := false
	for param := range params.Variables() {
		p, n := Named(param.Type())
		optioned = optioned || p == Meta && strings.HasSuffix(n, "Options")
	}
	if strings.Contains(path, "/typed/") || path == "k8s.io/client-go/dynamic" || path == "k8s.io/client-go/metadata" || optioned && strings.HasSuffix(name, "Interface") {
		return fn.Name()
	}
	return ""
}

// HasReferences reports whether a value of the type refers to memory that it shares with its copies. A string does not: nobody can write to it.
func HasReferences(t types.Type) bool { return hasReferences(t, 0) }

func hasReferences(t types.Type, depth int) bool {
	if depth > 10 {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return hasReferences(u.Elem(), depth+1)
	case *types.Struct:
		for field := range u.Fields() {
			if hasReferences(field.Type(), depth+1) {
				return true
			}
		}
		return false
	}
	return true
}
