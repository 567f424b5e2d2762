package debugpage

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/observe"
)

// maxCell is the number of bytes of a cell of the table of informers.
const maxCell = 80

// writeText writes the report as a table, and the problems of each informer under it. With a
// filter by name it has all of the informers.
func writeText(to io.Writer, r *observe.Report, v *view) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s at %s\n%s\n", r.Title, r.Time.Format("2006-01-02 15:04:05 MST"), r.Summary.Text)
	switch {
	case len(r.Informers) == 0 && r.Summary.Informers > 0:
		fmt.Fprintln(w, "\nNone of them is in this view; remove the parameters q and state to see all.")
	case len(r.Informers) > 0:
		writeTable(w, r.Informers)
	}
	for n := range r.Informers {
		if i := &r.Informers[n]; i.NeedsAction() || v.name != "" {
			fmt.Fprintf(w, "\n%s: %s\n", i.Label, strings.ToUpper(string(i.State)))
			writeWhy(w, i)
			if v.name != "" {
				writeDetails(w, i)
			}
		}
	}
	return w.Flush()
}

// writeTable writes a row for each informer.
func writeTable(w io.Writer, all []observe.Informer) {
	var row []string
	for c := range columns {
		row = append(row, strings.ToUpper(columns[c].Title))
	}
	fmt.Fprintf(w, "\n%s\tPHASE\t%s\n", row[0], strings.Join(row[1:], "\t"))
	for n := range all {
		row = row[:0]
		for c := range columns {
			row = append(row, printable.Cut(columns[c].text(&all[n]), maxCell))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", row[0], phaseOf(&all[n].Condition), strings.Join(row[1:], "\t"))
	}
}

// writeWhy writes what is wrong with an informer, and what to do.
func writeWhy(w io.Writer, i *observe.Informer) {
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(w, "  %s\t%s\n", label, text)
		}
	}
	for _, problem := range i.Problems {
		line("problem", problem)
	}
	line("error", i.Error)
	line("retry", retryOf(&i.Condition))
	for n := range i.Advice {
		advice := &i.Advice[n]
		line("do", advice.Text)
		line("where", whereOf(advice, i))
		for text := range strings.Lines(advice.Manifest) {
			line("", strings.TrimSuffix(text, "\n"))
		}
		line("check", advice.Check)
		line("runbook", advice.Runbook)
	}
}

// writeDetails writes everything else.
func writeDetails(w io.Writer, i *observe.Informer) {
	d := detailsOf(i, math.MaxInt)
	for _, s := range d.Sections {
		fmt.Fprintf(w, "\n  %s\n", s.Title)
		for _, f := range s.Facts {
			fmt.Fprintf(w, "  %s\t%s\n", f.Label, f.Text)
		}
	}
	for _, t := range d.Tables {
		fmt.Fprintf(w, "\n  %s\n  %s\n", t.Title, strings.ToUpper(strings.Join(t.Head, "\t")))
		for _, row := range t.Rows {
			fmt.Fprintf(w, "  %s\n", strings.Join(row, "\t"))
		}
		if t.More > 0 {
			fmt.Fprintf(w, "  and %s more\n", human.Number(t.More))
		}
	}
}
