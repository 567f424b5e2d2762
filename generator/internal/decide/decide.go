package decide

import (
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Decide returns the model of the code to generate for the packages. It leaves out packages without a
// kind or a view. It adds contradictions to the mistakes. The Set is valid only if there are no mistakes.
func Decide(in Input, mistakes *model.Errors) *model.Set {
	a := &assembly{Input: in, groups: map[string]*model.Group{}, errs: mistakes, faulty: map[string][]*model.Kind{}}
	read := mistakes.Len() == 0
	a.addApplyDirs()
	for _, pkg := range in.Packages {
		a.addPackage(pkg)
	}
	if err := a.Exclude.Unused(); err != nil && read { // otherwise it may be in a package that cannot be read
		mistakes.Add(err.Pos, "%s", err.Message)
	}
	if a.errs.Len() == 0 && len(a.groups) > 0 { // otherwise a group or a kind may be missing because of its errors
		a.checkGroupFlags()
		a.checkPluralExceptions()
	}
	a.linkViews()
	a.checkGroups()
	a.checkApplyPackage()
	a.checkApplyExternals()
	a.checkClientset()
	a.checkManifests()
	return a.set()
}

// addPackage adds the kinds and the views of a package.
func (a *assembly) addPackage(pkg *input.Package) {
	a.pkg = pkg
	gv := &model.GroupVersion{Path: pkg.Path, Pos: pkg.Pos}
	if !pkg.GroupVersion.OtherType {
		gv.SchemeGroupVersion = pkg.GroupVersion.Name
	}
	beforePackage := a.errs.Len()
	a.refuseMisspelled(pkg.Markers)
	isNamed := a.errs.Len() == beforePackage
	from := a.from(pkg)
	skip := from == FromKubebuilder && isSkipped(pkg)
	kinds := 0
	for _, t := range pkg.Types {
		if a.Exclude.Type(pkg.Path, t.Name) {
			continue
		}
		before := a.errs.Len()
		a.refuseMisspelled(t.Markers)
		if isView(t) {
			kinds++
			if view := a.view(pkg, t, gv); view != nil {
				gv.Views = append(gv.Views, view)
			}
			continue
		}
		if skip {
			a.refuseSkipped(t)
			continue
		}
		if from == FromGenclient && a.From != FromGenclient && isRoot(t) && t.HasList && !t.WritesList && !markers.Has[markers.Genclient](t.Markers) {
			a.warn(t.Pos, "%s is a root object without +genclient in a package that has some, so nothing is generated for it; %s", t.Name, a.advice("add +genclient, or use --from=kubebuilder", "use --from=kubebuilder"))
		}
		k, isKind := a.kind(t, gv, from)
		if isKind {
			kinds++
		}
		if k != nil && a.errs.Len() > before { // a mistake in a marker
			a.faulty[pkg.Path] = append(a.faulty[pkg.Path], k)
		} else if k != nil {
			gv.Kinds = append(gv.Kinds, k)
		}
	}
	if kinds == 0 || !isNamed { // a misspelled marker may be that of the group
		return
	}
	slices.SortFunc(gv.Kinds, func(x, y *model.Kind) int { return strings.Compare(x.Private, y.Private) })
	a.checkKinds(gv)
	a.addVersion(pkg, from, gv)
}

// set returns the result, sorted.
func (a *assembly) set() *model.Set {
	set := &model.Set{Groups: a.sortedGroups(), ApplyPackage: a.ApplyPackage, ApplyDirs: a.applyDirs}
	if a.Clientset != nil {
		set.Clientset = &model.Clientset{Path: a.Clientset.Path, Name: a.Clientset.Name}
	}
	for _, g := range set.Groups {
		slices.SortFunc(g.Versions, func(x, y *model.GroupVersion) int { return strings.Compare(x.Version, y.Version) })
	}
	a.checkProtobuf(set)
	model.SortErrors(a.warnings)
	set.Warnings = a.warnings
	return set
}
