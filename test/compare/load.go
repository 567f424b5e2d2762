package compare

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/test/compare/project"
)

// Module is where the trees are.
type Module struct {
	Dir  string
	Path string
	// Env is the environment of the go command; nil for that of the process.
	Env []string
	// Whole are the folders whose function bodies are checked too.
	Whole []string
	// Source makes Load check what the trees import from source too, without function
	// bodies. It is for imports that the build cache does not have and that nothing else
	// needs: to compile them takes ten times as long.
	Source bool
}

// LoadProject reads the types of project.Theirs, project.Ours and project.ClientGo, in this order, and
// fails unless all of ours compiles. There is no ClientGo if the project is ClientsOnly.
//
// What they import is compiled with the GOFLAGS of the process: make test has compiled
// it with these. If source is set, nothing is compiled.
func LoadProject(ctx context.Context, p *project.Project, source bool) ([]*Tree, error) {
	ours := []string{project.Ours, project.ClientGo}
	if p.Input.ClientsOnly {
		ours = ours[:1]
	}
	module := Module{Dir: p.Dir, Path: project.ModulePath, Env: append(project.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")), Whole: ours, Source: source}
	return Load(ctx, module, append([]string{project.Theirs}, ours...)...)
}

// Folder has the packages of a tree. It may be outside the module, in the module cache.
type Folder struct {
	Dir  string
	Path string
	// Whole makes Load check function bodies too.
	Whole bool
	// Lenient makes Load ignore type errors. It is for published code that does not
	// compile with the versions of its dependencies that the module has. A type that it
	// refers to in vain differs from every other.
	Lenient bool
}

// Load reads the types of the packages below each folder of a module.
func Load(ctx context.Context, module Module, folders ...string) ([]*Tree, error) {
	var roots []Folder
	for _, folder := range folders {
		roots = append(roots, Folder{
			Dir:   filepath.Join(module.Dir, folder),
			Path:  path.Join(module.Path, folder),
			Whole: slices.Contains(module.Whole, folder),
		})
	}
	return LoadFolders(ctx, module, roots...)
}

// LoadFolders reads the types of the packages below each folder. Their imports are
// resolved in the module.
//
// The trees are checked from source and only what they import is loaded by
// go/packages, from export data: go/packages alone would compile both trees
// first, which takes minutes and which a comparison does not need.
func LoadFolders(ctx context.Context, module Module, folders ...Folder) ([]*Tree, error) {
	l := &loader{fset: token.NewFileSet(), files: map[string][]*ast.File{}, folders: map[string]Folder{}, checked: map[string]*types.Package{},
		sources: map[string]*packages.Package{}, declared: map[string]*types.Package{}}
	for _, folder := range folders {
		if err := l.parse(folder); err != nil {
			return nil, err
		}
	}
	if err := l.loadImports(ctx, module); err != nil {
		return nil, err
	}
	var trees []*Tree
	for _, folder := range folders {
		tree := &Tree{Path: folder.Path, Packages: map[string]*types.Package{}}
		for pkg := range l.files {
			name, ok := strings.CutPrefix(pkg, tree.Path+"/")
			if pkg == tree.Path {
				name, ok = ".", true
			}
			if !ok {
				continue
			}
			types, err := l.Import(pkg)
			if err != nil {
				return nil, err
			}
			tree.Packages[name] = types
		}
		trees = append(trees, tree)
	}
	return trees, nil
}

// loader is a types.Importer of the trees and of what they import.
type loader struct {
	fset    *token.FileSet
	files   map[string][]*ast.File
	folders map[string]Folder // where a package of files is from
	checked map[string]*types.Package
	// sources are packages to be checked from source, by path, and declared what was
	// checked of them, by ID.
	sources  map[string]*packages.Package
	declared map[string]*types.Package
}

// parse reads the files below a folder that the go command would build.
func (l *loader) parse(folder Folder) error {
	return filepath.WalkDir(folder.Dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		if match, err := build.Default.MatchFile(filepath.Split(name)); err != nil || !match {
			return err
		}
		file, err := parser.ParseFile(l.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		way, err := filepath.Rel(folder.Dir, filepath.Dir(name))
		if err != nil {
			return err
		}
		pkg := path.Join(folder.Path, filepath.ToSlash(way))
		l.files[pkg] = append(l.files[pkg], file)
		l.folders[pkg] = folder
		return nil
	})
}

// loadImports loads what the trees import from elsewhere.
func (l *loader) loadImports(ctx context.Context, module Module) error {
	wanted := map[string]bool{}
	for _, files := range l.files {
		for _, file := range files {
			for _, spec := range file.Imports {
				name, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return err
				}
				if _, ok := l.files[name]; !ok {
					wanted[name] = true
				}
			}
		}
	}
	if module.Source {
		return l.loadSources(ctx, module, slices.Sorted(maps.Keys(wanted)))
	}
	config := &packages.Config{
		Context: ctx, Dir: module.Dir, Env: module.Env, Fset: l.fset,
		Mode: packages.NeedName | packages.NeedImports | packages.NeedTypes | packages.NeedExportFile,
	}
	loaded, err := packages.Load(config, slices.Sorted(maps.Keys(wanted))...)
	if err != nil {
		return err
	}
	for _, pkg := range loaded {
		for _, mistake := range pkg.Errors {
			err = errors.Join(err, mistake)
		}
		l.checked[pkg.PkgPath] = pkg.Types
	}
	return err
}

// Import checks a package of a tree, and those before it that it imports.
func (l *loader) Import(path string) (*types.Package, error) {
	if pkg, ok := l.checked[path]; ok {
		return pkg, nil
	}
	if source, ok := l.sources[path]; ok {
		return l.declarations(source)
	}
	files, ok := l.files[path]
	if !ok {
		return nil, fmt.Errorf("package %s is neither in a tree nor imported by one", path)
	}
	config := types.Config{Importer: l, IgnoreFuncBodies: !l.folders[path].Whole, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	if l.folders[path].Lenient {
		config.Error = func(error) {} // without it Check stops at the first error
	}
	pkg, err := config.Check(path, l.fset, files, nil)
	if err != nil && !l.folders[path].Lenient {
		return nil, err
	}
	l.checked[path] = pkg
	return pkg, nil
}
