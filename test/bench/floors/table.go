package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchunit"
)

// least is how many times better than the peer ours has to be.
func (r *row) least() float64 {
	if least, ok := r.floor.At[r.objects]; ok {
		return least
	}
	return r.floor.Least
}

// reaches reports whether ours is so many times better than the peer. It is, if both are 0.
func (r *row) reaches(ratio float64) bool { return ratio == 0 || r.their >= ratio*r.ours }

func (r *row) ok() bool {
	return r.reaches(r.least()) && (r.floor.Most == nil || r.ours <= *r.floor.Most)
}

// below is an error that names all rows below their floors. It is nil if there is none.
func below(rows []row) (err error) {
	for _, r := range rows {
		if !r.ok() {
			err = errors.Join(err, fmt.Errorf("%s, %q objects, is below its floor: ours %v, %s %v %s", r.row, r.objects, r.ours, r.peer.side, r.their, r.unit))
		}
	}
	return err
}

func format(rows []row) string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "benchmark\tobjects\tunit\tours\tpeer\tbetter\tfloor\t")
	for _, r := range rows {
		class := benchunit.ClassOf(r.unit)
		peer := benchunit.Scale(r.their, class) + " " + strings.TrimPrefix(r.peer.side, "side=")
		if r.peer.row != r.row {
			peer += ", " + r.peer.row
		}
		better := ""
		if r.ours > 0 && r.their > 0 { // a delay may be negative
			better = number(r.their/r.ours) + "×"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r.row, r.objects, r.unit, benchunit.Scale(r.ours, class), peer, better, r.limits())
	}
	table.Flush()
	return text.String()
}

// limits are the floor and the goal of a row, and whether it reaches them.
func (r *row) limits() string {
	var parts []string
	if least := r.least(); least != 0 {
		parts = append(parts, number(least)+"×")
	}
	if r.floor.Most != nil {
		parts = append(parts, "at most "+number(*r.floor.Most))
	}
	if r.floor.Goal != 0 {
		parts = append(parts, "goal "+number(r.floor.Goal)+"×")
	}
	switch {
	case !r.ok():
		parts = append(parts, "BELOW FLOOR")
	case !r.reaches(r.floor.Goal):
		parts = append(parts, "below goal")
	}
	return strings.Join(parts, ", ")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
