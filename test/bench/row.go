package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"
)

// Row is one figure of both sides.
type Row struct {
	Name string
	Unit string
	// Ours and Peer are medians, in Unit.
	Ours, Peer float64
	// Ratio is Ours to Peer.
	Ratio float64
	// Reach is what Ratio is to be at most; 0 if the row is for information.
	Reach float64
}

// newRow takes the medians.
func newRow(name, unit string, ours, peer []float64, reach float64) Row {
	row := Row{Name: name, Unit: unit, Ours: median(ours), Peer: median(peer), Reach: reach}
	row.Ratio = row.Ours / row.Peer
	return row
}

// OK says whether the row reaches what it is to reach.
func (r Row) OK() bool { return r.Reach == 0 || r.Ratio <= r.Reach }

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	return (values[(n-1)/2] + values[n/2]) / 2
}

// printRows prints a table.
func printRows(w io.Writer, rows []Row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "what\tours\tpeer\tratio\treach\tok")
	for _, row := range rows {
		fmt.Fprintf(table, "%s\t%s %s\t%s %s\t%s\t%s\t%s\n",
			row.Name, number(row.Ours), row.Unit, number(row.Peer), row.Unit, fraction(row.Ratio), row.reach(), row.verdict())
	}
	return table.Flush()
}

func (r Row) reach() string {
	if r.Reach == 0 {
		return ""
	}
	return fraction(r.Reach)
}

func (r Row) verdict() string {
	switch {
	case r.Reach == 0:
		return ""
	case r.OK():
		return "yes"
	}
	return "NO"
}

// number has three digits that count.
func number(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// fraction is 1/12.3 for what is well below 1: that is how aims are put.
func fraction(v float64) string {
	if v > 0 && v < 0.5 {
		return "1/" + number(1/v)
	}
	return number(v)
}
