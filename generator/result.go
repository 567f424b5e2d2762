package generator

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/write"
)

// Result is what Generate has made, compared with what is on disk.
type Result struct {
	// Kinds, Views and GroupVersions are how many it was made of.
	Kinds, Views, GroupVersions int
	// Loaded says what was read, and how long it took.
	Loaded []string
	// PassedOver are the packages that matched and have no kind.
	PassedOver []string
	// Warnings say what was read and has no effect, each with its place.
	Warnings []string
	// Decisions has a line for each kind, for those who ask.
	Decisions []string
	// Timing says where the time went.
	Timing Timing

	plan *write.Plan
	// versions are the group versions of the run, as Dropped has them.
	versions map[string]bool
}

// Timing is how long each stage took.
type Timing struct {
	Load, Render, Compare time.Duration
}

// Write brings the disk to what was generated. If it fails, or ctx ends first,
// everything is as it was before.
func (r *Result) Write(ctx context.Context) error { return r.plan.Apply(ctx) }

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

// HasNone says whether the output folder has none of the files that were generated.
func (r *Result) HasNone() bool {
	return r.plan.Unchanged == 0 && !slices.ContainsFunc(r.plan.Changes, func(c write.Change) bool { return c.Old != nil && c.New != nil })
}

// versionFolder finds the folders of a group's version in the path of a file.
var versionFolder = regexp.MustCompile(`^(?:clientset/[^/]+/typed|listers|informers/[^/]+)/([^/]+/[^/]+)/`)

// Dropped are the group versions, such as shop/v1, of which Write deletes files and
// of which nothing is generated: no package is named for them, or none with a kind.
func (r *Result) Dropped() []string {
	found := map[string]bool{}
	for _, c := range r.plan.Changes {
		if match := versionFolder.FindStringSubmatch(c.Path); match != nil && c.New == nil && !r.versions[match[1]] {
			found[match[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
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
	of := plural(r.Kinds, "kind")
	if r.Views > 0 {
		of += " and " + plural(r.Views, "view")
	}
	return fmt.Sprintf("%s in %s: %s", of, plural(r.GroupVersions, "group version"), strings.Join(parts, ", "))
}

// describe notes what was decided.
func (r *Result) describe(set *model.Set, s *setup) {
	for _, w := range set.Warnings {
		r.Warnings = append(r.Warnings, w.Error())
	}
	if apply := "applyconfiguration"; s.applyPackage == "" && exists(s.outputDir, apply+"/utils.go") {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s has apply configurations, but the clients have no Apply and ApplyStatus without them; use --apply-configuration-package=%s/%s", path.Join(s.shownDir(), apply), s.outputPackage, apply))
	}
	r.versions = map[string]bool{}
	for _, gv := range set.GroupVersions() {
		r.versions[gv.Group.Dir+"/"+gv.Dir] = true
	}
	r.Decisions = append(r.Decisions, "output package "+s.outputPackage)
	for _, k := range set.Informed() {
		gv := k.GroupVersion
		scope := "namespaced"
		if !k.Namespaced {
			scope = "cluster-scoped"
		}
		if v := k.View; v != nil {
			r.Decisions = append(r.Decisions, fmt.Sprintf("%s.%s: a view of %s.%s, resource %s of group %q, version %s, %s",
				gv.Path, k.Name, v.Of.Path, v.Of.Name, k.Resource, v.Group, v.Version, scope))
			continue
		}
		var verbs []string
		for _, v := range k.Verbs {
			verbs = append(verbs, string(v))
		}
		r.Decisions = append(r.Decisions, fmt.Sprintf("%s.%s: resource %s of group %q, version %s, %s, verbs %s",
			gv.Path, k.Name, k.Resource, gv.Group.Name, gv.Version, scope, strings.Join(verbs, ",")))
		switch {
		case k.DiffersFromCRD:
			r.Decisions = append(r.Decisions, fmt.Sprintf("%s.%s: differs from its CRD at %s", gv.Path, k.Name, k.CRD))
		case k.CRD.IsValid():
			r.Decisions = append(r.Decisions, fmt.Sprintf("%s.%s: agrees with its CRD at %s", gv.Path, k.Name, k.CRD))
		case len(s.crds) > 0:
			r.Decisions = append(r.Decisions, fmt.Sprintf("%s.%s: not checked, because --crd names no CRD of it", gv.Path, k.Name))
		}
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
