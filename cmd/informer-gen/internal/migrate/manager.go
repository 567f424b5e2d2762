package migrate

import (
	"context"
	"errors"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	crcachePart = "/adapters/controllerruntime"
	newCache    = "NewCache: crcache.New,"
)

// constructors are the functions that make managers and clusters, by package.
var constructors = []struct{ path, base, function string }{
	{"sigs.k8s.io/controller-runtime", "controllerruntime", "NewManager"},
	{"sigs.k8s.io/controller-runtime/pkg/manager", "manager", "New"},
}

// decideManagers returns the plan that gives the managers of a project the cache of informer-gen.
func decideManagers(_ context.Context, p *findings, o Options) (*plan, error) {
	plan := &plan{}
	var modules []*module
	err := p.walk(func(path string) error {
		text, err := os.ReadFile(path)
		if filepath.Ext(path) != ".go" || !strings.Contains(string(text), `"sigs.k8s.io/controller-runtime`) {
			return err
		}
		file, err := parseGo(source{path, string(text)})
		if err != nil {
			return err
		}
		edits, hasOne := managersOf(file)
		plan.already = plan.already || hasOne
		plan.edits = append(plan.edits, edits...)
		if m := p.moduleOfFile(path); len(edits) > 0 && m != nil && !slices.Contains(modules, m) {
			modules = append(modules, m)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(plan.edits) == 0 && !plan.already {
		return nil, errors.New("no call of ctrl.NewManager or manager.New has options that can be changed; set NewCache: crcache.New where the manager is made")
	}
	for _, m := range modules {
		change, err := decideGoMod(p.project, m, crcachePart, true, false, o)
		if err != nil {
			return nil, err
		}
		plan.goMods = append(plan.goMods, change)
	}
	return plan, nil
}

// managersOf returns the edits of a file that set NewCache in the options of managers, and whether one is set already.
func managersOf(file *goFile) (edits []edit, hasOne bool) {
	// path are the nodes around the present one.
	var path []ast.Node
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		if node == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, node)
		call, ok := node.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 || !file.isConstructor(call.Fun) {
			return true
		}
		switch options := call.Args[1].(type) {
		case *ast.CompositeLit:
			if slices.ContainsFunc(options.Elts, isNewCache) {
				hasOne = true
				return true
			}
			text := newCache + " "
			if file.at(options.Lbrace).line != file.at(options.Rbrace).line {
				text = "\n" + newCache
			}
			edits = append(edits, file.insert(options.Lbrace+token.Pos(len("{")), text, "add "+newCache))
		case *ast.Ident:
			function, statement := enclosing(path)
			line := options.Name + ".NewCache = crcache.New"
			if statement == nil || setsNewCache(function, options.Name) {
				hasOne = true
				return true
			}
			edits = append(edits, file.insert(statement.Pos(), line+"\n", "add "+line))
		}
		return true
	})
	if _, imported := file.importName(product+crcachePart, ""); len(edits) > 0 && !imported {
		edits = append(edits, file.addImport("crcache", product+crcachePart))
	}
	return edits, hasOne
}

// isConstructor reports whether a function makes a manager.
func (f *goFile) isConstructor(function ast.Expr) bool {
	for _, c := range constructors {
		if name, ok := f.importName(c.path, c.base); ok && isSelector(function, []string{name}, c.function) {
			return true
		}
	}
	return false
}

// enclosing returns the innermost statement of a block, and the outermost function, of nodes that are in one another.
func enclosing(path []ast.Node) (function ast.Node, statement ast.Stmt) {
	for n, node := range path {
		if _, ok := node.(*ast.FuncDecl); ok && function == nil {
			function = node
		}
		switch node.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			if n+1 < len(path) {
				if s, ok := path[n+1].(ast.Stmt); ok {
					statement = s
				}
			}
		}
	}
	return function, statement
}

// setsNewCache reports whether a function sets the field NewCache of a variable, in a literal or by an assignment.
func setsNewCache(function ast.Node, name string) (sets bool) {
	if function == nil {
		return false
	}
	ast.Inspect(function, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SelectorExpr:
			sets = sets || isSelector(node, []string{name}, "NewCache")
		case *ast.KeyValueExpr:
			sets = sets || isNewCache(node)
		}
		return true
	})
	return sets
}

func isNewCache(element ast.Expr) bool {
	pair, ok := element.(*ast.KeyValueExpr)
	if !ok {
		return false
	}
	name, ok := pair.Key.(*ast.Ident)
	return ok && name.Name == "NewCache"
}

// isSelector reports whether an expression is a name in one of the packages.
func isSelector(expression ast.Expr, packages []string, name string) bool {
	selector, ok := expression.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	pkg, ok := selector.X.(*ast.Ident)
	return ok && slices.Contains(packages, pkg.Name)
}
