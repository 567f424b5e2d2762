package generator

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/load"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/write"
)

// newResult returns the result of a run.
func newResult(run *input.Run, loaded *load.Loaded, set *model.Set, plan *write.Plan, timing Timing) *Result {
	return &Result{
		Kinds: len(set.Kinds()), Views: len(set.Informed()) - len(set.Kinds()), GroupVersions: len(set.GroupVersions()),
		Loaded: loaded.Notes, PassedOver: passedOver(loaded, set), Warnings: warnings(run, loaded, set,
			plan), Decisions: decisions(run, set),
		Timing: timing, run: run, set: set, plan: plan,
	}
}

// warnings returns the warnings of the stages, and warnings about the output folder.
func warnings(run *input.Run, loaded *load.Loaded, set *model.Set, plan *write.Plan) (all []string) {
	if warning := cmp.Or(loaded.Library.Missing, loaded.Library.Warning); warning != "" {
		all = append(all, warning) // first, because a run without -v prints one
	}
	for _, w := range set.Warnings {
		all = append(all, w.Error())
	}
	if apply := model.ApplyRoot; run.ApplyPackage == "" && set.Clientset == nil && exists(run.OutputDir, apply+"/utils.go") {
		own := path.Join(run.Layout.OutputPackage, apply)
		problem, fix := "has apply configurations that this run does not use", "use --apply-configuration-package="+own
		if deletesFrom(plan, run, []string{own}) {
			problem, fix = "has apply configurations of an earlier run, which this run deletes", "add --with-applyconfig to keep them"
		}
		all = append(all, fmt.Sprintf("%s %s, so clients have no Apply and ApplyStatus; %s", path.Join(displayDir(run, run.OutputDir),
			apply), problem, fix))
	}
	if tree := treeAbove(run); tree != "" && plan.IsEmpty(run.OutputDir) {
		all = append(all, fmt.Sprintf("another run of informer-gen has written %s, and this one writes to %s; "+
			"to update the first, run in the folder of that run", tree, run.OutputDir))
	}
	return all
}

// decisions returns the lines on the packages and on each kind.
func decisions(run *input.Run, set *model.Set) []string {
	lines := []string{"output package " + run.Layout.OutputPackage}
	if set.Clientset != nil {
		lines = append(lines, "clientset package "+set.Clientset.Path)
	}
	for _, k := range set.Informed() {
		name, scope := k.Package.Path+"."+k.Name, "namespaced"
		if !k.Namespaced {
			scope = "cluster-scoped"
		}
		if k.Protobuf {
			scope += ", protobuf"
		}
		if v := k.View; v != nil {
			if set.Clientset != nil && v.Kind == nil && v.Client == nil {
				scope += ", not for fake clientsets, because the clientset has no client for the kind"
			}
			lines = append(lines, fmt.Sprintf("%s: a view of %s.%s, resource %s of group %q, version %s, %s", name, v.Of.Path,
				v.Of.Name, k.Resource, v.Group, v.Version, scope))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: resource %s of group %q, version %s, %s, verbs %s", name, k.Resource,
			k.GroupVersion.Group.Name, k.GroupVersion.Version, scope,
			strings.ReplaceAll(model.JoinVerbs(k.Verbs), ", ", ",")))
		switch {
		case k.DiffersFromCRD:
			lines = append(lines, fmt.Sprintf("%s: differs from its CRD at %s", name, k.CRD))
		case k.CRD.IsValid():
			lines = append(lines, fmt.Sprintf("%s: agrees with its CRD at %s", name, k.CRD))
		case len(run.CRDs) > 0:
			lines = append(lines, name+": not checked, because --crd names no CRD of it")
		}
	}
	return lines
}

// passedOver returns the packages without a kind and without deep copies. It leaves out apply configurations of
// code-generator, which a pattern such as ./... matches too.
func passedOver(loaded *load.Loaded, set *model.Set) []string {
	taken := map[string]bool{}
	for _, p := range set.Packages() {
		taken[p.Path] = true
	}
	if set.Apply != nil {
		for _, pkg := range set.Apply.Packages {
			taken[pkg.Path] = true
		}
	}
	for _, copies := range set.DeepCopies {
		taken[copies.Path] = true
	}
	others := slices.Clone(loaded.TestsOnly)
	for _, pkg := range loaded.Packages {
		if !taken[pkg.Path] && !slices.Contains(strings.Split(pkg.Path, "/"), "applyconfiguration") {
			others = append(others, pkg.Path)
		}
	}
	slices.Sort(others)
	return others
}
