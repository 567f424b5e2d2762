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
	// Types has the types that the kinds consist of.
	Types *input.Types
	// Packages are the packages of the run. Those without kinds may have types that kinds consist of.
	Packages []*input.Package
	// Set has the kinds.
	Set *model.Set
	// Externals are the packages with apply configurations that exist, by type.
	Externals map[model.TypeRef]string
	// Dir is the folder in the output folder.
	Dir string
}

// Decide returns the apply configurations of the kinds that have the verb apply or applyStatus, and of the
// types that these consist of. It adds the reasons why a type cannot have one to the mistakes.
func Decide(in Input, mistakes *model.Errors) *model.Apply {
	a := &assembly{Input: in, mistakes: mistakes, homes: map[string]*home{}, configs: map[*types.TypeName]*config{}, kinds: map[*types.TypeName]*model.Kind{}}
	a.addHomes()
	a.addKinds()
	a.reach()
	for _, c := range a.sorted() {
		a.complete(c)
	}
	a.checkNames()
	apply := &model.Apply{Dir: in.Dir}
	for _, c := range a.sorted() {
		if len(c.home.out.Types) == 0 {
			apply.Packages = append(apply.Packages, c.home.out)
		}
		c.home.out.Types = append(c.home.out.Types, c.out)
	}
	return apply
}

// assembly is the state of one Decide.
type assembly struct {
	Input
	// homes are the packages of the run, by import path.
	homes map[string]*home
	// configs are the types with an apply configuration that this run generates.
	configs map[*types.TypeName]*config
	// kinds are the kinds of the set by their types.
	kinds    map[*types.TypeName]*model.Kind
	mistakes *model.Errors
}

// home is a package of the run, and the package for the apply configurations of its types.
type home struct {
	pkg *input.Package
	out *model.ApplyPackage
}

// config is a type with an apply configuration.
type config struct {
	// declared is the type. It is the type behind the alias if the kind is an alias.
	declared *types.TypeName
	home     *home
	out      *model.ApplyType
}

func (a *assembly) addHomes() {
	for _, pkg := range a.Packages {
		a.homes[pkg.Path] = &home{pkg, &model.ApplyPackage{Path: pkg.Path, Dir: model.ApplyDir(pkg.Path)}}
	}
	for _, gv := range a.Set.GroupVersions() {
		if h := a.homes[gv.Path]; h != nil {
			h.out.GroupVersion = gv
		}
	}
}

// addKinds fills kinds. The apply configuration of a kind that is an alias is in the package of the alias,
// unless the package of the type is in the run too.
func (a *assembly) addKinds() {
	for _, k := range a.Set.Kinds() {
		ref := model.TypeRef{Path: k.GroupVersion.Path, Name: k.Name}
		alias := a.Types.Lookup(ref)
		if alias == nil {
			continue
		}
		declared := declaredBy(alias.Type())
		if declared == nil {
			continue
		}
		a.kinds[declared] = k
		if home := a.homes[ref.Path]; declared != alias && home != nil && a.homes[declared.Pkg().Path()] == nil {
			// Its parts are declared next to it.
			a.homes[declared.Pkg().Path()] = home
		}
	}
}

// sorted returns the configs by package and name.
func (a *assembly) sorted() []*config {
	all := make([]*config, 0, len(a.configs))
	for _, c := range a.configs {
		all = append(all, c)
	}
	slices.SortFunc(all, func(x, y *config) int {
		return cmp.Or(strings.Compare(x.home.out.Dir, y.home.out.Dir), strings.Compare(strings.ToLower(x.out.Name), strings.ToLower(y.out.Name)), strings.Compare(x.out.Name, y.out.Name))
	})
	return all
}

// ref returns the name of the apply configuration of a type, or zero if the type has none.
func (a *assembly) ref(t types.Type) model.TypeRef {
	declared := declaredBy(t)
	if declared == nil {
		return model.TypeRef{}
	}
	if c := a.configs[declared]; c != nil {
		return model.TypeRef{Path: path.Join(a.Set.ApplyPackage, c.home.out.Dir), Name: c.out.Config()}
	}
	of := gotype.NameOf(t)
	if in := a.Externals[of]; in != "" {
		return model.TypeRef{Path: in, Name: of.Name + model.ApplySuffix}
	}
	if model.HasMetaApply(of) {
		return model.TypeRef{Path: model.MetaApplyPackage, Name: of.Name + model.ApplySuffix}
	}
	return model.TypeRef{}
}

// declaredBy returns the declaration of a type, without aliases. It is nil for types without a name and for
// instances of generic types.
func declaredBy(t types.Type) *types.TypeName {
	if named, ok := types.Unalias(t).(*types.Named); ok && named.TypeArgs().Len() == 0 && named.Obj().Pkg() != nil {
		return named.Obj()
	}
	return nil
}
