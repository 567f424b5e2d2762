package main

import (
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

func TestMemoryRows(t *testing.T) {
	b := inMemory{objects: 1000, reports: map[string][]report.Memory{
		report.Ours:   {{Figures: []report.Figure{{Row: "sync", Value: 1}, {Row: "sync in batches", Peer: "sync", Value: 2}}}},
		report.Theirs: {{Figures: []report.Figure{{Row: "sync", Value: 8}}}},
	}}
	rows, err := b.rows()
	if err != nil || len(rows) != 2 || rows[0].Ratio != 8 || rows[1].Ratio != 4 || rows[1].Objects != 1000 {
		t.Errorf("%v, %+v", err, rows)
	}
	b.reports[report.Theirs][0].Figures[0].Row = "another"
	if rows, err := b.rows(); err == nil {
		t.Errorf("a row of one side only is taken: %+v", rows)
	}
}
