package main

import (
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

func TestWritesMarkdown(t *testing.T) {
	w := writesRun{values: map[string]map[string][]float64{}}
	for i, program := range writesPrograms {
		for round := range 3 {
			w.keep("counters, ", program, []report.Figure{
				{Row: "conflicts", Unit: report.Count, Value: float64(i * 10)},
				{Row: "time", Unit: "s", Value: float64(i + round)},
			})
		}
	}
	rows := w.rows()
	most := 9.0
	rows[0].Most = &most
	const want = `| what | informers | informers, ReadYourWrites (ours) | controller-runtime | controller-runtime, EnableReadYourWritesConsistency | crcache, ReadYourWrites | ours is better | floor |
|---|---|---|---|---|---|---|---|
| counters, conflicts | 0 | 10 | 20 | 30 | 40 |  below floor | at most 9 |
| counters, time | 1 s | 2 s | 3 s | 4 s | 5 s | **2×** |  |
`
	if got := markdown(rows); got != want {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
	}
}
