// Package report is what a measuring process prints for the benchmark, as JSON on its
// standard output, and what the benchmark asks of it. It imports next to nothing: the
// benchmark itself has to use less memory than the processes that it measures, and
// client-go's scheme alone takes tens of megabytes.
package report

import (
	"math"
	"slices"
)

// Report is what one process has measured.
type Report struct {
	Figures []Figure
	// Contents are digests of what the process read, by name. Another process that has
	// the same name must have the same digest.
	Contents map[string]string `json:",omitempty"`
}

// Figure is one side of a row.
type Figure struct {
	Row, Unit string
	Value     float64
	// Peer is the other side's row to compare with, if that has another name.
	Peer string `json:",omitempty"`
}

// Units. The benchmark itself fills in figures with the unit PeakMB that are 0: they are the
// peak RSS of the process, in MB.
const (
	Allocations = "allocs"
	Goroutines  = "goroutines"
	PeakMB      = "MB"
)

// Median returns NaN if there are no values.
func Median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	return (values[(n-1)/2] + values[n/2]) / 2
}
