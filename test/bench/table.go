package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// printRows prints the table with aligned columns.
func printRows(w io.Writer, rows []Row) error {
	table := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprint(table, strings.NewReplacer(" |", "\t|", "---|", "---\t|").Replace(markdown(rows)))
	return table.Flush()
}

// count has commas between thousands. It is empty for 0.
func count(n int) string {
	switch {
	case n == 0:
		return ""
	case n < 1000:
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", count(n/1000), n%1000)
}

// limits are without the goal above them.
func (r Row) limits() string {
	var parts []string
	if r.Floor != 0 {
		parts = append(parts, number(r.Floor))
	}
	if r.Most != nil {
		parts = append(parts, "at most "+r.quantity(*r.Most))
	}
	return strings.Join(parts, ", ")
}

func (r Row) goal() string {
	if r.Reach <= r.Floor {
		return ""
	}
	return " (goal " + number(r.Reach) + ")"
}

// markdown is a table with a column for each number of objects.
func markdown(rows []Row) string {
	if slices.ContainsFunc(rows, writesRow) {
		return writesMarkdown(rows)
	}
	if slices.ContainsFunc(rows, shardsRow) {
		return shardsMarkdown(rows)
	}
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Columns != nil }) {
		return wideMarkdown(rows)
	}
	sizes, names := map[int]bool{}, []string{}
	for _, row := range rows {
		sizes[row.Objects] = true
		if !slices.Contains(names, row.Name) {
			names = append(names, row.Name)
		}
	}
	columns := slices.Sorted(maps.Keys(sizes))
	var text strings.Builder
	text.WriteString("| what |")
	for _, size := range columns {
		if size != 0 {
			fmt.Fprintf(&text, " %s objects:", count(size))
		}
		text.WriteString(" ours / peer |")
	}
	fmt.Fprintf(&text, " floor |\n|---|%s---|\n", strings.Repeat("---|", len(columns)))
	for _, name := range names {
		fmt.Fprintf(&text, "| %s |", name)
		limits, goal := []string{}, ""
		for _, size := range columns {
			at := slices.IndexFunc(rows, func(r Row) bool { return r.Name == name && r.Objects == size })
			if at < 0 {
				text.WriteString(" |")
				continue
			}
			text.WriteString(" " + rows[at].cell() + " |")
			if limit := rows[at].limits(); !slices.Contains(limits, limit) {
				limits = append(limits, limit)
			}
			goal = cmp.Or(goal, rows[at].goal())
		}
		if none := slices.Index(limits, ""); none >= 0 && len(limits) > 1 {
			limits[none] = "none"
		}
		fmt.Fprintf(&text, " %s |\n", strings.Join(limits, "; ")+goal)
	}
	return text.String()
}

func (r Row) cell() string {
	text := fmt.Sprintf("%s / %s", number(r.Ours), r.quantity(r.Peer))
	if r.Unit != report.Allocations || r.Ours != 0 { // there is no ratio to nothing
		text += ", **" + number(r.Ratio) + "×**"
	}
	return text + r.remark()
}

// remark marks a row that does not reach its floor or its goal.
func (r Row) remark() string {
	switch {
	case !r.OK():
		return " below floor"
	case r.short():
		return " below goal"
	}
	return ""
}
