package main

import "testing"

func TestWorstAttacks(t *testing.T) {
	worst := worstAttacks([]Row{
		newRow("Pod, listed: a", "ms", []float64{1, 2, 9}, []float64{1, 1, 1}),
		newRow("Pod, listed: b", "ms", []float64{3, 3, 3}, []float64{1, 1, 1}),
		newRow("index: a", "ms", []float64{1, 1, 1}, []float64{2, 2, 2}),
	})
	if len(worst) != 2 || worst[0].Name != "Pod, listed: b" || worst[0].Ours != 3 || worst[1].Ratio != 2 {
		t.Errorf("%+v", worst)
	}
}
