package main

import (
	"math"
	"slices"
	"strconv"
)

// Row is one figure of both sides. It is an object of results.json.
type Row struct {
	Section string `json:"section"`
	Name    string `json:"row"`
	// Objects are how many there were; 0 where that is no question.
	Objects int    `json:"objects,omitempty"`
	Unit    string `json:"unit"`
	// Rounds are how many samples there are of each side: Ours and Peer are their
	// medians, in Unit.
	Rounds int     `json:"rounds"`
	Ours   float64 `json:"ours"`
	Peer   float64 `json:"peer"`
	// Ratio is how many times better than the peer ours is.
	Ratio float64 `json:"ratio"`
	// Floor is what Ratio is to be at least; 0 if the row is for information.
	Floor float64 `json:"floor"`
	// Reach, if it is there, is a goal above Floor.
	Reach float64 `json:"reach,omitempty"`
	// Most, if it is there, is what Ours is to be at most, whatever the peer does.
	Most *float64 `json:"most,omitempty"`

	samples struct{ ours, peer []float64 }
}

const (
	allocations = "allocs"
	// leastAllocations is what an operation that allocates nothing counts for in a
	// ratio: the collector and the runtime allocate something now and then.
	leastAllocations = 0.01
)

// newRow takes the medians.
func newRow(name, unit string, ours, peer []float64) Row {
	row := Row{Name: name, Unit: unit, Rounds: max(len(ours), len(peer)), Ours: median(ours), Peer: median(peer)}
	row.samples.ours, row.samples.peer = ours, peer
	least := 0.0
	if unit == allocations {
		row.Ours, row.Peer = math.Round(row.Ours*100)/100, math.Round(row.Peer*100)/100
		least = leastAllocations
	}
	row.Ratio = row.Peer / max(row.Ours, least)
	return row
}

// OK says whether the row reaches what it is to reach.
func (r Row) OK() bool {
	return (r.Floor == 0 || r.Ratio >= r.Floor) && (r.Most == nil || r.Ours <= *r.Most)
}

// short says that the row has a goal that it does not reach.
func (r Row) short() bool { return r.Reach != 0 && r.Ratio < r.Reach }

// judged says whether there is anything to reach.
func (r Row) judged() bool { return r.Floor != 0 || r.Most != nil }

// times is Ratio for people: there is none to nothing.
func (r Row) times() string {
	if r.Unit == allocations && r.Ours == 0 {
		return ""
	}
	return number(r.Ratio)
}

// title is the name with the number of objects.
func (r Row) title() string {
	if r.Objects == 0 {
		return r.Name
	}
	return r.Name + ", " + count(r.Objects) + " objects"
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	return (values[(n-1)/2] + values[n/2]) / 2
}

// number has three digits that count.
func number(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// quantity is a number with its unit.
func (r Row) quantity(v float64) string {
	text := number(v)
	if r.Unit == "" || r.Unit == allocations {
		return text
	}
	return text + " " + r.Unit
}
