// Package report is what a measuring process prints for the benchmark, as JSON on its
// standard output, and what the benchmark asks of it. It imports next to nothing: the
// benchmark itself has to use less memory than the processes that it measures, and
// client-go's scheme alone takes tens of megabytes.
package report

import (
	"math"
	"slices"
)

// Sides.
const (
	Ours   = "ours"
	Theirs = "theirs"
)

// Modes of a first list.
const (
	Streaming = "streaming"
	List      = "LIST"
)

// Scenarios.
const (
	// Sync is the first list, and what it leaves on the heap.
	Sync = "sync"
	// Changes is the first list, a relist of the same objects, a relist with some
	// objects changed, and a burst of updates.
	Changes = "changes"
)

// Fields that an informer keeps of each object.
const (
	AllFields = "all"
	// Unmanaged is all fields but managedFields.
	Unmanaged = "unmanaged"
	// View is the fields of a typical view.
	View = "view"
)

// Client is an informer over HTTP, which one process measures.
type Client struct{ Side, Mode, Scenario, Fields string }

// Clients are all that the benchmark measures. Each row has both sides.
var Clients = []Client{
	{Ours, Streaming, Sync, AllFields},
	{Theirs, Streaming, Sync, AllFields},
	{Ours, List, Sync, AllFields},
	{Theirs, List, Sync, AllFields},
	{Ours, Streaming, Sync, Unmanaged},
	{Theirs, List, Sync, Unmanaged},
	{Ours, Streaming, Sync, View},
	{Theirs, List, Sync, View},
	{Ours, Streaming, Changes, AllFields},
	{Theirs, Streaming, Changes, AllFields},
	{Ours, List, Changes, AllFields},
	{Theirs, List, Changes, AllFields},
}

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

// Units. The benchmark itself fills in figures with the unit PeakMB: they are the peak
// RSS of the process, in MB.
const (
	Allocations = "allocs"
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
