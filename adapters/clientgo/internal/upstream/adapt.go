// Package upstream adapts tests of client-go's tools/cache, so that they run outside of their
// package: over informers that they get from other functions.
//
//	client-go's module ─▶ Adapt: names, casts, tests of internals ─▶ files of another module
package upstream

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Rules are what Adapt changes in a file.
type Rules struct {
	// Package is the new name of the package.
	Package string
	// Import is the path of the old package, which the file imports with a dot; empty if it does
	// not use it.
	Import string
	// Rename has new names for functions that are called.
	Rename map[string]string
	// Construct has functions by the name of a generic struct with one field. A literal of it
	// becomes a call with the value of the field.
	Construct map[string]string
	// Remove are the names of functions that are removed.
	Remove []string
	// Internal has tests that are removed because they use internals, with one name of a field or
	// method that each uses.
	Internal map[string]string
}

// Result is an adapted file.
type Result struct {
	Source []byte
	// Tests are the names of the tests in the file, Internal those that were removed.
	Tests, Internal []string
}

// Adapt changes the text of a file in place, so that its lines keep their numbers. An Internal test
// that does not use its internal name is an error, because it could run.
func Adapt(name string, source []byte, rules Rules) (Result, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	if err != nil {
		return Result{}, err
	}
	a := &adapter{rules: rules, source: source, base: fset.File(file.Pos()).Base()}
	a.replace(file.Name, rules.Package)
	if rules.Import != "" {
		a.insert(file.Name.End(), fmt.Sprintf("; import . %q", rules.Import))
	}
	for _, decl := range file.Decls {
		function, ok := decl.(*ast.FuncDecl)
		if !ok || function.Recv != nil {
			a.adapt(decl)
			continue
		}
		switch name := function.Name.Name; {
		case slices.Contains(rules.Remove, name):
			a.blank(decl)
		case rules.Internal[name] != "":
			if !selects(function, rules.Internal[name]) {
				return Result{}, fmt.Errorf("%s does not use %s any more", name, rules.Internal[name])
			}
			a.blank(decl)
			a.result.Internal = append(a.result.Internal, name)
		default:
			if isTest(function) {
				a.result.Tests = append(a.result.Tests, name)
			}
			a.adapt(decl)
		}
	}
	a.result.Source = a.apply()
	return a.result, nil
}

func isTest(function *ast.FuncDecl) bool {
	return strings.HasPrefix(function.Name.Name, "Test") && function.Name.Name != "TestMain"
}

// selects reports whether a function uses a field or method of that name.
func selects(function *ast.FuncDecl, name string) (found bool) {
	ast.Inspect(function, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		found = found || ok && selector.Sel.Name == name
		return !found
	})
	return found
}

type adapter struct {
	rules  Rules
	source []byte
	base   int // of positions
	edits  []edit
	result Result
}

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

func (a *adapter) replace(node ast.Node, text string) {
	a.edits = append(a.edits, edit{int(node.Pos()) - a.base, int(node.End()) - a.base, text})
}

func (a *adapter) insert(at token.Pos, text string) {
	a.edits = append(a.edits, edit{int(at) - a.base, int(at) - a.base, text})
}

// blank removes a declaration, and leaves its lines empty.
func (a *adapter) blank(decl ast.Decl) {
	lines := strings.Count(a.text(decl), "\n")
	a.replace(decl, strings.Repeat("\n", lines))
}

func (a *adapter) text(node ast.Node) string {
	return string(a.source[int(node.Pos())-a.base : int(node.End())-a.base])
}

// adapt changes the calls and the literals in a declaration.
func (a *adapter) adapt(decl ast.Decl) {
	ast.Inspect(decl, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			if name, ok := node.Fun.(*ast.Ident); ok && a.rules.Rename[name.Name] != "" {
				a.replace(name, a.rules.Rename[name.Name])
			}
		case *ast.UnaryExpr:
			if literal, ok := node.X.(*ast.CompositeLit); ok && node.Op == token.AND {
				return !a.construct(node, literal)
			}
		case *ast.CompositeLit:
			return !a.construct(node, node)
		}
		return true
	})
}

// construct replaces node, a literal or its address, if there is a function for its type.
func (a *adapter) construct(node ast.Node, literal *ast.CompositeLit) bool {
	generic, ok := literal.Type.(*ast.IndexExpr)
	if !ok {
		return false
	}
	name, ok := generic.X.(*ast.Ident)
	if !ok || a.rules.Construct[name.Name] == "" {
		return false
	}
	value := "nil"
	if len(literal.Elts) == 1 {
		value = a.text(literal.Elts[0].(*ast.KeyValueExpr).Value)
	}
	a.replace(node, fmt.Sprintf("%s[%s](%s)", a.rules.Construct[name.Name], a.text(generic.Index), value))
	return true
}

// apply returns the source with the edits.
func (a *adapter) apply() []byte {
	slices.SortStableFunc(a.edits, func(x, y edit) int { return cmp.Compare(x.start, y.start) })
	var result []byte
	at := 0
	for _, e := range a.edits {
		result = append(append(result, a.source[at:e.start]...), e.text...)
		at = e.end
	}
	return append(result, a.source[at:]...)
}
