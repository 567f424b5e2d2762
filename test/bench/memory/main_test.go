package memory

import (
	"maps"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

func TestMain(m *testing.M) {
	// client-go reads it when the first informer is made.
	if err := os.Setenv("KUBE_FEATURE_WatchListClient", "false"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// TestRun measures both sides, which read the same and report the same rows.
func TestRun(t *testing.T) {
	results := map[string]*report.Report{}
	rows := map[string]map[string]bool{}
	for _, side := range []string{report.Ours, report.Theirs} {
		result, err := Run(t.Context(), Options{Side: side, Objects: 2500, Rounds: 1, Events: minEvents, BenchTime: 5 * time.Millisecond})
		if err != nil {
			t.Fatal(side, err)
		}
		results[side], rows[side] = result, map[string]bool{}
		for _, figure := range result.Figures {
			if rows[side][figure.Row] {
				t.Errorf("%s: %q is there twice", side, figure.Row)
			}
			if figure.Value < 0 || figure.Value == 0 && figure.Unit != report.Allocations {
				t.Errorf("%s: %+v", side, figure)
			}
			if figure.Peer == "" {
				rows[side][figure.Row] = true
			}
		}
	}
	if !maps.Equal(rows[report.Ours], rows[report.Theirs]) {
		t.Errorf("ours has the rows %v, and theirs %v", rows[report.Ours], rows[report.Theirs])
	}
	if ours := results[report.Ours].Contents; len(ours) != 6 || !maps.Equal(ours, results[report.Theirs].Contents) {
		t.Errorf("ours has read %v, and theirs %v", ours, results[report.Theirs].Contents)
	}
}

// TestDigest notices what a cache lacks, and what it has of an earlier state.
func TestDigest(t *testing.T) {
	m, err := newMeasurement(Options{Side: report.Ours, Objects: 1000, Rounds: 1, Events: minEvents})
	if err != nil {
		t.Fatal(err)
	}
	m.work = newWorkload(1000)
	r, _, err := m.start(t.Context(), "sync", channelSize, usual, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.stop()
	if err := m.digest("first", r, usual); err != nil {
		t.Error(err)
	}
	m.work.next(1, 1)
	if err := m.digest("an update that was not sent", r, usual); err == nil {
		t.Error("an earlier state is taken for the last one")
	}
}

func TestAt(t *testing.T) {
	delays := make([]time.Duration, 1000)
	for i := range delays {
		delays[i] = time.Duration(i) * time.Microsecond
	}
	for percentile, want := range map[float64]float64{50: 500, 99: 990, 99.9: 999, 100: 999} {
		if got := at(delays, percentile); got != want {
			t.Errorf("p%v is %v", percentile, got)
		}
	}
}
