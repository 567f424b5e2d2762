package meter

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Figure is a value with its unit.
type Figure struct {
	Value float64
	Unit  string
}

// Time is how long one iteration took, and CPU the processor time of it.
func Time(took time.Duration) Figure { return Figure{float64(took), "ns/op"} }

func CPU(used time.Duration) Figure { return Figure{float64(used), "cpu-ns/op"} }

// Begin is a line that a process prints before what the next result is about. The command bench reads then how much processor
// time a server has used.
const Begin = "begin"

// Print prints the figures of one iteration to the standard output, in the format of Go benchmarks.
func Print(name string, figures ...Figure) {
	line := "Benchmark" + name + " 1"
	for _, f := range figures {
		line += " " + strconv.FormatFloat(f.Value, 'g', -1, 64) + " " + f.Unit
	}
	fmt.Println(line)
}

// Delays are the percentiles of sorted delays that are reported.
func Delays(sorted []time.Duration) (figures []Figure) {
	for _, percentile := range []float64{50, 99, 99.9} {
		figures = append(figures, Figure{float64(Percentile(sorted, percentile)), fmt.Sprintf("p%v-ns/op", percentile)})
	}
	return figures
}

// Percentile returns one of delays that are sorted. There must be one.
func Percentile(sorted []time.Duration, percentile float64) time.Duration {
	return sorted[min(int(float64(len(sorted))*percentile/100), len(sorted)-1)]
}

// Name makes a text an element of the name of a benchmark.
func Name(text string) string { return strings.NewReplacer(" ", "_", "/", "-").Replace(text) }
