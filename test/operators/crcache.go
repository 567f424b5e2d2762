package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

const (
	repoModule  = "github.com/typedinformers/informer-gen"
	crcachePath = repoModule + "/adapters/controllerruntime"
)

// withNewCache returns a Go file in which each ctrl.Options and manager.Options has an option NewCache, and the number of these
// options.
func withNewCache(source []byte, newCache string) (changed []byte, lines int, err error) {
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, err
	}
	type insertion struct {
		offset int
		text   string
	}
	var insertions []insertion
	packages := managerPackages(file)
	ast.Inspect(file, func(node ast.Node) bool {
		options, ok := node.(*ast.CompositeLit)
		if !ok || !isManagerOptions(options.Type, packages) {
			return true
		}
		text := "NewCache: " + newCache + ", "
		if positions.Position(options.Lbrace).Line != positions.Position(options.Rbrace).Line {
			text = "\nNewCache: " + newCache + ","
		}
		insertions = append(insertions, insertion{positions.Position(options.Lbrace).Offset + 1, text})
		return true
	})
	if len(insertions) == 0 {
		return nil, 0, errors.New("the file has no ctrl.Options and no manager.Options")
	}
	lines = len(insertions)
	if strings.HasPrefix(newCache, "crcache.") {
		insertions = append(insertions, insertion{positions.Position(file.Name.End()).Offset, fmt.Sprintf("\nimport crcache %q\n", crcachePath)})
	}
	slices.SortFunc(insertions, func(a, b insertion) int { return b.offset - a.offset })
	changed = bytes.Clone(source)
	for _, i := range insertions {
		changed = slices.Insert(changed, i.offset, []byte(i.text)...)
	}
	changed, err = format.Source(changed)
	return changed, lines, err
}

// managerPackages returns the names under which a file imports the packages that have the options of a manager.
func managerPackages(file *ast.File) []string {
	defaults := map[string]string{
		"sigs.k8s.io/controller-runtime":             "controllerruntime",
		"sigs.k8s.io/controller-runtime/pkg/manager": "manager",
	}
	var names []string
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		name, ok := defaults[path]
		if err != nil || !ok {
			continue
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names = append(names, name)
	}
	return names
}

// isManagerOptions reports whether an expression is the type Options of one of the packages.
func isManagerOptions(expression ast.Expr, packages []string) bool {
	selector, ok := expression.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "Options" {
		return false
	}
	name, ok := selector.X.(*ast.Ident)
	return ok && slices.Contains(packages, name.Name)
}
