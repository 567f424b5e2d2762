package render

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// known has the packages that templates name in plain Go, by name.
var known = map[string]string{
	"context": "context",
	"fmt":     "fmt",
	"io":      "io",
	"iter":    "iter",
	"json":    "encoding/json",
	"http":    "net/http",
	"reflect": "reflect",
	"strconv": "strconv",
	"strings": "strings",
	"sync":    "sync",
	"time":    "time",

	"labels":        "k8s.io/apimachinery/pkg/labels",
	"managedfields": "k8s.io/apimachinery/pkg/util/managedfields",
	"metav1":        "k8s.io/apimachinery/pkg/apis/meta/v1",
	"runtime":       "k8s.io/apimachinery/pkg/runtime",
	"schema":        "k8s.io/apimachinery/pkg/runtime/schema",
	"serializer":    "k8s.io/apimachinery/pkg/runtime/serializer",
	"sharding":      "k8s.io/apimachinery/pkg/sharding",
	"types":         "k8s.io/apimachinery/pkg/types",
	"unstructured":  "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured",
	"utiljson":      "k8s.io/apimachinery/pkg/util/json",
	"utilruntime":   "k8s.io/apimachinery/pkg/util/runtime",
	"watch":         "k8s.io/apimachinery/pkg/watch",

	"apply":          "k8s.io/client-go/util/apply",
	"genericlisters": "k8s.io/client-go/listers",
	"toolscache":     "k8s.io/client-go/tools/cache",
	"discovery":      "k8s.io/client-go/discovery",
	"fakediscovery":  "k8s.io/client-go/discovery/fake",
	"flowcontrol":    "k8s.io/client-go/util/flowcontrol",
	"gentype":        "k8s.io/client-go/gentype",
	"rest":           "k8s.io/client-go/rest",
	"testing":        "k8s.io/client-go/testing",

	"apitest":       "github.com/typedinformers/informer-gen/apitest",
	"clientgo":      "github.com/typedinformers/informer-gen/adapters/clientgo",
	"bodies":        "github.com/typedinformers/informer-gen/runtime/bodies",
	"cache":         "github.com/typedinformers/informer-gen/runtime/cache",
	"fieldselector": "github.com/typedinformers/informer-gen/runtime/fieldselector",
	"merge":         "github.com/typedinformers/informer-gen/runtime/merge",
	"redirect":      "github.com/typedinformers/informer-gen/runtime/redirect",
	"status":        "github.com/typedinformers/informer-gen/runtime/cache/status",
}

// imports has the packages that a file may use.
type imports struct {
	// paths has the import paths by name, and names is the inverse.
	paths, names map[string]string
	// reserved are names that the package of the file declares.
	reserved []string
	// explicit has the import paths of packages that may not have the name of their folder.
	explicit map[string]bool
}

func newImports(reserved ...string) *imports {
	return &imports{paths: map[string]string{}, names: map[string]string{}, reserved: reserved, explicit: map[string]bool{}}
}

// use returns the name of a package in the file: the first of names that is free, or the last one with
// a number.
func (i *imports) use(importPath string, names ...string) string {
	if name, ok := i.names[importPath]; ok {
		return name
	}
	for name, knownPath := range known {
		if knownPath == importPath && !slices.Contains(i.reserved, name) {
			return name
		}
	}
	name := names[len(names)-1]
	for n := 2; ; n++ {
		if free := slices.IndexFunc(names, i.isFree); free >= 0 {
			name = names[free]
			break
		}
		names = []string{name + strconv.Itoa(n)}
	}
	i.paths[name], i.names[importPath] = importPath, name
	return name
}

func (i *imports) isFree(name string) bool {
	_, isKnown := known[name]
	_, isTaken := i.paths[name]
	return !isKnown && !isTaken && !locals[name] && !slices.Contains(i.reserved, name) && !token.IsKeyword(name) && !doc.IsPredeclared(name)
}

// addTo adds the imports that body uses, and formats it. It also returns the top-level names that body
// declares, without init. A body begins with a package clause.
func (i *imports) addTo(body []byte) (formatted []byte, declared []string, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", body, parser.ParseComments)
	if err != nil {
		return nil, nil, unparsable(body, err)
	}
	clauseEnd := fset.Position(file.Name.End()).Offset
	var b bytes.Buffer
	b.Write(body[:clauseEnd])
	i.writeTo(&b, qualifiers(file))
	b.Write(body[clauseEnd:])
	if formatted, err = format.Source(b.Bytes()); err != nil {
		return nil, nil, unparsable(b.Bytes(), err)
	}
	return formatted, slices.Sorted(maps.Keys(file.Scope.Objects)), nil
}

// qualifiers returns the names before a dot that the file does not declare.
func qualifiers(file *ast.File) map[string]bool {
	unresolved := map[*ast.Ident]bool{}
	for _, ident := range file.Unresolved {
		unresolved[ident] = true
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if ident, ok := selector.X.(*ast.Ident); ok && unresolved[ident] {
				used[ident.Name] = true
			}
		}
		return true
	})
	return used
}

// writeTo writes an import declaration: the standard library, then other packages. gofmt sorts both. It
// skips a qualifier that is a variable in another file of the package.
func (i *imports) writeTo(b *bytes.Buffer, used map[string]bool) {
	var standard, others strings.Builder
	for _, name := range slices.Sorted(maps.Keys(used)) {
		importPath := cmp.Or(i.paths[name], known[name])
		if importPath == "" {
			continue
		}
		line := strconv.Quote(importPath)
		if path.Base(importPath) != name || i.explicit[importPath] {
			line = name + " " + line
		}
		group := &standard
		if first, _, _ := strings.Cut(importPath, "/"); strings.Contains(first, ".") {
			group = &others
		}
		group.WriteString(line + "\n")
	}
	if standard.Len()+others.Len() > 0 {
		fmt.Fprintf(b, "\n\nimport (\n%s\n%s)\n", &standard, &others)
	}
}

// unparsable returns an error with the numbered lines of source.
func unparsable(source []byte, err error) error {
	var b strings.Builder
	fmt.Fprintf(&b, "a template produced code that does not parse, please report it: %v\n", err)
	for n, line := range strings.Split(string(source), "\n") {
		fmt.Fprintf(&b, "%5d\t%s\n", n+1, line)
	}
	return fmt.Errorf("%s", b.String())
}
