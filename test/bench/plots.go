package main

import (
	"context"
	"os/exec"
	"path/filepath"
)

// drawPlots lets another process draw the results: the library for it would make the
// benchmark larger than what it measures, see peakOf.
func drawPlots(ctx context.Context, o options, results string) error {
	binary, err := buildCommand(ctx, o, "plots")
	if err != nil {
		return err
	}
	return runCommand(exec.CommandContext(ctx, binary, "--results="+results, "--out="+filepath.Join(o.repo, "docs", "plots")))
}
