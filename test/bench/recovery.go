package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// benchmarkRecovery plays outages of a server to informers of both sides, in virtual time. A row is how long after the
// end of an outage a handler hears of an object that was created then. TestRecovery of test/hostile has the outages.
func benchmarkRecovery(ctx context.Context, o options) (rows []Row, err error) {
	file := filepath.Join(o.repo, "build", "bench", "recovery.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	runs := 300
	if o.quick {
		runs = 50
	}
	play := exec.CommandContext(ctx, "go", "test", "-count=1", "-vet=off", "-run=^TestRecovery$", "./hostile", "-recoveries="+strconv.Itoa(runs), "-recovery-figures="+file)
	play.Dir = filepath.Join(o.repo, "test")
	if err := runCommand(play); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var figures []struct {
		Name         string
		Ours, Theirs []float64
	}
	if err := json.Unmarshal(text, &figures); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var longest struct{ ours, theirs float64 }
	for _, f := range figures {
		rows = append(rows, newRow(f.Name+": time", seconds, f.Ours, f.Theirs))
		longest.ours, longest.theirs = max(longest.ours, slices.Max(f.Ours)), max(longest.theirs, slices.Max(f.Theirs))
	}
	return append(rows, newRow("any outage, the longest: time", seconds, []float64{longest.ours}, []float64{longest.theirs})), nil
}

// seconds is the unit of a time that may be none.
const seconds = "s"
