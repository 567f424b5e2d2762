package generator

import (
	"fmt"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/write"
)

// Result is what Generate has made, compared with what is on disk.
type Result struct {
	// Kinds and GroupVersions are how many it was made of.
	Kinds, GroupVersions int
	// PassedOver are the packages that matched and have no kind.
	PassedOver []string
	// Warnings say what was read and has no effect, each with its place.
	Warnings []string
	// Decisions has a line for each kind, for those who ask.
	Decisions []string
	// Timing says where the time went.
	Timing Timing

	plan *write.Plan
}

// Timing is how long each stage took.
type Timing struct {
	Load, Render, Compare time.Duration
}

// Write brings the disk to what was generated. On an error everything is as it
// was before.
func (r *Result) Write() error { return r.plan.Apply() }

// Diff returns what Write would change, as a unified diff; empty for nothing.
func (r *Result) Diff() (string, error) { return r.plan.Diff() }

// Stale says whether Write would change anything.
func (r *Result) Stale() bool { return len(r.plan.Changes) > 0 }

// Changes has a line for each file that Write creates, changes or deletes, with
// its path from where patterns are resolved, or from the root of its module.
func (r *Result) Changes() []string {
	var lines []string
	for _, c := range r.plan.Changes {
		verb := "change"
		switch {
		case c.Old == nil:
			verb = "create"
		case c.New == nil:
			verb = "delete"
		}
		lines = append(lines, verb+" "+r.plan.Show(c.Path))
	}
	return lines
}

// Deletions are the paths of the files that Write deletes, as Changes has them.
func (r *Result) Deletions() []string {
	var paths []string
	for _, c := range r.plan.Changes {
		if c.New == nil {
			paths = append(paths, r.plan.Show(c.Path))
		}
	}
	return paths
}

// Summary says in one line what the run comes to. wrote is whether Write has
// been called.
func (r *Result) Summary(wrote bool) string {
	written, deleted := r.plan.Count()
	write, remove := "would write", "would delete"
	if wrote {
		write, remove = "wrote", "deleted"
	}
	var parts []string
	if written > 0 {
		parts = append(parts, write+" "+plural(written, "file"))
	}
	if deleted > 0 {
		parts = append(parts, remove+" "+plural(deleted, "file"))
	}
	if unchanged := r.plan.Unchanged; unchanged > 0 {
		parts = append(parts, plural(unchanged, "file")+" unchanged")
	}
	return fmt.Sprintf("%s in %s: %s", plural(r.Kinds, "kind"), plural(r.GroupVersions, "group version"), strings.Join(parts, ", "))
}

// describe notes what was decided.
func (r *Result) describe(set *model.Set, s *setup) {
	for _, w := range set.Warnings {
		r.Warnings = append(r.Warnings, w.Error())
	}
	r.Decisions = append(r.Decisions, "output package "+s.outputPackage)
	for _, k := range set.Kinds() {
		gv := k.GroupVersion
		scope := "namespaced"
		if !k.Namespaced {
			scope = "cluster-scoped"
		}
		var verbs []string
		for _, v := range k.Verbs {
			verbs = append(verbs, string(v))
		}
		r.Decisions = append(r.Decisions, fmt.Sprintf("%s.%s: resource %s of group %q, version %s, %s, verbs %s",
			gv.Path, k.Name, k.Resource, gv.Group.Name, gv.Version, scope, strings.Join(verbs, ",")))
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
