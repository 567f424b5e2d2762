package decide

import (
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// decideKinds decides on the groups, the versions, the kinds and the views of the packages.
func (a *assembly) decideKinds() *model.Set {
	read := a.errs.Len() == 0
	a.addApplyDirs()
	for _, pkg := range a.Packages {
		a.addPackage(pkg)
	}
	if err := a.Exclude.Unused(); err != nil && read { // otherwise it may be in a package that cannot be read
		a.errs.Add(err.Pos, "%s", err.Message)
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
	p := &model.Package{Path: pkg.Path, Pos: pkg.Pos}
	if !pkg.GroupVersion.OtherType {
		p.SchemeGroupVersion = pkg.GroupVersion.Name
	}
	if pkg.IsInternal() { // its types are in no JSON
		if a.hasKind(pkg) || slices.ContainsFunc(pkg.Types, isView) {
			a.version(pkg)
		}
		return
	}
	a.warnOfTags(pkg)
	beforePackage := a.errs.Len()
	a.refuseMisspelled(pkg.Markers)
	isNamed := a.errs.Len() == beforePackage
	from := a.from(pkg)
	skip := from == input.FromKubebuilder && isSkipped(pkg)
	var kinds, views []*model.Kind
	isAPI := false
	for _, t := range pkg.Types {
		if a.Exclude.Type(pkg.Path, t.Name) {
			continue
		}
		before := a.errs.Len()
		a.warnOfDetached(t)
		a.refuseMisspelled(t.Markers)
		if isView(t) {
			isAPI = true
			if view := a.view(pkg, t, p); view != nil {
				views = append(views, view)
			}
			continue
		}
		if skip {
			a.refuseSkipped(t)
			continue
		}
		if from == input.FromGenclient && a.From != input.FromGenclient && isRoot(t) && t.HasList && !t.WritesList &&
			!markers.Has[markers.Genclient](t.Markers) {
			a.warn(t.Pos, "%s is a root object without +genclient in a package that has some, so nothing is generated for it; %s",
				t.Name, a.advice("add +genclient, or use --from=kubebuilder", "use --from=kubebuilder"))
		}
		k, isKind := a.kind(t, p, from)
		isAPI = isAPI || isKind
		if k != nil && a.errs.Len() > before { // a mistake in a marker
			a.faulty[pkg.Path] = append(a.faulty[pkg.Path], k)
		} else if k != nil {
			kinds = append(kinds, k)
		}
	}
	if !isAPI || !isNamed { // a misspelled marker may be +groupName
		return
	}
	sortKinds(kinds)
	gv := a.addVersion(pkg, p, kinds, from)
	if gv == nil {
		gv = &model.GroupVersion{} // without kinds of other packages
	}
	a.checkKinds(slices.Concat(kinds, views), gv)
	for _, k := range slices.Concat(kinds, views) {
		k.GroupVersion = gv
	}
	gv.Kinds, gv.Views = append(gv.Kinds, kinds...), append(gv.Views, views...)
	sortKinds(gv.Kinds)
}

// set returns the result, sorted.
func (a *assembly) set() *model.Set {
	set := &model.Set{
		Groups: a.sortedGroups(), Layout: a.Layout, ApplyPackage: a.ApplyPackage, ApplyDirs: a.applyDirs,
		ClientGo: a.clientGo(), DiscoveryType: a.Library.DiscoveryType, KeepsSerializer: a.Library.HasDeleteWithResult, InlineTag: a.Library.InlineTag,
	}
	if a.clientset != nil {
		set.Clientset = &model.Clientset{Path: a.clientset.Path, Name: a.clientset.Name, Packages: a.clientset.Packages()}
	}
	for _, g := range set.Groups {
		slices.SortFunc(g.Versions, func(x, y *model.GroupVersion) int { return strings.Compare(x.Version, y.Version) })
	}
	a.checkProtobuf(set)
	if set.ClientGo != "" {
		a.dropTyped(set)
	}
	a.addWritten(set)
	model.SortErrors(a.warnings)
	set.Warnings = a.warnings
	return set
}
