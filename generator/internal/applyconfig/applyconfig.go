// Package applyconfig decides on the apply configurations of the types that kinds consist of. Names and
// signatures are those of applyconfiguration-gen.
//
//	kinds ──reach──▶ configs: structs with JSON fields in packages of the run
//	                    │
//	                    ├──fields───▶ fields, all optional
//	                    └──setters──▶ methods With
package applyconfig

import (
	"cmp"
	"go/types"
	"path"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Input has the arguments of Decide.
type Input struct {
	*input.Run
	// Types has the types that the kinds consist of.
	Types *input.Types
	// Packages are the packages of the run. Those without kinds may have types that kinds consist of.
	Packages []*input.Package
	// Set has the kinds.
	Set *model.Set
}

// Decide returns the apply configurations of the kinds that have the verb apply or applyStatus, and of the
// types that these consist of. It adds the reasons why a type cannot have one to the mistakes.
func Decide(in Input, mistakes *model.Errors) *model.Apply {
	a := &assembly{Input: in, mistakes: mistakes, homes: map[string]*home{}, configs: map[identity]*config{}}
	a.addHomes()
	a.reach()
	a.addDirs()
	a.nameInstances()
	slices.SortFunc(a.all, func(x, y *config) int {
		return cmp.Or(strings.Compare(x.home.out.Dir, y.home.out.Dir), strings.Compare(x.out.File, y.out.File), strings.Compare(x.out.Name, y.out.Name))
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

// assembly is the state of one Decide.
type assembly struct {
	Input
	// homes are the packages of the run, by import path.
	homes map[string]*home
	// configs are the types with an apply configuration that this run generates. If a type is several
	// kinds, this is the first one, and all has the others too.
	configs  map[identity]*config
	all      []*config
	inputs   []methodInput
	mistakes *model.Errors
}

// home is a package of the run, and the package for the apply configurations of its types.
type home struct {
	pkg *input.Package
	out *model.ApplyPackage
}

// config is a type with an apply configuration.
type config struct {
	// of is the type. It is the type behind the alias if a kind is an alias.
	of   *types.Named
	home *home
	out  *model.ApplyType
	// spelled is the spelledName of the type. Of several, because of aliases, it is the first in the order of
	// strings.
	spelled string
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

// ref returns the name of the apply configuration of a type, or zero if the type has none.
func (a *assembly) ref(t types.Type) model.TypeRef {
	id := identify(t)
	if id.declared == nil {
		return model.TypeRef{}
	}
	if c := a.configs[id]; c != nil {
		return model.TypeRef{Path: path.Join(a.Set.ApplyPackage, c.home.out.Dir), Name: c.out.Config()}
	}
	return model.ExternalApply(gotype.NameOf(t), a.ApplyExternals)
}
