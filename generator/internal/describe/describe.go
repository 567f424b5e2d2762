package describe

import (
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// Packages describes the packages of a run. A package that does not parse is Broken, and the reason is among the
// errs.
func Packages(run *input.Run, sources []*syntax.Package, errs *model.Errors) []*Described {
	var all, whole []*Described
	for _, src := range sources {
		d := newDescribed(src)
		d.copies = run.DeepCopy && !src.Dependency
		all = append(all, d)
		d.Package.Generated = dropGenerated(run, src)
		if src.AddErrors(errs) || addRepeated(src, errs) {
			d.Package.Broken = true
			continue
		}
		whole = append(whole, d)
		d.describe(run.Candidates)
		if run.Register && !src.Dependency && d.addLists(run) {
			d.describe(run.Candidates)
		}
		if !src.Dependency {
			d.addSignatures(errs)
		}
	}
	addUntagged(run, whole)
	packages := Inputs(all)
	for _, d := range whole {
		calls := sentOrReturned(packages, d.Syntax.Path)
		if !d.Syntax.Dependency {
			d.addMisnamed(calls, errs)
		}
		d.Open = d.open(calls)
	}
	return all
}

// External describes a package that is not among the packages of the run. It leaves questions about it open.
func External(src *syntax.Package, packages []*input.Package) *input.Package {
	d := newDescribed(src)
	d.describe(false)
	d.addLacking(sentOrReturned(packages, src.Path))
	return d.Package
}
