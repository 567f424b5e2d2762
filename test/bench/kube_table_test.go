package main

import "testing"

func TestWideMarkdown(t *testing.T) {
	sync := newRow("pods, first sync: time", "s", []float64{2}, []float64{1})
	sync.Objects, sync.Columns = 20_000, map[string]float64{ourDefault: 2, theirDefault: 1, theirList: 3, "streaming JSON": 1.5, "LIST JSON": 0.5}
	sync.Reach = 1
	against := newRow("pods, first sync, against client-go LIST: time", "s", []float64{2}, []float64{3})
	against.Objects = 20_000
	const want = `| what | client-go | client-go, LIST | ours | ours, the other way | the server's floor | ours is better | floor |
|---|---|---|---|---|---|---|---|
| 20,000 pods, first sync: time | 1 s | 3 s | 2 s | | streaming JSON 1.5 s, LIST JSON 0.5 s | **0.5×** below goal |  (goal 1) |
| 20,000 pods, first sync, against client-go LIST: time | 3 s | | 2 s | |  | **1.5×** |  |
`
	if got := markdown([]Row{sync, against}); got != want {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
	}
}
