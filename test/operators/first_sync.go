package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"
)

const (
	// syncObjects is the number of objects of a first sync, and syncRuns that of the processes of each side.
	syncObjects = 10_000
	syncRuns    = 3
)

// firstSync is what a program takes until an informer has all objects.
type firstSync struct {
	Took time.Duration
	// Peak is the most memory that the process had, in bytes.
	Peak int64
}

//go:embed first_sync.go.tmpl
var firstSyncSource string

var firstSyncTemplate = template.Must(template.New("first_sync").Parse(firstSyncSource))

// firstSyncs measures the first sync of a project before and after, by turns.
func (r runner) firstSyncs(ctx context.Context, o operator, before, after string) (firstSync, firstSync, error) {
	server := httptest.NewServer(newSyncServer(o.first, syncObjects))
	defer server.Close()
	var programs [2]string
	for i, dir := range []string{before, after} {
		var err error
		if programs[i], err = r.buildFirstSync(ctx, o, filepath.Join(dir, o.client)); err != nil {
			return firstSync{}, firstSync{}, err
		}
	}
	var took, peaks [2][]int64
	for range syncRuns {
		for i, program := range programs {
			output, err := exec.CommandContext(ctx, program, server.URL, fmt.Sprint(syncObjects)).Output()
			if err != nil {
				return firstSync{}, firstSync{}, fmt.Errorf("%s: %w", program, err)
			}
			var got firstSync
			if err := json.Unmarshal(output, &got); err != nil {
				return firstSync{}, firstSync{}, fmt.Errorf("%s: %w", program, err)
			}
			took[i], peaks[i] = append(took[i], int64(got.Took)), append(peaks[i], got.Peak)
		}
	}
	medians := func(i int) firstSync { return firstSync{Took: time.Duration(median(took[i])), Peak: median(peaks[i])} }
	return medians(0), medians(1), nil
}

func median(of []int64) int64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// buildFirstSync writes a program into the module with the generated code, and builds it.
func (r runner) buildFirstSync(ctx context.Context, o operator, dir string) (program string, err error) {
	command := exec.CommandContext(ctx, "go", "list", "-m")
	command.Dir, command.Env = dir, environ()
	module, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go list -m: %w", err)
	}
	var source bytes.Buffer
	if err := firstSyncTemplate.Execute(&source, map[string]string{
		"Package": path.Join(strings.TrimSpace(string(module)), o.output), "Informer": o.first.informer,
	}); err != nil {
		return "", err
	}
	const folder = "firstsync"
	if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, folder, "main.go"), source.Bytes(), 0o644); err != nil {
		return "", err
	}
	program = filepath.Join(dir, folder, "program")
	return program, r.command(ctx, dir, "go", "build", "-ldflags=-s -w", "-o", program, "./"+folder)
}
