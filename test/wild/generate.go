package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// timeout of one run of informer-gen, which an ordinary run needs a hundredth of.
const timeout = 5 * time.Minute

// errRefused marks a failure of informer-gen itself. The rest of the error is what it
// printed.
var errRefused = errors.New("informer-gen failed")

// generateCold runs informer-gen with an empty build cache, and returns the seconds.
func (w workspace) generateCold(ctx context.Context, tool string) (float64, error) {
	cache := w.dir + ".cache"
	if err := os.RemoveAll(cache); err != nil { // of a run that was killed
		return 0, err
	}
	seconds, err := w.generate(ctx, tool, "GOCACHE="+cache)
	return seconds, errors.Join(err, os.RemoveAll(cache))
}

// generateWarm returns the median of three runs with the shared build cache. The first
// of them may fill it.
func (w workspace) generateWarm(ctx context.Context, tool string) (float64, error) {
	var samples [3]float64
	for i := range samples {
		var err error
		if samples[i], err = w.generate(ctx, tool); err != nil {
			return 0, err
		}
	}
	slices.Sort(samples[:])
	return samples[1], nil
}

// generate runs informer-gen into an empty folder, and returns the seconds.
func (w workspace) generate(ctx context.Context, tool string, env ...string) (float64, error) {
	if err := os.RemoveAll(filepath.Join(w.dir, generated)); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	args := slices.Concat([]string{"--output-dir=" + generated}, w.row.flags(), w.row.patterns())
	command := exec.CommandContext(ctx, tool, args...)
	command.Dir, command.Env = w.dir, environ(env...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	started := time.Now()
	err := command.Run()
	seconds := float64(time.Since(started).Milliseconds()) / 1000
	if err := os.WriteFile(filepath.Join(w.dir, "messages.txt"), stderr.Bytes(), 0o644); err != nil {
		return 0, err
	}
	if err != nil {
		return seconds, fmt.Errorf("%w: %w\n%s", errRefused, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return seconds, nil
}
