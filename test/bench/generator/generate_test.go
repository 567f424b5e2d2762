package generator

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/typedinformers/informer-gen/test/compare/project"
)

// repo is the root of the repository.
const repo = "../../.."

// inputs are those that both sides generate from. cold gives a side an empty build cache for each run.
var inputs = []struct {
	name string
	make func() (project.Input, error)
	cold bool
}{
	{"crd", func() (project.Input, error) { return project.SampleController(repo) }, false},
	{"crd-apply", func() (project.Input, error) { return withApply(project.SampleController(repo)) }, false},
	{"path-cold", func() (project.Input, error) { return project.Fleet(repo) }, true},
	{"k8s.io-api", func() (project.Input, error) {
		return project.Kubernetes(context.Background(), filepath.Join(repo, "test"))
	}, false},
	{"k8s.io-api-apply", func() (project.Input, error) {
		return withApply(project.Kubernetes(context.Background(), filepath.Join(repo, "test")))
	}, false},
}

func withApply(input project.Input, err error) (project.Input, error) {
	return input.GenerateApply(), err
}

func BenchmarkGenerate(b *testing.B) {
	for _, input := range inputs {
		b.Run(input.name, func(b *testing.B) {
			p := newProject(b, input.name, input.make)
			ours := func() []*exec.Cmd { return []*exec.Cmd{p.Ours(b.Context())} }
			theirs := func() []*exec.Cmd { return p.Theirs(b.Context()) }
			b.Run("first/side=informer-gen", func(b *testing.B) { generate(b, p, project.Ours, input.cold, ours) })
			b.Run("first/side=code-generator", func(b *testing.B) { generate(b, p, project.Theirs, input.cold, theirs) })
			if !input.cold { // it would cost as much as the first run
				b.Run("again/side=informer-gen", func(b *testing.B) { generate(b, p, "", false, ours) })
			}
		})
	}
}

func newProject(b *testing.B, name string, input func() (project.Input, error)) *project.Project {
	b.Helper()
	in, err := input()
	if err != nil {
		b.Fatal(err)
	}
	build := filepath.Join(repo, "build", "bench")
	tools, err := project.Build(b.Context(), repo, build)
	if err != nil {
		b.Fatal(err)
	}
	p, err := project.Create(b.Context(), tools, filepath.Join(build, name), in)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := p.Close(); err != nil {
			b.Error(err)
		}
	})
	return p
}

// generate measures commands that write a folder, which is empty before, or if there is no name, that have nothing to change.
func generate(b *testing.B, p *project.Project, folder string, cold bool, commands func() []*exec.Cmd) {
	once := func() usage {
		if folder != "" {
			if err := p.Clear(folder); err != nil {
				b.Fatal(err)
			}
		}
		all := commands()
		if cold {
			cache, err := os.MkdirTemp("", "bench-cache-")
			if err != nil {
				b.Fatal(err)
			}
			defer os.RemoveAll(cache)
			for _, command := range all {
				command.Env = append(command.Env, "GOCACHE="+cache)
			}
		}
		used, err := run(all...)
		if err != nil {
			b.Fatal(err)
		}
		return used
	}
	if !cold {
		once()
	}
	var total usage
	for b.Loop() {
		used := once()
		total.wall += used.wall
		total.cpu += used.cpu
		total.peak += used.peak
	}
	b.ReportMetric(float64(total.wall)/float64(b.N), "ns/op")
	b.ReportMetric(float64(total.cpu)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(total.peak)/float64(b.N), "RSS-B/op")
}
