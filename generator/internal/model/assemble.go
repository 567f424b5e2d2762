package model

import (
	"cmp"
	"go/token"
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
	a.linkViews()
	a.checkGroups()
	a.checkApplyPackage()
	a.checkManifests()
	return a.set()
}

type assembly struct {
	Input
	groups map[string]*Group
	errs   *Errors
	// warnings are what is read and has no effect.
	warnings []*Error
}

func (a *assembly) addPackage(pkg *Package) {
	gv := &GroupVersion{Path: pkg.Path, Pos: pkg.Pos, SchemeGroupVersion: pkg.GroupVersion.Name}
	a.refuseMisspelt(pkg.Markers)
	from := a.from(pkg)
	// controller-gen makes no CRDs of such a package, which is what views need.
	skip := from == FromKubebuilder && pkg.skips()
	kinds := 0
	for _, t := range pkg.Types {
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
			a.warnings = append(a.warnings, Errorf(t.Pos, "%s is a root object without +genclient in a package that has some, so nothing is generated for it; add +genclient, or use --from=kubebuilder", t.Name))
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
	a.place(pkg, gv)
}

// place finds out group and version, and puts gv there.
func (a *assembly) place(pkg *Package, gv *GroupVersion) {
	version, ok := a.version(pkg)
	if !ok {
		return
	}
	name, ok := a.groupName(pkg, version)
	if !ok {
		return
	}
	if gv.SchemeGroupVersion == "" && gv.HasClient() {
		a.errs.Add(pkg.Pos, "package %s declares no group and version for its clients; add: var SchemeGroupVersion = schema.GroupVersion{Group: %q, Version: %q}", pkg.Path, name, version)
	}
	if !pkg.Declared["AddToScheme"] && gv.HasClient() {
		a.errs.Add(pkg.Pos, "package %s declares no AddToScheme, with which its types are registered; add: func AddToScheme(s *runtime.Scheme) error { s.AddKnownTypes(%s, %s); metav1.AddToGroupVersion(s, %s); return nil }", pkg.Path, cmp.Or(gv.SchemeGroupVersion, "SchemeGroupVersion"), knownTypes(gv.Kinds), cmp.Or(gv.SchemeGroupVersion, "SchemeGroupVersion"))
	}
	goName, goNamePos := groupGoName(name), pkg.Pos
	for _, m := range pkg.Markers {
		if m.Is("groupGoName") {
			goName, goNamePos = m.Value, m.Pos
		}
	}
	if !token.IsExported(goName) || !token.IsIdentifier(goName) {
		a.errs.Add(goNamePos, "group %q has no exported Go name: %q is not one; write +groupGoName=SomeName above the package clause", name, goName)
		return
	}
	if factoryMethods[goName] {
		a.errs.Add(goNamePos, "group %q cannot be called %s, because the informer factory has a method of that name; write +groupGoName=SomeName above the package clause", name, goName)
		return
	}
	group := a.groups[name]
	if group == nil {
		group = &Group{Name: name, GoName: goName, GoPrivate: lowerFirst(goName), Dir: groupDir(pkg.Path, version, name)}
		group.Package = groupPackage(group.Dir, goName)
		a.groups[name] = group
	}
	if group.GoName != goName {
		a.errs.Add(goNamePos, "group %q is called %s here and %s at %s; write the same +groupGoName in both packages", name, goName, group.GoName, group.Versions[0].Pos)
		return
	}
	for _, other := range group.Versions {
		if other.Version == version {
			a.errs.Add(pkg.Pos, "version %s of group %q is in this package and in %s (%s); generate for one of them", version, name, other.Path, other.Pos)
			return
		}
	}
	gv.Group, gv.Version, gv.GoVersion = group, version, upperFirst(version)
	gv.Alias = strings.ToLower(goName) + version
	group.Versions = append(group.Versions, gv)
}

// knownTypes are the kinds of a package as AddKnownTypes takes them.
func knownTypes(kinds []*Kind) string {
	var types []string
	for _, k := range kinds {
		types = append(types, "&"+k.Name+"{}")
		if k.NeedsList() {
			types = append(types, "&"+k.List()+"{}")
		}
	}
	return strings.Join(types, ", ")
}

// version is the package's folder, as in client-gen, or else what the package
// declares.
func (a *assembly) version(pkg *Package) (string, bool) {
	base := pkg.Path[strings.LastIndexByte(pkg.Path, '/')+1:]
	declared := pkg.GroupVersion
	switch {
	case declared.VersionKnown && declared.Version == InternalVersion:
		a.errs.Add(declared.Pos, "package %s has the internal, unversioned types of its group, which no server speaks; name the packages of its versions, such as %s/v1", pkg.Path, pkg.Path)
		return "", false
	case IsVersion(base) && declared.VersionKnown && declared.Version != base:
		a.errs.Add(declared.Pos, "%s says version %q, but the package's folder is %s; write the same in both places", declared.Name, declared.Version, base)
		return "", false
	case IsVersion(base):
		return base, true
	case declared.VersionKnown && IsVersion(declared.Version):
		return declared.Version, true
	}
	a.errs.Add(pkg.Pos, "cannot tell the API version of package %s; put it in a folder of that name, such as v1, or declare GroupVersion = schema.GroupVersion{Group: …, Version: …}", pkg.Path)
	return "", false
}

// groupName is what +groupName says, or else what the package declares, or else
// the folder above the version, as in client-gen.
func (a *assembly) groupName(pkg *Package, version string) (string, bool) {
	name, pos, ok := a.writtenGroupName(pkg, version)
	if ok && !IsGroup(name) {
		where := "+groupName=… above the package clause"
		if pos == pkg.GroupVersion.Pos {
			where = pkg.GroupVersion.Name
		}
		a.errs.Add(pos, "group %q of package %s is not one that a server takes; "+groupForm+", in %s", name, pkg.Path, where)
		return "", false
	}
	return name, ok
}

// writtenGroupName is groupName before it is checked, and where it is written.
func (a *assembly) writtenGroupName(pkg *Package, version string) (name string, pos token.Position, ok bool) {
	declared := pkg.GroupVersion
	for _, m := range pkg.Markers {
		if !m.Is("groupName") {
			continue
		}
		if declared.GroupKnown && declared.Group != m.Value {
			a.errs.Add(m.Pos, "+groupName says %q, but %s at %s says %q; write the same in both places", m.Value, declared.Name, declared.Pos, declared.Group)
			return "", m.Pos, false
		}
		return m.Value, m.Pos, true
	}
	if declared.GroupKnown {
		return declared.Group, declared.Pos, true
	}
	if dir := groupDir(pkg.Path, version, ""); dir != "core" {
		return dir, pkg.Pos, true
	}
	a.errs.Add(pkg.Pos, "cannot tell the API group of package %s; write +groupName=example.com in a comment above the package clause", pkg.Path)
	return "", pkg.Pos, false
}

// checkKinds refuses two kinds that would have one name on the wire or in Go.
func (a *assembly) checkKinds(gv *GroupVersion) {
	names, resources, plurals, files := map[string]*Kind{}, map[string]*Kind{}, map[string]*Kind{}, map[string]*Kind{}
	for _, k := range gv.Informed() {
		names[k.Name] = k
	}
	for _, k := range gv.Informed() {
		if other := names[k.Name+"Namespace"]; other != nil && k.Namespaced && k.HasLister() && other.HasLister() {
			a.errs.Add(other.Pos, "kinds %s and %s (%s) both need a type %sLister; rename one of them, or write +genclient:skipVerbs=list,watch,deleteCollection", other.Name, k.Name, k.Pos, other.Name)
		}
		if other := resources[k.Resource]; other != nil && k.View == nil {
			a.errs.Add(k.Pos, "kinds %s and %s (%s) have one resource, %q; give one of them +resourceName=…", k.Name, other.Name, other.Pos, k.Resource)
		}
		if other := plurals[k.Plural]; other != nil {
			a.errs.Add(k.Pos, "kinds %s and %s (%s) have one plural, %s; use --plural-exceptions=%s:…", k.Name, other.Name, other.Pos, k.Plural, k.Name)
		}
		if other := files[k.File]; other != nil {
			a.errs.Add(k.Pos, "kinds %s and %s (%s) differ in the case of letters only, and their files would have one name; rename one of them", k.Name, other.Name, other.Pos)
		}
		plurals[k.Plural], files[k.File] = k, k
		if k.View == nil {
			resources[k.Resource] = k
		}
	}
}

// checkGroups refuses two groups that would have one name in Go or on disk.
func (a *assembly) checkGroups() {
	goNames, dirs := map[string]*Group{}, map[string]*Group{}
	for _, g := range a.sortedGroups() {
		pos := g.Versions[0].Pos
		if other := goNames[g.GoName]; other != nil {
			a.errs.Add(pos, "groups %q and %q (%s) have one Go name, %s; write +groupGoName=… above the package clause of one of them", g.Name, other.Name, other.Versions[0].Pos, g.GoName)
		} else if other := dirs[g.Dir]; other != nil {
			a.errs.Add(pos, "groups %q and %q (%s) have one folder, %s; move the packages of one of them to …/<group>/<version>", g.Name, other.Name, other.Versions[0].Pos, g.Dir)
		}
		goNames[g.GoName], dirs[g.Dir] = g, g
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
