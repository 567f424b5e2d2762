package debugpage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// writeJSON writes the report with an indent, for people who read it without jq.
func writeJSON(to *bytes.Buffer, r *Report) error {
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// maxTextName is the number of characters of a name in the table.
const maxTextName = 50

// writeText writes the report as a table, and what is wrong with each informer under it. With a
// filter by name it has all of the informers.
func writeText(to *bytes.Buffer, r *Report) {
	fmt.Fprintf(to, "%s at %s\n%s\n", r.Title, r.Time.Format("2006-01-02 15:04:05 MST"), r.Summary.Text)
	if len(r.Informers) == 0 && r.Summary.Informers > 0 {
		to.WriteString("\nNone of them is in this view; remove the parameters q and state to see all.\n")
		return
	}
	if len(r.Informers) == 0 {
		return
	}
	rows := [][]string{{"STATE", "PHASE", "FOR", "INFORMER", "NAMESPACES", "OBJECTS", "MEMORY", "STALENESS", "BACKLOG", "EVENTS"}}
	for i := range r.Informers {
		in := &r.Informers[i]
		phase := string(in.Phase)
		if in.Reason != "" {
			phase += "/" + string(in.Reason)
		}
		rows = append(rows, []string{
			strings.ToUpper(string(in.State)), phase, in.lasting().String(), cutTo(in.displayName(), maxTextName), cutTo(in.where(), maxTextName),
			number(in.Objects), in.memory(), in.stale(), in.waiting(), number(in.Events.Changes()),
		})
	}
	to.WriteString("\n")
	writeTable(to, "", rows, 5)
	for i := range r.Informers {
		if in := &r.Informers[i]; in.needsAction() || r.view.name != "" {
			in.writeText(to, r.view.name != "")
		}
	}
}

// writeText writes what is wrong with the informer, or everything.
func (i *Informer) writeText(to *bytes.Buffer, everything bool) {
	fmt.Fprintf(to, "\n%s: %s\n", i.displayName(), strings.ToUpper(string(i.State)))
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(to, "  %-10s %s\n", label, text)
		}
	}
	for _, problem := range i.Problems {
		line("problem", problem)
	}
	line("error", i.Error)
	if i.NextAttempt > 0 {
		line("retry", "in "+i.NextAttempt.String())
	} else if i.Attempting() {
		line("retry", "under way, not answered yet")
	}
	for _, advice := range i.Advice {
		line("do", advice.Text)
		line("where", whereOf(advice, i))
		if advice.Manifest != "" {
			to.WriteString("    " + strings.ReplaceAll(advice.Manifest, "\n", "\n    ") + "\n")
		}
		line("check", advice.Check)
		line("runbook", advice.Runbook)
	}
	for n, object := range i.Undecodable {
		if n == 5 && !everything {
			line("", fmt.Sprintf("and %s more", number(i.UndecodableCount-n)))
			break
		}
		line("object", object.String())
	}
	if !everything {
		return
	}
	if more := i.UndecodableCount - len(i.Undecodable); more > 0 {
		line("", fmt.Sprintf("and %s more", number(more)))
	}
	for _, s := range i.Scopes {
		text := fmt.Sprintf("%s: %s for %s", s.name(), s.Phase, s.For)
		if s.Error != "" {
			text += ": " + s.Error
		}
		line(i.scopeNoun(), text)
	}
	line("name", i.Name)
	line("kind", i.Kind)
	line("type", i.Object)
	line("server", i.Server)
	line("version", i.ResourceVersion)
	line("events", fmt.Sprintf("%s added, %s updated, %s deleted, %s", number(i.Events.Added), number(i.Events.Updated), number(i.Events.Deleted), plural(int(i.Events.Bookmark), "bookmark")))
	if i.Dropped > 0 {
		line("dropped", number(i.Dropped))
	}
	if i.Packed != nil {
		line("packed", i.Packed.String())
	}
	line("read", size(i.BytesRead))
	line("lists", fmt.Sprintf("%s%s", number(i.Lists), countsText("; again for ", i.Relists)))
	line("failures", countsText("", i.Failures))
	line("to cache", i.ToCache.String())
	line("batches", i.Processing.String())
	for _, index := range i.Indexes {
		line("index", fmt.Sprintf("%s: %s", index.Name, plural(index.Values, "value")))
	}
	if len(i.Handlers) == 0 {
		return
	}
	rows := [][]string{{"HANDLER", "SYNCED", "BACKLOG", "PROCESSED", "PANICS", "RUNNING", "SLOWEST", "P99"}}
	for _, h := range i.Handlers {
		rows = append(rows, []string{cutTo(h.Name, maxTextName), yes(h.Synced), number(h.Backlog), number(h.Processed), number(h.Panics), busy(h.Running), h.Slowest.String(), percentile99(h.Latency)})
	}
	writeTable(to, "  ", rows, 2)
}

// writeTable writes rows in columns. Those from the column right on are aligned to the right.
func writeTable(to *bytes.Buffer, indent string, rows [][]string, right int) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for c, cell := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		to.WriteString(indent)
		for c, cell := range row {
			space := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
			switch {
			case c >= right:
				to.WriteString(space + cell)
			case c == len(row)-1:
				to.WriteString(cell)
			default:
				to.WriteString(cell + space)
			}
			if c < len(row)-1 {
				to.WriteString("  ")
			}
		}
		to.WriteString("\n")
	}
}

// cutTo cuts text to a number of characters.
func cutTo(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// where names the namespaces of the informer in a few words.
func (i *Informer) where() string {
	switch {
	case i.Namespaces == nil || len(i.Namespaces) > 0 && i.Namespaces[0] == "": // they are sorted
		return "all"
	case len(i.Namespaces) == 0:
		return "none"
	case len(i.Namespaces) == 1:
		return i.Namespaces[0]
	}
	return plural(len(i.Namespaces), "namespace")
}

// whereOf names the namespaces in which the advice is to be followed, if the informer has others too.
func whereOf(a Advice, i *Informer) string {
	if len(a.Namespaces) == 0 || len(i.Namespaces) == 0 || len(a.Namespaces) == len(i.Namespaces) {
		return ""
	}
	if len(a.Namespaces) > maxNamed {
		return fmt.Sprintf("%d of %d namespaces", len(a.Namespaces), len(i.Namespaces))
	}
	var names []string
	for _, n := range a.Namespaces {
		if n != "" {
			n = "namespace " + n
		}
		names = append(names, cmp.Or(n, "other namespaces"))
	}
	return strings.Join(names, ", ")
}

// lasting is how long the informer has not followed the server. While it does, it is the time since
// its phase began.
func (i *Informer) lasting() Seconds { return max(i.For, i.NotFollowing) }

// memory is the estimate of the memory, or - if there is none.
func (i *Informer) memory() string {
	if i.ObjectBytes <= 0 {
		return "–"
	}
	return size(i.ObjectBytes)
}

// stale is the staleness, or - before the first list.
func (i *Informer) stale() string {
	if !i.Synced && i.Staleness == 0 {
		return "–"
	}
	return i.Staleness.String()
}

// waiting is the number of events that wait for any handler, or - if there is no handler.
func (i *Informer) waiting() string {
	if len(i.Handlers) == 0 {
		return "–"
	}
	return number(i.backlog())
}

// busy is how long a call of a handler has taken, or - if there is none.
func busy(running Seconds) string {
	if running <= 0 {
		return "–"
	}
	return running.String()
}

// String describes the distribution.
func (l Latency) String() string {
	if l.Count == 0 {
		return "–"
	}
	return fmt.Sprintf("half %s, 99 %% %s, mean %s", l.within(0.5, l.P50), l.within(0.99, l.P99), l.Sum/Seconds(l.Count))
}

// within returns the bound of the share q of all durations.
func (l Latency) within(q float64, bound Seconds) string {
	if float64(l.Count-l.Longer) < q*float64(l.Count) {
		return "> " + bound.String()
	}
	return "≤ " + bound.String()
}

// percentile99 returns the bound of 99 of 100 durations, or - if there are none.
func percentile99(l Latency) string {
	if l.Count == 0 {
		return "–"
	}
	return l.within(0.99, l.P99)
}

// String names the object, the path and the reason.
func (u Undecodable) String() string {
	name := u.Name
	if u.Namespace != "" {
		name = u.Namespace + "/" + u.Name
	}
	if u.Path != "" {
		name += " at " + u.Path
	}
	text := name + ": " + u.Reason
	if u.Near != "" {
		text += "; the text there is " + u.Near
	}
	return text
}

// countsText lists counts by verb and reason.
func countsText(before string, counts []Count) string {
	var parts []string
	for _, c := range counts {
		verb := ""
		if c.Verb != "" {
			verb = c.Verb + " "
		}
		parts = append(parts, fmt.Sprintf("%s%s %s", verb, c.Reason, times(c.Count)))
	}
	if len(parts) == 0 {
		return ""
	}
	return before + strings.Join(parts, ", ")
}
