package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// overview is a table of docs/benchmarks.md: rows of several sections.
type overview struct {
	name  string
	lines []line
}

// line is a row of an overview.
type line struct {
	section, row string
	objects      int
	label        string // what the row measures, in the words of the page
}

var overviews = []overview{
	{"users", []line{
		{"kube", "pods, first sync: time", 20_000, "20,000 pods, first sync: time"},
		{"kube", "pods, first sync: CPU time of the client", 20_000, "the same: CPU time"},
		{"kube", "pods, first sync: peak RSS", 20_000, "the same: peak RSS"},
		{"kube", "custom resources, first sync: time", 20_000, "20,000 custom resources, first sync: time"},
		{"kube", "custom resources, first sync: CPU time of the client", 20_000, "the same: CPU time"},
		{"kube", "custom resources, first sync: peak RSS", 20_000, "the same: peak RSS"},
		{"kube", "custom resources, first sync, against client-go LIST: time", 20_000, "the first sync, against client-go with LIST: time"},
		{"kube", "pods, relist, unchanged: time", 20_000, "20,000 pods, relist, unchanged: time"},
		{"kube", "custom resources, relist, unchanged: time", 20_000, "20,000 custom resources, relist, unchanged: time"},
		{"kube", "custom resources, relist, unchanged: CPU time of the client", 20_000, "the same: CPU time"},
		{"kube", "pods, 1,000 updates a second, from write to handler: p99", 20_000, "pods, 1,000 updates a second, to the handler: p99"},
		{"kube", "custom resources, 1,000 updates a second: CPU time of the client per update", 20_000, "custom resources, 1,000 updates a second: CPU time of each"},
		{"recovery", "any outage, the longest: time", 0, "current again after any outage, the longest"},
		{"writes", "counters at once, Get from the cache: p99", 200, "controller that reads its own writes, Get: p99"},
		{"memory", "events to one handler, from memory", 100_000, "100,000 objects in memory, an event to a handler"},
		{"memory", "Lister.Get, parallel", 100_000, "Get"},
		{"memory", "List of one namespace, 1,000 of all", 100_000, "List of a namespace with 1,000 objects"},
		{"memory", "List of all", 100_000, "List of all 100,000"},
		{"compile", "compile, typed informers of a kind: CPU time", 0, "compile informers of a kind: CPU time"},
		{"compile", "compile, factory: CPU time", 0, "compile a factory: CPU time"},
		{"compile", "compile, controller: CPU time", 0, "compile a controller: CPU time"},
		{"compile", "binary of an operator", 0, "binary of an operator"},
	}},
	{"memory", []line{
		{"default", "pods, live heap per object", 100_000, "pod: heap of each"},
		{"default", "pods, live heap per object, view", 100_000, "view of a pod: heap of each"},
		{"default", "pods, first sync, streaming: peak RSS", 100_000, "100,000 pods, first sync: peak RSS"},
		{"runtime", "live heap per object, without managedFields", 100_000, "pod of JSON, without managedFields: heap of each"},
		{"custom", "2 KB, live heap per object", 100_000, "custom resource of 2 KB: heap of each"},
		{"custom", "2 KB, first sync, streaming: peak RSS", 100_000, "100,000 custom resources of 2 KB, first sync: peak RSS"},
		{"custom", "20 KB, first sync, streaming: peak RSS", 10_000, "10,000 custom resources of 20 KB, first sync: peak RSS"},
		{"memory", "cache's own memory per object, two indexes", 100_000, "the cache itself, two indexes: each object"},
		{"memory", "what the cache adds to a garbage collection: CPU time", 100_000, "what the cache adds to a garbage collection"},
		{"conditions", "a slow handler, each object updated five times, with a limit: heap per event", 10_000, "handler that does not return, with `WithBacklogLimit`: heap per event"},
		{"idle", "1,000 idle informers: heap and stacks of each", 0, "idle informer: heap and stacks"},
	}},
	{"generator", []line{
		{"generator", "generate, k8s.io/api: time", 0, "all of k8s.io/api: time"},
		{"generator", "generate, k8s.io/api: peak RSS", 0, "the same: peak RSS"},
		{"generator", "generate, one CRD package: time", 0, "one CRD package: time"},
		{"generator", "generate, one CRD package: peak RSS", 0, "the same: peak RSS"},
		{"generator", "generate, one CRD package, unchanged: time", 0, "the same, nothing to write: time"},
		{"generator", "generate, path into another package, cold: time", 0, "empty build cache, an index into another package: time"},
	}},
}

// markdown is the table of an overview, and where, when and how its rows were measured.
func (s overview) markdown(o options, all []Row) (string, error) {
	var text, origins strings.Builder
	text.WriteString("| what | ours | peer | better | section |\n|---|---|---|---|---|\n")
	var sections []string
	machine := "" // of the lines before
	for _, l := range s.lines {
		at := slices.IndexFunc(all, func(r Row) bool {
			return r.Section == l.section && r.Name == l.row && r.Objects == l.objects
		})
		if at < 0 {
			return "", fmt.Errorf("no row of the section %s with %d objects has the name %q", l.section, l.objects, l.row)
		}
		row, ratio := all[at], ""
		if row.Ratio > 0 && (row.Ours != 0 || row.Unit == seconds) { // otherwise there is none
			ratio = number(row.Ratio) + "×"
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s |\n", l.label, row.quantity(row.Ours), row.quantity(row.Peer), ratio+row.remark(), l.section)
		if slices.Contains(sections, l.section) {
			continue
		}
		sections = append(sections, l.section)
		table, err := os.ReadFile(o.tableFile(l.section))
		if err != nil {
			return "", err
		}
		origin, _, _ := strings.Cut(string(table), "`. Medians of ")
		date, origin, _ := strings.Cut(origin, ", ")
		on, command, _ := strings.Cut(origin, ", by `")
		if on != machine {
			fmt.Fprintf(&origins, "\nMeasured with %s:\n\n", on)
			machine = on
		}
		fmt.Fprintf(&origins, "- [%s](../test/bench/tables/%s.txt): %s, `%s`\n", l.section, l.section, date, command)
	}
	return text.String() + origins.String(), nil
}
