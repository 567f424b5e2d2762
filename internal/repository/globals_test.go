package repository_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// state has the package-level variables that the module changes while it runs, each with the reason why
// a test needs no reset of it. Any other variable is set once, by its declaration.
var state = map[string]string{
	"generator/internal/markers.registry": "find returns the address of a row, which no one changes",

	"apitest.servers":                      "gives each server a URL of its own, because informers tell servers apart by URL",
	"apitest/internal/fields.converters":   "a cache of what is computed from a type",
	"apitest/internal/fields.opened":       "a cache of what is computed from a schema",
	"apitest/internal/fields.shapes":       "a cache of what is computed from a type",
	"runtime/cache.lastInformer":           "gives each informer a number of its own; only the order of two numbers means something",
	"runtime/cache/internal/store.scratch": "a pool of slices without content",

	"runtime/wire.blocks":                       "a pool of blocks without content",
	"runtime/wire.idleBlocks":                   "a pool of blocks without content",
	"runtime/wire/internal/plan.fields":         "a cache of what is computed from a type",
	"runtime/wire/internal/plan.plans":          "a cache of what is computed from a type",
	"runtime/wire/internal/plan.shapes":         "a cache of what is computed from a type",
	"runtime/wire/internal/plan.scratches":      "a pool of buffers without content",
	"runtime/wire/internal/protobuf.ownMethods": "a cache of what is computed from a type",
	"runtime/wire/internal/protobuf.plans":      "a cache of what is computed from a type",
	"runtime/wire/internal/protobuf.privates":   "a cache of what is computed from a type",
	"runtime/wire/internal/protobuf.scratches":  "a pool of buffers without content",
	"runtime/wire/internal/protobuf.walked":     "a cache of what is computed from a type",
}

// TestNoGlobalState reads the syntax of all packages of the module. Nothing happens when a program
// imports one: there is no func init. And what one test does, no other one sees: no function
// writes to a package-level variable, and no such variable has a lock, a channel or an atomic value.
func TestNoGlobalState(t *testing.T) {
	found := map[string]bool{}
	for name, content := range listPackages(t) {
		var files []*ast.File
		fset := token.NewFileSet()
		for _, file := range content.GoFiles {
			parsed, err := parser.ParseFile(fset, filepath.Join(filepath.FromSlash(name), file), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, parsed)
		}
		for at, why := range globalState(files) {
			key := name + "." + at
			found[key] = true
			if state[key] == "" {
				t.Errorf("%s %s; make it part of a value that the caller has, or add the reason to this test", key, why)
			}
		}
	}
	for key := range state {
		if !found[key] {
			t.Errorf("%s is no state any more; remove it from this test", key)
		}
	}
}

// stateful are the packages of types that are made to be changed. The functions sync.OnceValue and
// sync.OnceValues are not among them: they compute what would be work at the start of a program.
var stateful = []string{"sync", "atomic", "rand", "freelist"}

// globalState returns the variables of a package that are state, and init for a func init, with the reason.
func globalState(files []*ast.File) map[string]string {
	found, globals := map[string]string{}, map[string]bool{}
	for _, file := range files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil && decl.Name.Name == "init" {
					found["init"] = "runs when a program imports the package"
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					value, ok := spec.(*ast.ValueSpec)
					if !ok || decl.Tok != token.VAR {
						continue
					}
					for _, name := range value.Names {
						if globals[name.Name] = name.Name != "_"; globals[name.Name] && isStateful(value) {
							found[name.Name] = "has a type that is made to be changed"
						}
					}
				}
			}
		}
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			if function, ok := decl.(*ast.FuncDecl); ok && function.Body != nil {
				for name := range writes(function.Body) {
					if globals[name] {
						found[name] = "is written by " + function.Name.Name
					}
				}
			}
		}
	}
	return found
}

// isStateful reports whether the declaration of a variable has a stateful type, or makes a value of one. What is
// inside of a function literal belongs to its calls.
func isStateful(value *ast.ValueSpec) bool {
	is := false
	visit := func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit, *ast.FuncType:
			return false
		case *ast.ChanType:
			is = true
		case *ast.SelectorExpr:
			if pkg, ok := node.X.(*ast.Ident); ok && slices.Contains(stateful, pkg.Name) && !strings.HasPrefix(node.Sel.Name, "OnceValue") {
				is = true
			}
		}
		return true
	}
	if value.Type != nil {
		ast.Inspect(value.Type, visit)
	}
	for _, expr := range value.Values {
		ast.Inspect(expr, visit)
	}
	return is
}

// writes returns the names that are no local variables and that the statements assign to, in whole or in part,
// or take the address of.
func writes(body ast.Node) map[string]bool {
	names := map[string]bool{}
	add := func(expr ast.Expr) {
		for {
			switch node := expr.(type) {
			case *ast.SelectorExpr:
				expr = node.X
			case *ast.IndexExpr:
				expr = node.X
			case *ast.StarExpr:
				expr = node.X
			case *ast.ParenExpr:
				expr = node.X
			case *ast.Ident:
				if isGlobal(node) {
					names[node.Name] = true
				}
				return
			default:
				return
			}
		}
	}
	ast.Inspect(body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			if node.Tok != token.DEFINE {
				for _, expr := range node.Lhs {
					add(expr)
				}
			}
		case *ast.IncDecStmt:
			add(node.X)
		case *ast.UnaryExpr:
			if node.Op == token.AND {
				add(node.X)
			}
		case *ast.CallExpr:
			if name, ok := node.Fun.(*ast.Ident); ok && len(node.Args) > 0 && (name.Name == "delete" || name.Name == "clear") {
				add(node.Args[0])
			}
		}
		return true
	})
	return names
}

// isGlobal reports whether a name is declared by no function: in another file of the package, or at the
// top level of this one.
func isGlobal(name *ast.Ident) bool {
	if name.Obj == nil {
		return true
	}
	_, ok := name.Obj.Decl.(*ast.ValueSpec)
	return ok // a local var too, which matters only if it has the name of a global one
}

func TestGlobalState(t *testing.T) {
	for source, want := range map[string][]string{
		"func init() {}":                                               {"init"},
		"var a int\nfunc f() { a = 1 }":                                {"a"},
		"var a int\nfunc f() { a++ }":                                  {"a"},
		"var a struct{ b []int }\nfunc f() { a.b[0] += 1 }":            {"a"},
		"var a = map[int]int{}\nfunc f() { delete(a, 1) }":             {"a"},
		"var a int\nfunc f() *int { return &a }":                       {"a"},
		"var a, b sync.Mutex":                                          {"a", "b"},
		"var a = sync.Pool{}":                                          {"a"},
		"var a = make(chan int)":                                       {"a"},
		"var a atomic.Pointer[int]":                                    {"a"},
		"var a = 1\nfunc f() int { a := 2; a++; return a }":            nil,
		"var a = []int{1}\nfunc f() int { return a[0] }":               nil,
		"var a = func() { var mu sync.Mutex; mu.Lock() }":              nil,
		"var a = sync.OnceValue(f)\nfunc f() int { return 1 }":         nil,
		"var _ sync.Locker = (*sync.Mutex)(nil)":                       nil,
		"type t struct{}\nfunc (t) init() {}\nfunc g(a int) { a = 2 }": nil,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\n"+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(globalState([]*ast.File{file}))); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", strings.ReplaceAll(source, "\n", "; "), got, want)
		}
	}
}
