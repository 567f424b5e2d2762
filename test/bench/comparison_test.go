package main

import (
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

func TestComparisonRows(t *testing.T) {
	c := comparison{objects: 1000, reports: map[string][]report.Report{
		report.Ours:   {{Figures: []report.Figure{{Row: "sync", Value: 1}, {Row: "sync in batches", Peer: "sync", Value: 2}}}},
		report.Theirs: {{Figures: []report.Figure{{Row: "sync", Value: 8}}}},
	}}
	rows, err := c.rows()
	if err != nil || len(rows) != 2 || rows[0].Ratio != 8 || rows[1].Ratio != 4 || rows[1].Objects != 1000 {
		t.Errorf("%v, %+v", err, rows)
	}
	c.reports[report.Theirs][0].Figures[0].Row = "another"
	if rows, err := c.rows(); err == nil {
		t.Errorf("a row of one side only is taken: %+v", rows)
	}
}

// TestComparisonContents takes no report of other objects than those of the other
// processes.
func TestComparisonContents(t *testing.T) {
	c := newComparison(options{}, "", 1, 1000)
	read := func(state string) report.Report {
		return report.Report{Contents: map[string]string{"state": state}}
	}
	if err := c.add(report.Ours, read("new")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.rows(); err == nil {
		t.Error("the state of one side only is taken")
	}
	for _, side := range []string{report.Ours, report.Theirs} {
		if err := c.add(side, read("stale")); err == nil || !strings.Contains(err.Error(), "stale") {
			t.Errorf("%s: %v", side, err)
		}
		if err := c.add(side, read("new")); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.rows(); err != nil {
		t.Error(err)
	}
}
