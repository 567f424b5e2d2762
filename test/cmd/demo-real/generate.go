package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
)

// generate makes the operator's code as its author would, twice.
func generate(ctx context.Context, operator string) error {
	first, err := updateCodegen(ctx, operator)
	if err != nil {
		return err
	}
	demo.Say("generate", "examples/operator/api to examples/operator/generated: %s", first)
	second, err := updateCodegen(ctx, operator)
	if err != nil {
		return err
	}
	if strings.Contains(second, "wrote") || strings.Contains(second, "deleted") {
		return fmt.Errorf("a second run changed something: %s", second)
	}
	demo.Say("again", "a second run changes nothing: %s", second[strings.Index(second, ": ")+2:])
	return nil
}

// updateCodegen returns the numbers that informer-gen prints at the end.
func updateCodegen(ctx context.Context, operator string) (string, error) {
	script := exec.CommandContext(ctx, filepath.Join(operator, "hack", "update-codegen.sh"))
	script.Env = append(os.Environ(), "GOFLAGS=") // tools that are built for tests are slow
	output, err := script.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", script.Path, err, output)
	}
	const prefix = "informer-gen: "
	for line := range strings.Lines(string(output)) {
		if summary, ok := strings.CutPrefix(strings.TrimSpace(line), prefix); ok && strings.Contains(summary, " group version") {
			_, counts, _ := strings.Cut(summary, ": ") // after the output package
			return counts, nil
		}
	}
	return "", errors.New("hack/update-codegen.sh ran without a word of informer-gen")
}
