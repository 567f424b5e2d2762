package project

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// programFolder is that of a program in the project.
const programFolder = "program"

// Run runs a program of the project that may import both sides and packages of the test module.
// It returns what the program prints. It compiles with the GOFLAGS of the process, as Vet does.
func (p *Project) Run(ctx context.Context, source []byte) (string, error) {
	const module = "github.com/typedinformers/informer-gen/test"
	if _, err := goCommand(ctx, p.Dir, "mod", "edit", "-require="+module+"@v0.0.0", "-replace="+module+"="+filepath.Join(p.tools.repo, "test")); err != nil {
		return "", err
	}
	if err := p.Clear(programFolder); err != nil {
		return "", err
	}
	dir := filepath.Join(p.Dir, programFolder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), source, 0o644); err != nil {
		return "", err
	}
	command := p.command(ctx, "go", []string{"run", "./" + programFolder})
	command.Env = append(command.Env, "GOFLAGS="+os.Getenv("GOFLAGS"))
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("program: %w\n%s%s", err, stderr.Bytes(), stdout.Bytes())
	}
	return stdout.String(), nil
}
