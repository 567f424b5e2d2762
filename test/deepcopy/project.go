package deepcopy

import (
	"bytes"
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
	"regexp"
	"slices"
	"strings"

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

var (
	moduleLine = regexp.MustCompile(`(?m)^module .*$`)
	// local are the lines about modules of this repository, and about tools.
	local = regexp.MustCompile(`(?ms)^(\t|replace )github.com/typedinformers/[^\n]*$|^tool \(.*?^\)$`)
)

// writeModule writes a go.mod with the requirements of this test, whose modules are all present.
func (c *Copy) writeModule() error {
	goMod, err := os.ReadFile("../go.mod")
	if err != nil {
		return err
	}
	goMod = moduleLine.ReplaceAll(local.ReplaceAll(goMod, nil), []byte("module "+c.Module))
	goMod = regexp.MustCompile(`(?m)^\t`+regexp.QuoteMeta(c.Module)+` v.*$`).ReplaceAll(goMod, nil)
	goSum, err := os.ReadFile("../go.sum")
	return errors.Join(err, os.MkdirAll(c.Dir, 0o755), os.WriteFile(filepath.Join(c.Dir, "go.mod"), goMod, 0o644), os.WriteFile(filepath.Join(c.Dir, "go.sum"), goSum, 0o644))
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
	goMod, err := os.ReadFile("../go.mod")
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	above, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	b.Write(regexp.MustCompile(`=> \.\S*`).ReplaceAllFunc(goMod, func(replaced []byte) []byte {
		return []byte("=> " + filepath.Join(above, strings.TrimPrefix(string(replaced), "=> ")))
	}))
	for _, c := range copies {
		fmt.Fprintf(&b, "\nreplace %s => %s\n", c.Module, c.Dir)
	}
	goSum, err := os.ReadFile("../go.sum")
	name := filepath.Join(dir, "ours.mod")
	return name, errors.Join(err, os.WriteFile(name, b.Bytes(), 0o644), os.WriteFile(filepath.Join(dir, "ours.sum"), goSum, 0o644))
}

func goOutput(ctx context.Context, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Env = append(os.Environ(), "GOPROXY=off")
	output, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return strings.TrimSpace(string(output)), nil
}
