package main

import (
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

func TestRow(t *testing.T) {
	row := newRow("work", "s", []float64{3, 1, 2}, []float64{10, 40, 20, 30})
	row.Floor = 12
	if row.Ours != 2 || row.Peer != 25 || row.Ratio != 12.5 || !row.OK() {
		t.Errorf("%+v", row)
	}
	row.Ratio = 11
	if row.OK() {
		t.Error("11 is taken for at least 12")
	}
	row.Floor = 0
	if !row.OK() {
		t.Error("a row for information has missed something")
	}
	most := 1.0
	if row.Most = &most; row.OK() {
		t.Error("2 is taken for at most 1")
	}
}

// TestNoAllocations has a ratio that JSON can hold, and no figure that is only noise.
func TestNoAllocations(t *testing.T) {
	row := newRow("work", report.Allocations, []float64{0.000004}, []float64{2.0001})
	if row.Ours != 0 || row.Peer != 2 || row.Ratio != 200 {
		t.Errorf("%+v", row)
	}
}
