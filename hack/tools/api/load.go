package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// repository is the prefix of the import paths whose packages are read from source. The others are read
// from export data, which the build cache has after go vet.
const repository = "github.com/typedinformers/informer-gen"

// api holds the packages of a module that users can import.
type api struct {
	// module is the path of the module in the repository, and dir its folder.
	module, dir string
	fset        *token.FileSet
	packages    map[string]*types.Package
	// all has the packages of packages, and all those of the repository that they import.
	all map[string]*types.Package
}

// listed is a package as go list prints it.
type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles, Imports              []string
	DepOnly, Standard             bool
	Error                         *struct{ Err string }
}

// load type-checks the packages of a module without the bodies of functions. Compiling them in another
// folder, as go/packages does, costs a minute for package kubernetes.
func load(repository, module string) (*api, error) {
	dir := filepath.Join(repository, module)
	all, err := goList(dir, "-deps", "./...")
	if err != nil {
		return nil, err
	}
	var outside []string
	ours := map[string]*listed{}
	for _, p := range all {
		if isOurs(p.ImportPath) {
			ours[p.ImportPath] = p
		}
	}
	for _, p := range ours {
		for _, path := range p.Imports {
			if !isOurs(path) && path != "unsafe" {
				outside = append(outside, path)
			}
		}
	}
	slices.Sort(outside)
	exported := map[string]string{}
	if outside = slices.Compact(outside); len(outside) > 0 {
		found, err := goList(dir, append([]string{"-export"}, outside...)...)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			exported[p.ImportPath] = p.Export
		}
	}
	c := &checker{fset: token.NewFileSet(), ours: ours, exported: exported, done: map[string]*types.Package{}, read: map[string]*types.Package{}}
	a := &api{module: module, dir: dir, fset: c.fset, packages: map[string]*types.Package{}, all: c.done}
	for _, path := range slices.Sorted(maps.Keys(ours)) {
		if p := ours[path]; p.DepOnly || p.Name == "main" || isInternal(path) || len(p.GoFiles) == 0 {
			continue
		}
		pkg, err := c.Import(path)
		if err != nil {
			return nil, err
		}
		a.packages[path] = pkg
	}
	return a, nil
}

func isOurs(path string) bool { return path == repository || strings.HasPrefix(path, repository+"/") }

func isInternal(path string) bool { return strings.Contains(path+"/", "/internal/") }

func goList(dir string, args ...string) ([]*listed, error) {
	command := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Name,Dir,Export,GoFiles,Imports,DepOnly,Standard,Error"}, args...)...)
	command.Dir = dir
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w\n%s", dir, err, stderr.Bytes())
	}
	var all []*listed
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		p := &listed{}
		if err := decoder.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list in %s: %w", dir, err)
		}
		if p.Error != nil && !strings.Contains(p.Error.Err, "build constraints exclude all Go files") {
			return nil, fmt.Errorf("go list in %s: %s", dir, p.Error.Err)
		}
		all = append(all, p)
	}
}

// checker imports packages, each once.
type checker struct {
	fset     *token.FileSet
	ours     map[string]*listed
	exported map[string]string
	done     map[string]*types.Package
	// read has the packages of export data, also those that others only refer to.
	read map[string]*types.Package
}

// Import implements types.Importer.
func (c *checker) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := c.done[path]; pkg != nil {
		return pkg, nil
	}
	var pkg *types.Package
	var err error
	if p := c.ours[path]; p != nil {
		pkg, err = c.check(p)
	} else {
		pkg, err = c.readExport(path)
	}
	if err != nil {
		return nil, err
	}
	c.done[path] = pkg
	return pkg, nil
}

func (c *checker) check(p *listed) (*types.Package, error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	// Imports that only bodies use are no errors, because the bodies are not checked.
	config := types.Config{Importer: c, IgnoreFuncBodies: true, DisableUnusedImportCheck: true}
	return config.Check(p.ImportPath, c.fset, files, nil)
}

func (c *checker) readExport(path string) (*types.Package, error) {
	name := c.exported[path]
	if name == "" {
		return nil, fmt.Errorf("package %s has no export data; does it compile?", path)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	//lint:ignore SA1019 Before Go 1.28, the go command writes archives, which only NewReader reads.
	r, err := gcexportdata.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("export data of %s: %w", path, err)
	}
	return gcexportdata.Read(r, c.fset, c.read, path)
}
