package later

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator"
	"github.com/typedinformers/informer-gen/test/compare/project"
)

const (
	module = "github.com/typedinformers/informer-gen"
	// generated is a module with code that is generated from testdata with --informers=client-go.
	generated = "example.com/generated"
)

func isOurs(pkg *types.Package) bool {
	return pkg != nil && (strings.HasPrefix(pkg.Path(), module) || strings.HasPrefix(pkg.Path(), generated))
}

// Workspace is a Go workspace with the modules that users require, testdata, and the module generated. All of them use the same
// versions of other modules, the newest ones, because the module test is in it too.
type Workspace struct {
	Dir     string
	repo    string
	modules []string
}

var userModules = regexp.MustCompile(`(?m)^USER_MODULES := (.*)$`)

// NewWorkspace writes a workspace for the repository to the folder dir, which it empties.
func NewWorkspace(ctx context.Context, repo, dir string) (*Workspace, error) {
	makefile, err := os.ReadFile(filepath.Join(repo, "Makefile"))
	if err != nil {
		return nil, err
	}
	names := userModules.FindSubmatch(makefile)
	if names == nil {
		return nil, errors.New("the Makefile has no line USER_MODULES")
	}
	w := &Workspace{Dir: dir, repo: repo, modules: append(strings.Fields(string(names[1])), "testdata")}
	if err := cmp.Or(os.RemoveAll(dir), os.MkdirAll(filepath.Join(dir, "generated"), 0o755)); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "generated", "go.mod"), []byte("module "+generated+"\n\ngo 1.26.0\n"), 0o666); err != nil {
		return nil, err
	}
	result, err := generator.Generate(ctx, generator.Options{
		Dir: filepath.Join(repo, "testdata"), Patterns: []string{"./apis/..."}, Informers: generator.InformersClientGo,
		OutputDir: filepath.Join(dir, "generated"),
	})
	if err != nil {
		return nil, err
	}
	if err := result.Write(ctx); err != nil {
		return nil, err
	}
	arguments := []string{"work", "init", "./generated", filepath.Join(repo, "test")}
	for _, name := range w.modules {
		arguments = append(arguments, filepath.Join(repo, name))
	}
	return w, w.Go(ctx, arguments...)
}

// Go runs a go command in the workspace.
func (w *Workspace) Go(ctx context.Context, arguments ...string) error {
	command := exec.CommandContext(ctx, "go", arguments...)
	command.Dir, command.Env = w.Dir, w.env()
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(arguments, " "), err, output)
	}
	return nil
}

func (w *Workspace) env() []string {
	return append(project.Environ(), "GOWORK="+filepath.Join(w.Dir, "go.work"))
}

// Loaded has the packages of a workspace, and the types of all that they import.
type Loaded struct {
	Fset     *token.FileSet
	Packages []*packages.Package
}

// Load loads all packages of the workspace. Packages of other modules are checked from source without their function bodies:
// to compile them would take much longer.
func (w *Workspace) Load(ctx context.Context) (*Loaded, error) {
	loaded := &Loaded{Fset: token.NewFileSet()}
	config := &packages.Config{
		Context: ctx, Dir: w.Dir, Env: w.env(), Fset: loaded.Fset, Mode: packages.LoadAllSyntax | packages.NeedModule,
		ParseFile: func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
			file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, w.repo) && !strings.HasPrefix(name, w.Dir) {
				for _, declared := range file.Decls {
					if function, ok := declared.(*ast.FuncDecl); ok {
						function.Body = nil
					}
				}
			}
			return file, err
		},
	}
	patterns := []string{generated + "/..."}
	wanted := map[string]bool{generated: true}
	for _, name := range w.modules {
		path := strings.TrimSuffix(module+"/"+name, "/.")
		patterns = append(patterns, path+"/...")
		wanted[path] = true
	}
	all, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, err
	}
	for _, pkg := range all {
		for _, mistake := range pkg.Errors {
			err = errors.Join(err, mistake)
		}
		if pkg.Module != nil && wanted[pkg.Module.Path] {
			loaded.Packages = append(loaded.Packages, pkg)
		}
	}
	return loaded, err
}
