package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// printRows prints a table.
func printRows(w io.Writer, rows []Row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "what\tobjects\tours\tpeer\ttimes better\tfloor\tok")
	for _, row := range rows {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			row.Name, count(row.Objects), row.quantity(row.Ours), row.quantity(row.Peer), row.times(), row.floor()+row.goal(), row.verdict())
	}
	return table.Flush()
}

// count has commas between thousands; it is empty for 0.
func count(n int) string {
	switch {
	case n == 0:
		return ""
	case n < 1000:
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", count(n/1000), n%1000)
}

// floor is without the goal above it.
func (r Row) floor() string {
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
	return " (to reach " + number(r.Reach) + ")"
}

func (r Row) verdict() string {
	switch {
	case !r.OK():
		return "NO"
	case r.short():
		return "short"
	case !r.judged():
		return ""
	}
	return "yes"
}

// markdown is a table with a column for each number of objects.
func markdown(rows []Row) string {
	var sizes []int
	var names []string
	for _, row := range rows {
		if !slices.Contains(sizes, row.Objects) {
			sizes = append(sizes, row.Objects)
		}
		if !slices.Contains(names, row.Name) {
			names = append(names, row.Name)
		}
	}
	slices.Sort(sizes)
	var text strings.Builder
	text.WriteString("| what |")
	for _, size := range sizes {
		fmt.Fprintf(&text, " %s |", headOf(size))
	}
	fmt.Fprintf(&text, " floor |\n|---|%s---|\n", strings.Repeat("---|", len(sizes)))
	for _, name := range names {
		fmt.Fprintf(&text, "| %s |", name)
		floors, goal := []string{}, ""
		for _, size := range sizes {
			place := slices.IndexFunc(rows, func(r Row) bool { return r.Name == name && r.Objects == size })
			if place < 0 {
				text.WriteString(" |")
				continue
			}
			text.WriteString(" " + rows[place].cell() + " |")
			if floor := rows[place].floor(); !slices.Contains(floors, floor) {
				floors = append(floors, floor)
			}
			goal = cmp.Or(goal, rows[place].goal())
		}
		if none := slices.Index(floors, ""); none >= 0 && len(floors) > 1 {
			floors[none] = "none"
		}
		fmt.Fprintf(&text, " %s |\n", strings.Join(floors, "; ")+goal)
	}
	return text.String()
}

func headOf(size int) string {
	if size == 0 {
		return "ours / peer"
	}
	return count(size) + " objects: ours / peer"
}

func (r Row) cell() string {
	text := fmt.Sprintf("%s / %s", number(r.Ours), r.quantity(r.Peer))
	if times := r.times(); times != "" {
		text += ", **" + times + "×**"
	}
	switch {
	case !r.OK():
		text += " missed"
	case r.short():
		text += " short"
	}
	return text
}
