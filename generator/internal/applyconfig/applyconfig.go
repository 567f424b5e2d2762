// Package applyconfig decides on the apply configurations of the types that kinds consist of. Names and
// signatures are the same as with applyconfiguration-gen.
//
//	kinds ──reach──▶ configs: structs with JSON fields in packages of the run
//	                    │
//	                    ├──fields───▶ fields, all optional
//	                    └──setters──▶ methods With
//
//	identity.go     types that are the same
//	state.go        Input, and the state of a decision
//	name.go         names of types and files
//	instance.go     names for instances of generic types
//	importable.go   types that the code of apply configurations can name
//	expression.go   a Go type as code
//	problem.go      fields that an apply configuration cannot have
//	member.go       fields and methods
//	subresource.go  functions Extract
//	reach.go        the types that kinds consist of
//	applyconfig.go  Decide
package applyconfig

import (
	"cmp"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Decide returns the apply configurations of the kinds that have the verb apply or applyStatus, and of the
// types that these consist of. It adds the reasons why a type cannot have one to errs.
func Decide(in Input, errs *model.Errors) *model.Apply {
	a := &assembly{Input: in, errs: errs, homes: map[string]*home{}, configs: map[identity]*config{}}
	a.addHomes()
	a.reach()
	a.addDirs()
	a.nameInstances()
	slices.SortFunc(a.all, func(x, y *config) int {
		return cmp.Or(strings.Compare(x.home.out.Dir, y.home.out.Dir), strings.Compare(x.out.File, y.out.File),
			strings.Compare(x.out.Name, y.out.Name))
	})
	apply := &model.Apply{Dir: in.ApplyDir}
	for _, c := range a.all {
		a.complete(c)
		if len(c.home.out.Types) == 0 {
			apply.Packages = append(apply.Packages, c.home.out)
		}
		c.home.out.Types = append(c.home.out.Types, c.out)
	}
	a.checkNames()
	a.checkInputs()
	model.SortErrors(a.Set.Warnings)
	return apply
}

func (a *assembly) addHomes() {
	for _, pkg := range a.Packages {
		a.homes[pkg.Path] = &home{pkg, &model.ApplyPackage{Path: pkg.Path, Dir: a.Set.ApplyDirs[pkg.Path]}}
	}
	for _, p := range a.Set.Packages() {
		if h := a.homes[p.Path]; h != nil {
			h.out.GroupVersion = p.GroupVersion
		}
	}
}

// addDirs sets the folders of the packages without kinds whose types were reached. Packages that no kind refers to
// have no influence on them.
func (a *assembly) addDirs() {
	var paths []string
	for _, c := range a.all {
		if out := c.home.out; out.Dir == "" && !slices.Contains(paths, out.Path) {
			paths = append(paths, out.Path)
		}
	}
	for importPath, dir := range model.ApplyDirs(paths, a.Set.ApplyDirs) {
		a.homes[importPath].out.Dir = dir
	}
}
