package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Input is what is decided on.
type Input struct {
	Packages []*Package
	// Externals are the packages that markers name, by import path. Those among
	// Packages are not repeated.
	Externals map[string]*External
	// Manifests are the CRDs against which the kinds are checked.
	Manifests []*Manifest
	Naming    *Naming
	// From says whose markers count; empty for FromAuto.
	From From
	// Exclude are the types that are left out; nil for none.
	Exclude *Exclusions
	// OutputPackage is the import path of the output folder.
	OutputPackage string
	// ApplyPackage is the import path of the root of apply configurations; empty
	// for none.
	ApplyPackage string
}

// Assemble decides what is generated for the packages. Packages without a kind
// are left out; which they are, the caller sees by comparing. Contradictions are
// added to the mistakes, and the Set is of use only if there are none.
func Assemble(input Input, mistakes *Errors) *Set {
	a := &assembly{Input: input, groups: map[string]*Group{}, errs: mistakes}
	for _, pkg := range input.Packages {
		a.addPackage(pkg)
	}
	if err := a.Exclude.unused(); err != nil {
		mistakes.Add(err.Pos, "%s", err.Message)
	}
	if len(a.errs.all) == 0 { // otherwise a group may be missing because of its errors
		a.checkGroupFlags()
	}
	a.linkViews()
	a.checkGroups()
	a.checkApplyPackage()
	a.checkManifests()
	return a.set()
}

type assembly struct {
	Input
	groups map[string]*Group
	// pkg is the package that is being read.
	pkg  *Package
	errs *Errors
	// warnings are what is read and has no effect.
	warnings []*Error
}

func (a *assembly) addPackage(pkg *Package) {
	a.pkg = pkg
	gv := &GroupVersion{Path: pkg.Path, Pos: pkg.Pos}
	if !pkg.GroupVersion.OtherType {
		gv.SchemeGroupVersion = pkg.GroupVersion.Name
	}
	a.refuseMisspelt(pkg.Markers)
	from := a.from(pkg)
	// controller-gen makes no CRDs of such a package, which is what views need.
	skip := from == FromKubebuilder && pkg.skips()
	kinds := 0
	for _, t := range pkg.Types {
		if a.Exclude.Type(pkg.Path, t.Name) {
			continue
		}
		a.refuseMisspelt(t.Markers)
		if t.isView() {
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
		if from == FromGenclient && a.From != FromGenclient && t.isRoot() && t.HasList && !slices.ContainsFunc(t.Markers, func(m Marker) bool { return m.Is("genclient") }) {
			a.warn(t.Pos, "%s is a root object without +genclient in a package that has some, so nothing is generated for it; %s", t.Name, a.advice("add +genclient, or use --from=kubebuilder", "use --from=kubebuilder"))
		}
		k, isKind := a.kind(t, gv, from)
		if isKind {
			kinds++
		}
		if k != nil {
			gv.Kinds = append(gv.Kinds, k)
		}
	}
	if kinds == 0 {
		return
	}
	slices.SortFunc(gv.Kinds, func(x, y *Kind) int { return strings.Compare(x.Private, y.Private) })
	a.checkKinds(gv)
	a.place(pkg, from, gv)
}

// checkKinds refuses two kinds that would have one name on the wire or in Go.
func (a *assembly) checkKinds(gv *GroupVersion) {
	resourceMarker := "+resourceName="
	if a.from(a.pkg) == FromKubebuilder {
		resourceMarker = "+kubebuilder:resource:path="
	}
	resources, plurals, files := map[string]*Kind{}, map[string]*Kind{}, map[string]*Kind{}
	for _, k := range gv.Informed() {
		if other := resources[k.Resource]; other != nil && k.View == nil {
			a.ignore(k.Pos, fmt.Sprintf("kinds %s and %s (%s) have the same resource, %q", k.Name, other.Name, other.Pos, k.Resource),
				"give one of them "+resourceMarker+"…", fmt.Sprintf("ForResource returns the informer of %s, unless --exclude=%s.%s leaves that kind out", other.Name, a.pkg.Path, other.Name))
		}
		if slices.Contains(a.Naming.Reserved.Plural, k.Plural) {
			a.errs.Add(k.Pos, "kind %s has the plural %s, and its client or lister has another method of that name; use --plural-exceptions=%s:SomePlural", k.Name, k.Plural, k.Name)
		}
		if other := plurals[k.Plural]; other != nil {
			a.errs.Add(k.Pos, "kinds %s and %s (%s) have the same plural, %s; use --plural-exceptions=%s:SomePlural", k.Name, other.Name, other.Pos, k.Plural, k.Name)
		}
		if other := files[k.File]; other != nil {
			a.errs.Add(k.Pos, "kinds %s and %s (%s) differ only in case, so that their files would have the same name; %s", k.Name, other.Name, other.Pos, a.advice("rename one of them", "leave one out with --exclude="+a.pkg.Path+"."+k.Name))
		}
		plurals[k.Plural], files[k.File] = k, k
		if k.View == nil {
			resources[k.Resource] = k
		}
	}
}

func (a *assembly) sortedGroups() []*Group {
	var groups []*Group
	for _, g := range a.groups {
		if len(g.Versions) > 0 {
			groups = append(groups, g)
		}
	}
	slices.SortFunc(groups, func(x, y *Group) int { return cmp.Or(strings.Compare(x.Dir, y.Dir), strings.Compare(x.Name, y.Name)) })
	return groups
}

func (a *assembly) set() *Set {
	sortByPlace(a.warnings)
	set := &Set{Groups: a.sortedGroups(), ApplyPackage: a.ApplyPackage, Warnings: a.warnings}
	for _, g := range set.Groups {
		slices.SortFunc(g.Versions, func(x, y *GroupVersion) int { return strings.Compare(x.Version, y.Version) })
	}
	return set
}

func lowerFirst(s string) string { return mapFirst(s, unicode.ToLower) }

func upperFirst(s string) string { return mapFirst(s, unicode.ToUpper) }

// mapFirst changes the first letter of s, if there is one.
func mapFirst(s string, change func(rune) rune) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(change(first)) + s[size:]
}
