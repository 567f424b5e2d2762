package main

import (
	"math"
	"strconv"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// Row is one figure of both sides. It is an object of results.json.
type Row struct {
	Section string `json:"section"`
	Name    string `json:"row"`
	// Objects is how many there were; 0 if the row has no objects.
	Objects int    `json:"objects,omitempty"`
	Unit    string `json:"unit"`
	// Rounds is the number of samples of each side. Ours and Peer are their medians, in
	// Unit.
	Rounds int     `json:"rounds"`
	Ours   float64 `json:"ours"`
	Peer   float64 `json:"peer"`
	// Ratio is how many times better than the peer ours is.
	Ratio float64 `json:"ratio"`
	floor
	// Columns are the medians of all that the row compares, if that is more than Ours and
	// Peer; see columns.
	Columns map[string]float64 `json:"columns,omitempty"`

	samples struct{ ours, peer []float64 }
}

// leastAllocations replaces 0 in a ratio. Smaller figures are noise, because the runtime
// allocates now and then.
const leastAllocations = 0.01

// leastSeconds replaces 0 in a ratio.
const leastSeconds = 0.01

// newRow takes the medians.
func newRow(name, unit string, ours, peer []float64) Row {
	row := Row{Name: name, Unit: unit, Rounds: max(len(ours), len(peer)), Ours: report.Median(ours), Peer: report.Median(peer)}
	row.samples.ours, row.samples.peer = ours, peer
	least := 0.0
	if unit == report.Allocations {
		row.Ours, row.Peer = math.Round(row.Ours*100)/100, math.Round(row.Peer*100)/100
		least = leastAllocations
	}
	switch unit {
	case report.Count:
		least = 1
	case seconds:
		least = leastSeconds
	}
	row.Ratio = max(row.Peer, least) / max(row.Ours, least)
	return row
}

// OK reports whether the row reaches its floor.
func (r Row) OK() bool {
	return (r.Floor == 0 || r.Ratio >= r.Floor) && (r.Most == nil || r.Ours <= *r.Most)
}

// short reports whether the row has a goal that it does not reach.
func (r Row) short() bool { return r.Reach != 0 && r.Ratio < r.Reach }

// title is the name with the number of objects.
func (r Row) title() string {
	if r.Objects == 0 {
		return r.Name
	}
	return r.Name + ", " + count(r.Objects) + " objects"
}

// number has three significant digits, or all digits before the point.
func number(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// quantity is a number with its unit.
func (r Row) quantity(v float64) string {
	if r.Unit == report.Allocations || r.Unit == report.Count {
		return number(v)
	}
	return number(v) + " " + r.Unit
}
