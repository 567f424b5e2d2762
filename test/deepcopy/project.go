package deepcopy

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/typedinformers/informer-gen/generator"
)

// file is the name of the file with deep copies.
const file = "zz_generated.deepcopy.go"

// Project is a published module with API types.
type Project struct {
	// Module is the module path.
	Module string
	// Patterns are the packages with deep copies.
	Patterns []string
	// Packages is how many there are.
	Packages int
}

// Projects are the modules that are compared. test/go.mod has their versions.
var Projects = []Project{
	{Module: "k8s.io/api", Patterns: []string{"./..."}, Packages: 60},
	{Module: "sigs.k8s.io/gateway-api", Patterns: []string{"./apis/...", "./apisx/..."}, Packages: 5},
	{Module: "github.com/cert-manager/cert-manager", Patterns: []string{"./pkg/apis/acme/...", "./pkg/apis/certmanager/...", "./pkg/apis/meta/..."}, Packages: 3},
	{Module: "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring", Patterns: []string{"./..."}, Packages: 3},
}

// Copy is a copy of a project with our deep copies.
type Copy struct {
	Project
	// Published is the folder of the module, and Dir that of the copy.
	Published, Dir string
}

// Make copies a project below dir, and writes our deep copies there.
func Make(ctx context.Context, project Project, dir string) (*Copy, error) {
	published, err := goOutput(ctx, "list", "-m", "-f", "{{.Dir}}", project.Module)
	if err != nil {
		return nil, err
	}
	c := &Copy{Project: project, Published: published, Dir: filepath.Join(dir, filepath.FromSlash(project.Module))}
	if err := c.writeModule(); err != nil { // first, so that the files never belong to the module around them
		return nil, err
	}
	if err := c.copySources(); err != nil {
		return nil, err
	}
	result, err := generator.Generate(ctx, generator.Options{Dir: c.Dir, Patterns: project.Patterns, OutputDir: "informergen", DeepCopy: true})
	if err != nil {
		return nil, err
	}
	return c, result.Write(ctx)
}

// copySources copies the Go files of the module, without tests and without deep copies.
func (c *Copy) copySources() error {
	return filepath.WalkDir(c.Published, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(c.Published, name)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{"testdata", "vendor", "test", "hack"}, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || entry.Name() == file {
			return nil
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		target := filepath.Join(c.Dir, relative)
		return errors.Join(os.MkdirAll(filepath.Dir(target), 0o755), os.WriteFile(target, content, 0o644))
	})
}

// ours is the start of the paths of this repository's modules.
const ours = "github.com/typedinformers/"

// readModule returns the module file of this test.
func readModule() (*modfile.File, error) {
	const name = "../go.mod"
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, content, nil)
}

// writeModule writes a module goMod, and next to it the go.sum of this test.
func save(goMod *modfile.File, name string) error {
	goMod.Cleanup()
	content, err := goMod.Format()
	if err != nil {
		return err
	}
	goSum, err := os.ReadFile("../go.sum")
	return errors.Join(err, os.WriteFile(name, content, 0o644), os.WriteFile(strings.TrimSuffix(name, ".mod")+".sum", goSum, 0o644))
}

// writeModule writes a go.mod with the requirements of this test that are published.
func (c *Copy) writeModule() error {
	goMod, err := readModule()
	if err != nil {
		return err
	}
	errs := []error{goMod.AddModuleStmt(c.Module), os.MkdirAll(c.Dir, 0o755)}
	for _, require := range goMod.Require {
		if path := require.Mod.Path; path == c.Module || strings.HasPrefix(path, ours) {
			errs = append(errs, goMod.DropRequire(path))
		}
	}
	for _, replace := range goMod.Replace {
		if strings.HasPrefix(replace.Old.Path, ours) {
			errs = append(errs, goMod.DropReplace(replace.Old.Path, replace.Old.Version))
		}
	}
	for _, tool := range goMod.Tool {
		errs = append(errs, goMod.DropTool(tool.Path))
	}
	return errors.Join(append(errs, save(goMod, filepath.Join(c.Dir, "go.mod")))...)
}

// Folders returns the folders with published deep copies that the patterns match.
func (c *Copy) Folders() ([]string, error) {
	var folders []string
	for _, pattern := range c.Patterns {
		root := filepath.Join(c.Published, strings.TrimSuffix(pattern, "..."))
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Name() == file {
				folder, relErr := filepath.Rel(c.Published, filepath.Dir(name))
				folders = append(folders, folder)
				return relErr
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return folders, nil
}

// Functions returns the functions that a file declares, with their signatures, and the size of the file.
func Functions(name string) (functions map[string]bool, size int, err error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, 0, err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), name, content, parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, err
	}
	functions = map[string]bool{}
	for _, decl := range parsed.Decls {
		if decl, ok := decl.(*ast.FuncDecl); ok {
			receiver := ""
			if decl.Recv != nil {
				receiver = "(" + types.ExprString(decl.Recv.List[0].Type) + ") "
			}
			functions[receiver+decl.Name.Name+strings.TrimPrefix(types.ExprString(decl.Type), "func")] = true
		}
	}
	return functions, len(content), nil
}

// ModFile writes a module file for this module that replaces the projects by the copies, and returns its
// name.
func ModFile(dir string, copies []*Copy) (string, error) {
	goMod, err := readModule()
	if err != nil {
		return "", err
	}
	above, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	var errs []error
	for _, replace := range goMod.Replace {
		if replace.New.Version == "" { // a folder
			errs = append(errs, goMod.AddReplace(replace.Old.Path, replace.Old.Version, filepath.Join(above, replace.New.Path), ""))
		}
	}
	for _, c := range copies {
		errs = append(errs, goMod.AddReplace(c.Module, "", c.Dir, ""))
	}
	name := filepath.Join(dir, "ours.mod")
	return name, errors.Join(append(errs, save(goMod, name))...)
}

func goOutput(ctx context.Context, args ...string) (string, error) {
	output, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return strings.TrimSpace(string(output)), nil
}
