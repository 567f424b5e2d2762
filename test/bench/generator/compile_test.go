package generator

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// sides are folders of an operator: that was migrated, and as it was before, with the code of code-generator.
var sides = []struct{ name, folder string }{{"informer-gen", "migrated"}, {"code-generator", "clientgo"}}

// BenchmarkCompile measures the processor time of a build that compiles a package and nothing else, without the time of the same
// build when nothing has changed.
func BenchmarkCompile(b *testing.B) {
	for _, p := range []struct{ name, folder, file string }{
		{"informers", "generated/informers/externalversions/samplecontroller/v1alpha1", "foo.go"},
		{"factory", "generated/informers/externalversions", "factory.go"},
		{"controller", "controller", "controller.go"},
	} {
		for _, side := range sides {
			b.Run(p.name+"/side="+side.name, func(b *testing.B) {
				c := newCompiling(b)
				folder := filepath.Join("migration", side.folder, p.folder)
				c.change(folder, p.file) // fills the build cache
				total := time.Duration(0)
				for b.Loop() {
					total += c.change(folder, p.file)
				}
				b.ReportMetric(float64(total)/float64(b.N), "cpu-ns/op")
				b.ReportMetric(0, "ns/op") // includes the other build
			})
		}
	}
}

// compiling builds packages of the module of the tests, whose files are replaced by others in dir.
type compiling struct {
	*testing.B
	module, dir string
}

func newCompiling(b *testing.B) compiling {
	module, err := filepath.Abs(filepath.Join(repo, "test"))
	if err != nil {
		b.Fatal(err)
	}
	return compiling{b, module, b.TempDir()}
}

// change returns the processor time that it takes to compile a package with a content of a file that it has never had.
func (c compiling) change(folder, file string) time.Duration {
	name := filepath.Join(c.module, folder, file)
	text, err := os.ReadFile(name)
	if err != nil {
		c.Fatal(err)
	}
	overlay := c.overlay(name, fmt.Appendf(text, "\n// Built at %d.\n", time.Now().UnixNano()))
	build := func() time.Duration {
		used, err := run(c.build(overlay, "./"+folder))
		if err != nil {
			c.Fatal(err)
		}
		return used.cpu
	}
	changed := build()
	return max(changed-build(), 0)
}

// BenchmarkBinary measures the size of the binary of an operator.
func BenchmarkBinary(b *testing.B) {
	for _, side := range sides {
		b.Run("side="+side.name, func(b *testing.B) {
			c := newCompiling(b)
			for b.Loop() {
				b.ReportMetric(float64(c.operator(side.folder)), "B/binary")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// operator returns the size of the binary of an operator, in bytes.
func (c compiling) operator(side string) int64 {
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
	overlay := c.overlay(filepath.Join(c.module, folder, "main.go"), []byte(program))
	binary := filepath.Join(c.dir, side)
	if _, err := run(c.build(overlay, "-ldflags=-s -w", "-o", binary, "./"+folder)); err != nil {
		c.Fatal(err)
	}
	info, err := os.Stat(binary)
	if err != nil {
		c.Fatal(err)
	}
	return info.Size()
}

func (c compiling) build(overlay string, args ...string) *exec.Cmd {
	command := exec.CommandContext(c.Context(), "go", append([]string{"build", "-overlay=" + overlay}, args...)...)
	command.Dir = c.module
	return command
}

// overlay returns a file for the flag -overlay of the go command, which gives a file another content.
func (c compiling) overlay(name string, text []byte) string {
	content, overlay := filepath.Join(c.dir, "content.go"), filepath.Join(c.dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {name: content}})
	if err == nil {
		err = os.WriteFile(content, text, 0o600)
	}
	if err == nil {
		err = os.WriteFile(overlay, list, 0o600)
	}
	if err != nil {
		c.Fatal(err)
	}
	return overlay
}
