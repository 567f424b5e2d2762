package main

import (
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

func TestWorstAttacks(t *testing.T) {
	worst := worstAttacks(attackRows(report.Attacks{Attacks: []report.Attack{
		{Name: "Pod, listed: a", Ours: []float64{1, 2, 9}, Theirs: []float64{1, 1, 1}},
		{Name: "Pod, listed: b", Ours: []float64{3, 3, 3}, Theirs: []float64{1, 1, 1}},
		{Name: "index: a", Ours: []float64{1, 1, 1}, Theirs: []float64{2, 2, 2}},
	}}))
	if len(worst) != 2 || worst[0].Name != "Pod, listed: b" || worst[0].Ours != 3000 || worst[1].Ratio != 2 {
		t.Errorf("%+v", worst)
	}
}
