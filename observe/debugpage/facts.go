package debugpage

import (
	"cmp"
	"fmt"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/observe"
)

// details are the facts that the page shows of an informer beyond its row, as HTML and as text.
type details struct {
	Sections []section
	Tables   []table
}

// section has facts of one subject.
type section struct {
	Title string
	Facts []fact
}

type fact struct{ Label, Text string }

// add adds a fact, unless its text is empty.
func (s *section) add(label, text string) {
	if text != "" {
		s.Facts = append(s.Facts, fact{label, text})
	}
}

// count adds a number, unless it is 0.
func (s *section) count(label string, n int) {
	if n > 0 {
		s.add(label, human.Number(n))
	}
}

// table has a row for each part of one kind.
type table struct {
	Title string
	Head  []string
	Rows  [][]string
	// More is the number of rows that are left out.
	More int
}

// detailsOf returns all that is known of an informer, with at most limit rows of a table.
func detailsOf(i *observe.Informer, limit int) (d details) {
	cached := section{Title: "Cache"}
	cached.add("Resource version", cmp.Or(i.ResourceVersion, "–"))
	cached.add("Go type", i.Object)
	cached.add("Server", i.Server)
	cached.add("Namespaces", cmp.Or(i.Where(), "all"))
	cached.add("First list", firstList(i))
	cached.count("Changes not stored yet", i.Queued)
	cached.count("Own writes not confirmed", i.PendingWrites)
	if i.Unconfirmed > 0 {
		cached.add("Versions never confirmed", human.Number(i.Unconfirmed)+", the last: "+i.LastUnconfirmed)
	}

	server := section{Title: "Server since the start"}
	server.add("Added", human.Number(i.Events.Added))
	server.add("Updated", human.Number(i.Events.Updated))
	server.add("Deleted", human.Number(i.Events.Deleted))
	server.add("Bookmarks", human.Number(i.Events.Bookmark))
	server.count("Sent by the server, in no scope", int(i.Dropped))
	if i.Packed != nil {
		server.add("Packed objects", i.Packed.String())
	}
	server.add("Bytes read", human.Size(i.BytesRead))
	server.add("Lists", human.Number(i.Lists))
	for _, c := range i.Relists {
		server.add("Listed again for "+string(c.Reason), human.Number(c.Count))
	}
	for _, c := range i.Failures {
		server.add(fmt.Sprintf("Failed: %s, %s", c.Verb, c.Reason), human.Number(c.Count))
	}
	server.count("Objects read that were not cached", int(i.LiveReads))
	server.count("States not decoded", int(i.DecodeFailures))
	if i.ReferenceDecoder {
		server.add("Decoder", "apimachinery's serializers")
	}
	if i.DecoderChecks > 0 {
		server.add("Objects decoded twice", human.Number(i.DecoderChecks)+", of which differ: "+human.Number(i.DecoderDifferences))
	}

	times := section{Title: "Times and indexes"}
	times.add("From receipt to cache", i.ToCache.String())
	times.add("To store a batch", i.Processing.String())
	for _, x := range i.Indexes {
		times.add("Index "+x.Name, human.Plural(x.Values, "value"))
	}
	d.Sections = []section{cached, server, times}

	scopes := []string{"Scope", "Phase", "For", "Error"}
	add(&d, table{Title: "Scopes", Head: scopes, More: len(i.Scopes)}, i.Scopes, limit, func(s *observe.Scope) []string {
		return []string{s.Label(), phaseOf(&s.Condition), s.For.String(), cmp.Or(s.Error, "–")}
	})
	handlers := []string{"Handler", "Synced", "Backlog", "Processed", "Panics", "Running", "Slowest", "99 %"}
	add(&d, table{Title: "Handlers", Head: handlers, More: len(i.Handlers)}, i.Handlers, limit, func(h *observe.Handler) []string {
		synced := "no"
		if h.Synced {
			synced = "yes"
		}
		calls := []string{human.Number(h.Backlog), human.Number(h.Processed), human.Number(h.Panics), h.Running.String(), h.Slowest.String(), h.Latency.Percentile99()}
		return append([]string{h.Name, synced}, calls...)
	})
	objects := []string{"Object", "Path", "Reason", "Text"}
	add(&d, table{Title: "Undecodable objects", Head: objects, More: i.UndecodableCount}, i.Undecodable, limit, func(u *observe.Undecodable) []string {
		return []string{u.Object(), cmp.Or(u.Path, "–"), u.Reason, cmp.Or(u.Near, "–")}
	})
	return d
}

// add adds a table of some of the parts, unless there are none. More is the number of all before.
func add[E any](d *details, t table, all []E, limit int, row func(*E) []string) {
	for n := range all[:min(len(all), limit)] {
		t.Rows = append(t.Rows, row(&all[n]))
	}
	if t.More -= len(t.Rows); len(t.Rows) > 0 {
		d.Tables = append(d.Tables, t)
	}
}

func firstList(i *observe.Informer) string {
	switch {
	case i.Synced:
		return "in the cache"
	case i.WasSynced:
		return "in the cache, but not of a scope that was added later"
	}
	return "not in the cache yet"
}

func phaseOf(c *observe.Condition) string {
	if c.Reason == "" {
		return string(c.Phase)
	}
	return string(c.Phase) + ": " + string(c.Reason)
}

// retryOf says when the failed request is retried. A server that does not answer leaves it under way for long.
func retryOf(c *observe.Condition) string {
	switch {
	case c.NextAttempt > 0:
		return "The next attempt is within " + c.NextAttempt.String() + "."
	case c.IsAttempting():
		return "The next attempt is under way, and is not answered yet."
	}
	return ""
}

// whereOf names the namespaces in which the advice is to be followed, if the informer has others too.
func whereOf(a *observe.Advice, i *observe.Informer) string {
	if len(a.Namespaces) == 0 || len(i.Namespaces) == 0 || len(a.Namespaces) == len(i.Namespaces) {
		return ""
	}
	return human.Namespaces(a.Namespaces)
}
