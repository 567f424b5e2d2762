package main

import (
	"strings"
	"testing"
)

func TestRow(t *testing.T) {
	row := newRow("work", "s", []float64{3, 1, 2}, []float64{10, 40, 20, 30}, 1.0/12)
	if row.Ours != 2 || row.Peer != 25 || row.Ratio != 2.0/25 || !row.OK() {
		t.Errorf("%+v", row)
	}
	row.Ratio = 1.0 / 11
	if row.OK() {
		t.Error("1/11 is taken for at most 1/12")
	}
	row.Reach = 0
	if !row.OK() {
		t.Error("a row for information has missed something")
	}
}

func TestPrintRows(t *testing.T) {
	var text strings.Builder
	err := printRows(&text, []Row{
		{Name: "work", Unit: "s", Ours: 0.5, Peer: 6.25, Ratio: 0.08, Reach: 0.1},
		{Name: "memory", Unit: "MB", Ours: 200, Peer: 400, Ratio: 0.5, Reach: 0.25},
		{Name: "more", Unit: "s", Ours: 1, Peer: 1, Ratio: 1},
	})
	want := strings.Join([]string{
		"what    ours    peer    ratio   reach  ok",
		"work    0.5 s   6.25 s  1/12.5  1/10   yes",
		"memory  200 MB  400 MB  0.5     1/4    NO",
		"more    1 s     1 s     1              ",
		"",
	}, "\n")
	if err != nil || text.String() != want {
		t.Errorf("%v, printed:\n%s", err, text.String())
	}
}
