package model

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// AliasAdvice says what to do about a package of a dependency that lacks what a kind needs.
func AliasAdvice(pkg *Package) string {
	folder := "api/<group>/<version>" // from which the group and the version are read
	if declared := pkg.GroupVersion; declared.GroupKnown && declared.VersionKnown {
		folder = path.Join("api", groupFolder(pkg.Path, declared.Version, declared.Group), versionDir(declared.Version))
	}
	return "write aliases of its types in a package of your own, with --alias-package=" + folder + " " + pkg.Path
}

// place finds the group and the version of a package, and adds gv to them.
func (a *assembly) place(pkg *Package, from From, gv *GroupVersion) {
	version, ok := a.version(pkg)
	if !ok {
		return
	}
	name, ok := a.groupName(pkg, version)
	if !ok || !a.checkImportable(pkg) {
		return
	}
	a.checkRegistration(pkg, gv, name, version)
	goName, goNamePos, ok := a.groupGoName(pkg, name)
	if !ok {
		return
	}
	group := a.groups[name]
	if group == nil {
		group = &Group{Name: name, GoName: goName, GoPrivate: lowerFirst(goName), Dir: a.Naming.groupDir(pkg.Path, version, name, from)}
		group.Package = groupPackage(group.Dir, goName)
		a.groups[name] = group
	}
	if group.GoName != goName {
		a.errs.Add(goNamePos, "group %q is called %s here and %s at %s; %s", name, goName, group.GoName, group.Versions[0].Pos,
			a.advice("write the same +groupGoName in both packages", "use "+groupGoNameFlag(name)))
		return
	}
	for _, other := range group.Versions {
		if other.Version != version && other.Dir == versionDir(version) {
			a.errs.Add(pkg.Pos, "versions %s and %s (%s) of group %q have one folder, %s; generate for each in a run of its own, with another --output-dir, or leave one out with --exclude=%s", version, other.Version, other.Pos, name, other.Dir, pkg.Path)
			return
		}
		if other.Version == version {
			a.errs.Add(pkg.Pos, "version %s of group %q is in this package and in %s (%s); generate for each of them in a run of its own, with another --output-dir, or leave one out with --exclude=%s", version, name, other.Path, other.Pos, pkg.Path)
			return
		}
	}
	gv.Group, gv.Version, gv.Dir = group, version, versionDir(version)
	gv.GoVersion = upperFirst(strings.ReplaceAll(version, "-", ""))
	gv.Alias = strings.ToLower(goName + gv.GoVersion)
	group.Versions = append(group.Versions, gv)
}

// checkImportable refuses a package that the generated code cannot import.
func (a *assembly) checkImportable(pkg *Package) bool {
	reason, fix := "", "move its types to another package"
	if pkg.Name == "main" {
		reason = "it is package main, a program"
	}
	elements := strings.Split(pkg.Path, "/")
	if slices.Contains(elements, "vendor") {
		reason, fix = "it is in a vendor folder", "name it by the path in import declarations"
	}
	if at := slices.Index(elements, "internal"); at >= 0 && a.OutputPackage != "" {
		parent := path.Join(elements[:at]...)
		if a.OutputPackage != parent && !strings.HasPrefix(a.OutputPackage, parent+"/") {
			reason = fmt.Sprintf("only packages below %s can import from its folder internal", parent)
			fix += ", or give an --output-dir below " + parent
		}
	}
	if reason == "" {
		return true
	}
	a.errs.Add(pkg.Pos, "generated code in %s cannot import package %s, because %s; %s", cmp.Or(a.OutputPackage, "the output folder"), pkg.Path, reason,
		a.advice(fix, "leave it out with --exclude="+pkg.Path))
	return false
}

// checkRegistration refuses a package that says nothing of its group and version to Go, or does not
// register its types. For a dependency the generated scheme does that instead.
func (a *assembly) checkRegistration(pkg *Package, gv *GroupVersion, group, version string) {
	if !gv.HasClient() {
		return
	}
	if pkg.Dependency {
		gv.RegistersTypes = !pkg.HasAddToScheme
		return
	}
	if gv.SchemeGroupVersion == "" {
		a.errs.Add(pkg.Pos, "package %s declares neither SchemeGroupVersion nor GroupVersion, which clients use; add: var SchemeGroupVersion = schema.GroupVersion{Group: %q, Version: %q}", pkg.Path, group, version)
	}
	if !pkg.HasAddToScheme {
		variable := cmp.Or(gv.SchemeGroupVersion, "SchemeGroupVersion")
		lacks := "no AddToScheme"
		if pkg.Declared["AddToScheme"] {
			lacks = "no AddToScheme that takes a scheme and returns an error"
		}
		a.errs.Add(pkg.Pos, "package %s declares %s, which registers its types; add: func AddToScheme(s *runtime.Scheme) error { s.AddKnownTypes(%s, %s); metav1.AddToGroupVersion(s, %s); return nil }", pkg.Path, lacks, variable, knownTypes(gv.Kinds), variable)
	}
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
	base := path.Base(pkg.Path)
	declared := pkg.GroupVersion
	switch {
	case declared.VersionKnown && declared.Version == InternalVersion:
		a.ignore(declared.Pos, fmt.Sprintf("package %s has the internal, unversioned types of its group, which no server serves", pkg.Path),
			fmt.Sprintf("name the packages of its versions instead, or leave this one out with --exclude=%s", pkg.Path), "nothing is generated for it")
		return "", false
	case IsVersion(base) && declared.VersionKnown && declared.Version != base:
		a.ignore(declared.Pos, fmt.Sprintf("%s has the version %q, but the package's folder is %s", declared.Name, declared.Version, base),
			"write the same in both places", fmt.Sprintf("generated packages are called %s, and clients send %q", base, declared.Version))
		return base, a.pkg.Dependency
	case IsVersion(base):
		return base, true
	case declared.VersionKnown && isLabel(declared.Version):
		return declared.Version, true
	case declared.VersionKnown:
		a.errs.Add(declared.Pos, "version %q of package %s is not a valid API version; %s", declared.Version, pkg.Path,
			a.advice("use lower-case letters, digits and hyphens, and a letter first, such as v1", "leave the package out with --exclude="+pkg.Path))
		return "", false
	case looksLikeVersion(base):
		return base, true
	}
	declare := `add: var SchemeGroupVersion = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}`
	if declared.Name != "" {
		declare = "write the version in " + declared.Name + ` as a string, such as Version: "v1"`
	}
	a.errs.Add(pkg.Pos, "cannot tell the API version of package %s; %s", pkg.Path,
		a.advice("name its folder after the version, such as v1, or "+declare,
			"leave it out with --exclude="+pkg.Path+", or "+AliasAdvice(pkg)))
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
		a.errs.Add(pos, "group %q of package %s is not a valid API group; %s", name, pkg.Path,
			a.advice(groupForm+", in "+where, "leave the package out with --exclude="+pkg.Path))
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
			a.ignore(m.Pos, fmt.Sprintf("+groupName is %q, but %s at %s has the group %q", m.Value, declared.Name, declared.Pos, declared.Group),
				"write the same in both places", fmt.Sprintf("clients send %q", declared.Group))
			return declared.Group, declared.Pos, pkg.Dependency
		}
		return m.Value, m.Pos, true
	}
	if declared.GroupKnown {
		return declared.Group, declared.Pos, true
	}
	if dir := groupFolder(pkg.Path, version, ""); dir != "core" {
		return dir, pkg.Pos, true
	}
	a.errs.Add(pkg.Pos, "cannot tell the API group of package %s; %s", pkg.Path,
		a.advice("write +groupName=example.com in a comment above the package clause",
			"leave it out with --exclude="+pkg.Path+", or "+AliasAdvice(pkg)))
	return "", pkg.Pos, false
}

// groupGoName is what --group-go-names says, or else +groupGoName, or else the first part of the
// group's name.
func (a *assembly) groupGoName(pkg *Package, group string) (name string, pos token.Position, ok bool) {
	name, pos = groupGoName(group), pkg.Pos
	for _, m := range pkg.Markers {
		if m.Is("groupGoName") {
			name, pos = upperFirst(m.Value), m.Pos // client-gen begins it with a capital letter too
		}
	}
	if asked, ok := a.Naming.GroupGoNames[group]; ok {
		name = asked
	}
	fix := a.advice("write +groupGoName=SomeName above the package clause", "use "+groupGoNameFlag(group))
	switch {
	case !token.IsExported(name) || !token.IsIdentifier(name):
		a.errs.Add(pos, "group %q needs another Go name, because %q is not an exported identifier; %s", group, name, fix)
	case slices.Contains(a.Naming.Reserved.Group, name):
		a.errs.Add(pos, "group %q cannot be called %s, because the informer factory has a method of that name; %s", group, name, fix)
	default:
		return name, pos, true
	}
	return "", pos, false
}

// checkGroupFlags refuses flags for groups of which no package is named. They are probably misspelled.
func (a *assembly) checkGroupFlags() {
	check := func(flag string, values map[string]string) {
		for _, group := range slices.Sorted(maps.Keys(values)) {
			if a.groups[group] == nil {
				a.errs.Add(token.Position{}, "--%s=%s:%s matches no group in the packages of this run; correct it, or remove it", flag, group, values[group])
			}
		}
	}
	check("group-go-names", a.Naming.GroupGoNames)
	check("group-dirs", a.Naming.GroupDirs)
}

func groupGoNameFlag(group string) string { return "--group-go-names=" + group + ":SomeName" }

// otherDir returns a folder for a group whose own is taken: the first part of its name, if that is
// free.
func (a *assembly) otherDir(g *Group, taken map[string]*Group) string {
	dir := firstPart(g.Name)
	for _, other := range a.groups {
		if other.Dir == dir {
			return "somefolder"
		}
	}
	if !token.IsIdentifier(dir) || safeDir(dir) != dir || slices.Contains(a.Naming.Reserved.GroupDir, dir) || taken[dir] != nil {
		return "somefolder"
	}
	return dir
}

// checkGroups refuses two groups that would have one name in Go or on disk.
func (a *assembly) checkGroups() {
	goNames, dirs := map[string]*Group{}, map[string]*Group{}
	for _, g := range a.sortedGroups() {
		pos := g.Versions[0].Pos
		goNameFix, dirFix := "use "+groupGoNameFlag(g.Name), "use --group-dirs="+g.Name+":"+a.otherDir(g, dirs)
		if !a.described(g.Versions[0].Path).Dependency {
			goNameFix += ", or write +groupGoName=SomeName above the package clause of one of them"
			dirFix += ", or move the packages of one of them to …/<group>/<version>"
		}
		if other := goNames[g.GoName]; other != nil {
			a.errs.Add(pos, "groups %q and %q (%s) have the same Go name, %s; %s", g.Name, other.Name, other.Versions[0].Pos, g.GoName, goNameFix)
		} else if other := dirs[g.Dir]; other != nil {
			a.errs.Add(pos, "groups %q and %q (%s) have the same folder, %s; %s", g.Name, other.Name, other.Versions[0].Pos, g.Dir, dirFix)
		}
		goNames[g.GoName], dirs[g.Dir] = g, g
	}
}
