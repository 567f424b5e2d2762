package generator

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/write"
)

// Result holds the generated files, compared with those on disk.
type Result struct {
	// Kinds, Views and GroupVersions are the numbers of those that were found.
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

	plan      *write.Plan
	outputDir string
	// outputPackage is the import path of outputDir.
	outputPackage string
	// versions has the Folders of each group version of the run.
	versions map[string]bool
}

// Timing holds the duration of each stage.
type Timing struct {
	Load, Render, Compare time.Duration
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
		lines = append(lines, verb+" "+c.Shown)
	}
	return lines
}

// Deletions returns the paths of the files that Write deletes, in the form of Changes.
func (r *Result) Deletions() []string {
	var paths []string
	for _, c := range r.plan.Changes {
		if c.New == nil {
			paths = append(paths, c.Shown)
		}
	}
	return paths
}

// deletesFrom reports whether Write deletes a file from the folder of one of the packages.
func (r *Result) deletesFrom(importPaths []string, outputPackage string) bool {
	return slices.ContainsFunc(r.plan.Changes, func(c write.Change) bool {
		return c.New == nil && c.Dir == r.outputDir && slices.Contains(importPaths, path.Join(outputPackage, path.Dir(c.Path)))
	})
}

// HasNone reports whether the output folder has none of the generated files.
func (r *Result) HasNone() bool {
	return r.plan.IsEmpty(r.outputDir)
}

// Dropped returns the group versions, such as shop/v1, whose files Write deletes because this run
// names no package of them that has a kind.
func (r *Result) Dropped() []string {
	found := map[string]bool{}
	for _, c := range r.plan.Changes {
		if dir := model.FoldersOf(c.Path); dir != "" && c.Dir == r.outputDir && c.New == nil && !r.versions[dir] {
			found[dir] = true
		}
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
	return fmt.Sprintf("output package %s: %s in %s: %s", r.outputPackage, of, plural(r.GroupVersions, "group version"), strings.Join(parts, ", "))
}

// describe fills in the warnings and decisions.
func (r *Result) describe(set *model.Set, run *input.Run) {
	for _, w := range set.Warnings {
		r.Warnings = append(r.Warnings, w.Error())
	}
	if apply := "applyconfiguration"; run.ApplyPackage == "" && run.ClientsetPackage == "" && exists(run.OutputDir, apply+"/utils.go") {
		problem, fix := "has apply configurations that this run does not use", fmt.Sprintf("use --apply-configuration-package=%s/%s", run.Layout.OutputPackage, apply)
		if r.deletesFrom([]string{run.Layout.OutputPackage + "/" + apply}, run.Layout.OutputPackage) {
			problem, fix = "has apply configurations of an earlier run, which this run deletes", "add --with-applyconfig to keep them"
		}
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s %s, so clients have no Apply and ApplyStatus; %s", path.Join(displayDir(run, run.OutputDir), apply), problem, fix))
	}
	if tree := treeAbove(run); tree != "" && r.HasNone() {
		r.Warnings = append(r.Warnings, fmt.Sprintf("another run of informer-gen has written %s, and this one writes to %s; to update the first, run in the folder of that run", tree, run.OutputDir))
	}
	r.versions = map[string]bool{}
	for _, gv := range set.GroupVersions() {
		r.versions[gv.Folders()] = true
	}
	r.Decisions = append(r.Decisions, "output package "+run.Layout.OutputPackage)
	if run.ClientsetPackage != "" {
		r.Decisions = append(r.Decisions, "clientset package "+run.ClientsetPackage)
	}
	for _, k := range set.Informed() {
		gv := k.GroupVersion
		scope := "namespaced"
		if !k.Namespaced {
			scope = "cluster-scoped"
		}
		if k.Protobuf {
			scope += ", protobuf"
		}
		if v := k.View; v != nil {
			if run.ClientsetPackage != "" && v.Kind == nil && v.Client == nil {
				scope += ", not for fake clientsets, because the clientset has no client for the kind"
			}
			r.Decisions = append(r.Decisions, fmt.Sprintf("%s.%s: a view of %s.%s, resource %s of group %q, version %s, %s",
				k.Package.Path, k.Name, v.Of.Path, v.Of.Name, k.Resource, v.Group, v.Version, scope))
			continue
		}
		var verbs []string
		for _, v := range k.Verbs {
			verbs = append(verbs, string(v))
		}
		r.Decisions = append(r.Decisions, fmt.Sprintf("%s.%s: resource %s of group %q, version %s, %s, verbs %s",
			k.Package.Path, k.Name, k.Resource, gv.Group.Name, gv.Version, scope, strings.Join(verbs, ",")))
		switch {
		case k.DiffersFromCRD:
			r.Decisions = append(r.Decisions, fmt.Sprintf("%s.%s: differs from its CRD at %s", k.Package.Path, k.Name, k.CRD))
		case k.CRD.IsValid():
			r.Decisions = append(r.Decisions, fmt.Sprintf("%s.%s: agrees with its CRD at %s", k.Package.Path, k.Name, k.CRD))
		case len(run.CRDs) > 0:
			r.Decisions = append(r.Decisions, fmt.Sprintf("%s.%s: not checked, because --crd names no CRD of it", k.Package.Path, k.Name))
		}
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
