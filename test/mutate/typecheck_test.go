package mutate

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// needed are the packages that generated code imports. With those that the corpus imports, and all
// that these import, they are known to the type checker.
var needed = []string{
	"k8s.io/api/autoscaling/v1", "k8s.io/api/core/v1",
	"k8s.io/apimachinery/pkg/...",
	"k8s.io/client-go/discovery/...", "k8s.io/client-go/gentype", "k8s.io/client-go/rest", "k8s.io/client-go/testing",
	"k8s.io/client-go/util/apply", "k8s.io/client-go/util/flowcontrol",
	"github.com/typedinformers/informer-gen/apitest", "github.com/typedinformers/informer-gen/runtime/...",
}

// exports are the files with the compiler's export data, by import path.
var exports = sync.OnceValues(func() (map[string]string, error) {
	args := append([]string{"list", "-export", "-deps", "-e", "-f", "{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}"}, needed...)
	cmd := exec.Command("go", append(args, corpus...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	files := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		importPath, file, _ := strings.Cut(lines.Text(), " ")
		files[importPath] = file
	}
	return files, nil
})

// checker type-checks the packages of a module and of one that it requires.
type checker struct {
	fset *token.FileSet
	// roots are the folders of the modules, by module path.
	roots   map[string]string
	checked map[string]*types.Package
	outside types.Importer
	// errs are the errors in each package.
	errs map[string][]error
}

func newChecker(roots map[string]string) (*checker, error) {
	files, err := exports()
	if err != nil {
		return nil, err
	}
	c := &checker{fset: token.NewFileSet(), roots: roots, checked: map[string]*types.Package{}, errs: map[string][]error{}}
	c.outside = importer.ForCompiler(c.fset, "gc", func(importPath string) (io.ReadCloser, error) {
		file, ok := files[importPath]
		if !ok {
			return nil, fmt.Errorf("no export data of %s", importPath)
		}
		return os.Open(file)
	})
	return c, nil
}

// Import implements types.Importer.
func (c *checker) Import(importPath string) (*types.Package, error) {
	if pkg, begun := c.checked[importPath]; pkg != nil {
		return pkg, nil
	} else if begun {
		return nil, fmt.Errorf("package %s imports itself", importPath)
	}
	for module, root := range c.roots {
		if rest, ok := strings.CutPrefix(importPath, module+"/"); ok {
			return c.check(importPath, filepath.Join(root, filepath.FromSlash(rest)))
		}
	}
	return c.outside.Import(importPath)
}

// check type-checks the package in a folder.
func (c *checker) check(importPath, dir string) (*types.Package, error) {
	c.checked[importPath] = nil
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, entry := range entries {
		if taken, err := build.Default.MatchFile(dir, entry.Name()); err != nil || !taken || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(c.fset, filepath.Join(dir, entry.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no Go files in %s", dir)
	}
	config := types.Config{Importer: c, Error: func(err error) { c.errs[importPath] = append(c.errs[importPath], err) }}
	pkg, _ := config.Check(importPath, c.fset, files, nil)
	c.checked[importPath] = pkg
	if len(c.errs[importPath]) > 0 {
		return pkg, fmt.Errorf("package %s has errors", importPath)
	}
	return pkg, nil
}
