package meter

import (
	"testing"
	"time"
)

func TestPercentile(t *testing.T) {
	delays := make([]time.Duration, 1000)
	for i := range delays {
		delays[i] = time.Duration(i)
	}
	for percentile, want := range map[float64]time.Duration{50: 500, 99: 990, 99.9: 999, 100: 999} {
		if got := Percentile(delays, percentile); got != want {
			t.Errorf("p%v is %v", percentile, got)
		}
	}
}

// ExamplePrint prints a line for benchstat and the command floors.
func ExamplePrint() {
	Print("Sync/side=client-go", Time(3*time.Second), CPU(2*time.Millisecond), Figure{3957.5, "B/object"})
	// Output: BenchmarkSync/side=client-go 1 3e+09 ns/op 2e+06 cpu-ns/op 3957.5 B/object
}
