package generator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/write"
)

// Result holds the generated files, compared with the files on disk.
type Result struct {
	// Kinds, Views and GroupVersions count the kinds, views and group versions that were found.
	Kinds, Views, GroupVersions int
	// Loaded has a line for each set of packages that was read, with the duration.
	Loaded []string
	// PassedOver are the packages that match a pattern and have no kind.
	PassedOver []string
	// Warnings are about input that has no effect. Each begins with its position.
	Warnings []string
	// Decisions has lines on each kind: its resource, group, version, scope and verbs.
	Decisions []string
	// Timing has the duration of each stage.
	Timing Timing

	run  *input.Run
	set  *model.Set
	plan *write.Plan
}

// Timing holds the duration of each stage.
type Timing struct {
	Load, Decide, Render, Compare time.Duration
}

// Write writes the generated files and deletes stale ones. If it fails or ctx ends first, the disk
// is as before.
func (r *Result) Write(ctx context.Context) error { return r.plan.Apply(ctx) }

// Diff returns the changes of Write as a unified diff. It is empty if there are none.
func (r *Result) Diff() (string, error) { return r.plan.Diff() }

// Stale reports whether Write would change a file.
func (r *Result) Stale() bool { return len(r.plan.Changes) > 0 }

// Changes returns a line for each file that Write creates, changes or deletes. Paths are relative to
// the folder in which patterns are resolved, or to the root of the output's module.
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
		lines = append(lines, verb+" "+c.DisplayPath)
	}
	return lines
}

// Deletions returns the paths of the files that Write deletes, in the form of Changes.
func (r *Result) Deletions() []string {
	var paths []string
	for _, c := range r.plan.Changes {
		if c.New == nil {
			paths = append(paths, c.DisplayPath)
		}
	}
	return paths
}

// HasNone reports whether the output folder has none of the generated files.
func (r *Result) HasNone() bool {
	return r.plan.IsEmpty(r.run.OutputDir)
}

// Dropped returns the group versions, such as shop/v1, whose files Write deletes because this run
// names no package of them that has a kind.
func (r *Result) Dropped() []string {
	found := map[string]bool{}
	for _, c := range r.plan.Changes {
		if folders := model.FoldersOf(c.Path); folders != "" && c.Dir == r.run.OutputDir && c.New == nil {
			found[folders] = true
		}
	}
	for _, gv := range r.set.GroupVersions() {
		delete(found, gv.Folders())
	}
	return slices.Sorted(maps.Keys(found))
}

// Summary returns a line with the output package and the numbers of kinds and files. wrote reports whether Write was called.
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
	of := plural(r.Kinds, "kind")
	if r.Views > 0 {
		of += " and " + plural(r.Views, "view")
	}
	return fmt.Sprintf("output package %s: %s in %s: %s", r.run.Layout.OutputPackage, of, plural(r.GroupVersions, "group version"),
		strings.Join(parts, ", "))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
