package project

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tools are the compiled generators of both sides.
type Tools struct {
	// Module is the folder of the go.mod that projects get, and Version that of Kubernetes there.
	Module, Version string

	repo string
	ours string

	apply, client, lister, informer string
}

// Build compiles the generators into dir: ours from the root module of the
// repository, theirs in the version that its test module requires.
func Build(ctx context.Context, repo, dir string) (*Tools, error) {
	return build(ctx, repo, filepath.Join(repo, "test"), dir)
}

// build compiles the generators into dir: ours from the root module of the repository,
// theirs in the version that module requires.
func build(ctx context.Context, repo, module, dir string) (_ *Tools, err error) {
	for _, path := range []*string{&repo, &module, &dir} {
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	// Two of them have the same name.
	ours, theirs := filepath.Join(dir, Ours), filepath.Join(dir, Theirs)
	tools := &Tools{
		Module:   module,
		repo:     repo,
		ours:     filepath.Join(ours, "informer-gen"),
		apply:    filepath.Join(theirs, "applyconfiguration-gen"),
		client:   filepath.Join(theirs, "client-gen"),
		lister:   filepath.Join(theirs, "lister-gen"),
		informer: filepath.Join(theirs, "informer-gen"),
	}
	for _, folder := range []string{ours, theirs} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
	}
	if _, err := goCommand(ctx, repo, "build", "-o", tools.ours, "./cmd/informer-gen"); err != nil {
		return nil, err
	}
	build := []string{"build", "-o", theirs + string(filepath.Separator)}
	for _, tool := range []string{tools.apply, tools.client, tools.lister, tools.informer} {
		build = append(build, "k8s.io/code-generator/cmd/"+filepath.Base(tool))
	}
	if _, err := goCommand(ctx, module, build...); err != nil {
		return nil, err
	}
	tools.Version, err = goCommand(ctx, module, "list", "-m", "-f", "{{.Version}}", "k8s.io/api")
	return tools, err
}

// Environ is that of the process, without what would change how the go command
// works in a project: the flags and the workspace of whoever started the process.
func Environ() []string {
	return append(os.Environ(), "GOFLAGS=", "GOWORK=off")
}

// goCommand returns what the go command prints, without the last line break.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir, command.Env = dir, Environ()
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimSuffix(string(output), "\n"), nil
}
