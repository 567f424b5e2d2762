package main

import (
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

func tableRows() []Row {
	one := 1.0
	return []Row{
		{Name: "work", Objects: 1000, Unit: "s", Ours: 0.5, Peer: 6.25, Ratio: 12.5, floor: floor{Floor: 10}},
		{Name: "memory", Objects: 1000, Unit: "MB", Ours: 200, Peer: 400, Ratio: 2, floor: floor{Floor: 4}},
		{Name: "work", Objects: 1_000_000, Unit: "s", Ours: 50, Peer: 100, Ratio: 2, floor: floor{Floor: 1.5, Reach: 3}},
		{Name: "more", Objects: 1_000_000, Unit: report.Allocations, Ours: 1, Peer: 1, Ratio: 1, floor: floor{Most: &one}},
		{Name: "none", Objects: 1_000_000, Unit: report.Allocations, Ours: 0, Peer: 2, Ratio: 200},
	}
}

func TestPrintRows(t *testing.T) {
	var text strings.Builder
	err := printRows(&text, tableRows()[:2])
	want := strings.Join([]string{
		"| what   | 1,000 objects: ours / peer       | floor |",
		"|---     |---                               |---    |",
		"| work   | 0.5 / 6.25 s, **12.5×**          | 10    |",
		"| memory | 200 / 400 MB, **2×** below floor | 4     |",
		"",
	}, "\n")
	if err != nil || text.String() != want {
		t.Errorf("%v, printed:\n%s", err, text.String())
	}
}

func TestMarkdown(t *testing.T) {
	const want = `| what | 1,000 objects: ours / peer | 1,000,000 objects: ours / peer | floor |
|---|---|---|---|
| work | 0.5 / 6.25 s, **12.5×** | 50 / 100 s, **2×** below goal | 10; 1.5 (goal 3) |
| memory | 200 / 400 MB, **2×** below floor | | 4 |
| more | | 1 / 1, **1×** | at most 1 |
| none | | 0 / 2 |  |
`
	if got := markdown(tableRows()); got != want {
		t.Errorf("it is:\n%s", got)
	}
}
