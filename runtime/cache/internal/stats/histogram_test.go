package stats

import (
	"math"
	"testing"
	"time"
)

// TestSumNeverFalls counts a million events that waited for a year each. Their sum is no Duration.
func TestSumNeverFalls(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for name, add := range map[string]func(*Histogram){
		"Histogram":      func(h *Histogram) { h.Add(year, 100) },
		"a large number": func(h *Histogram) { h.Add(year, 100_000) },
	} {
		var h Histogram
		last := time.Duration(0)
		for range 10 {
			add(&h)
			_, sum := h.Read()
			if sum < last {
				t.Errorf("%s: the sum fell from %v to %v", name, last, sum)
			}
			last = sum
		}
		if last != math.MaxInt64 {
			t.Errorf("%s: the sum is %v", name, last)
		}
	}
}
