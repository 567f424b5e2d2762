package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// compiled are packages that both sides have, by their folders below test/migration/migrated and test/migration/clientgo: of an
// operator that was migrated, and as it was before, with the code of code-generator. file is one of the package.
var compiled = []struct{ name, folder, file string }{
	{"typed informers of a kind", "generated/informers/externalversions/samplecontroller/v1alpha1", "foo.go"},
	{"factory", "generated/informers/externalversions", "factory.go"},
	{"controller", "controller", "controller.go"},
}

// benchmarkCompile measures what a change of a package costs its user: the processor time of a build that compiles the package
// and nothing else, without the time of the same build when nothing has changed. It also measures the size of the binary of
// the operator, without symbols.
func benchmarkCompile(ctx context.Context, o options) (rows []Row, err error) {
	repo, err := filepath.Abs(o.repo)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bench-compile-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := compiling{filepath.Join(repo, "test"), dir}
	sides := map[string]string{report.Ours: "migrated", report.Theirs: "clientgo"}
	for _, p := range compiled {
		figures := map[string][]float64{}
		for round := range o.smallRounds + 1 { // the first one fills the build cache
			for side, folder := range sides {
				used, err := c.change(ctx, filepath.Join("migration", folder, p.folder), p.file, round)
				if err != nil {
					return nil, err
				}
				if round > 0 {
					figures[side] = append(figures[side], used)
				}
			}
		}
		rows = append(rows, newRow("compile, "+p.name+": CPU time", seconds, figures[report.Ours], figures[report.Theirs]))
		fmt.Fprintf(o.progress, "compile, %s: ours %.2f s, theirs %.2f s\n", p.name, report.Median(figures[report.Ours]), report.Median(figures[report.Theirs]))
	}
	sizes := map[string][]float64{}
	for side, folder := range sides {
		size, err := c.operator(ctx, folder)
		if err != nil {
			return nil, err
		}
		sizes[side] = []float64{float64(size) / megabyte}
	}
	return append(rows, newRow("binary of an operator", "MB", sizes[report.Ours], sizes[report.Theirs])), nil
}

// compiling builds packages of a module whose files are replaced by others in dir.
type compiling struct{ module, dir string }

// change returns the seconds of processor time that it takes to compile a package with another content of a file.
func (c compiling) change(ctx context.Context, folder, file string, round int) (float64, error) {
	name := filepath.Join(c.module, folder, file)
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	overlay, err := c.overlay(name, fmt.Appendf(text, "\n// Process %d, round %d.\n", os.Getpid(), round))
	if err != nil {
		return 0, err
	}
	build := func() (float64, error) {
		used, _, err := measure(c.build(ctx, overlay, "./"+folder))
		return used.cpu.Seconds(), err
	}
	changed, err := build()
	if err != nil {
		return 0, err
	}
	unchanged, err := build()
	return max(changed-unchanged, 0), err
}

// operator returns the size of the binary of an operator, in bytes.
func (c compiling) operator(ctx context.Context, side string) (int64, error) {
	base := "github.com/typedinformers/informer-gen/test/migration/" + side
	program := `package main

import (
	"context"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"` + base + `/controller"
	"` + base + `/generated/clientset/versioned"
)

func main() {
	config, err := rest.InClusterConfig()
	if err != nil {
		panic(err)
	}
	if err := controller.Run(context.Background(), kubernetes.NewForConfigOrDie(config), versioned.NewForConfigOrDie(config), controller.Options{Workers: 1}); err != nil {
		panic(err)
	}
}
`
	folder := filepath.Join("migration", side, "operator")
	overlay, err := c.overlay(filepath.Join(c.module, folder, "main.go"), []byte(program))
	if err != nil {
		return 0, err
	}
	binary := filepath.Join(c.dir, side)
	if err := runCommand(c.build(ctx, overlay, "-ldflags=-s -w", "-o", binary, "./"+folder)); err != nil {
		return 0, err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (c compiling) build(ctx context.Context, overlay string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "go", append([]string{"build", "-overlay=" + overlay}, args...)...)
	command.Dir = c.module
	return command
}

// overlay returns a file for the flag -overlay of the go command, which gives a file another content.
func (c compiling) overlay(name string, text []byte) (string, error) {
	content := filepath.Join(c.dir, "content.go")
	if err := os.WriteFile(content, text, 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {name: content}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(c.dir, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}
