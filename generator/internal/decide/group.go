package decide

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

// addVersion adds p, which is pkg, to its group version, and returns that. The group version may be new, or have
// the kinds of other packages. It is nil after an error.
func (a *assembly) addVersion(pkg *input.Package, p *model.Package, kinds []*model.Kind, from input.From) *model.GroupVersion {
	version, ok := a.version(pkg)
	if !ok {
		return nil
	}
	name, ok := a.groupName(pkg, version)
	if !ok || !a.checkImportable(pkg) {
		return nil
	}
	gv := &model.GroupVersion{
		Group: &model.Group{Name: name}, Version: version, Dir: model.VersionDir(version), GoVersion: goVersion(version),
	}
	a.checkRegistration(pkg, p, kinds, gv)
	goName, goNamePos, ok := a.groupGoName(pkg, name)
	if !ok {
		return nil
	}
	group, dir := a.groups[name], a.naming.groupDir(pkg.FolderPath(), version, name, from)
	if group == nil {
		group = &model.Group{Name: name, GoName: goName, GoPrivate: lowerFirst(goName), Dir: dir, Package: groupPackage(dir, goName)}
		a.groups[name] = group
	}
	if group.GoName != goName {
		a.errs.Add(goNamePos, "group %q has the Go name %s here and %s at %s; %s", name, goName, group.GoName, group.Versions[0].Pos(),
			a.advice("write the same +groupGoName in both packages", "use "+groupGoNameFlag(name)))
		return nil
	}
	at := slices.IndexFunc(group.Versions, func(other *model.GroupVersion) bool { return other.Dir == gv.Dir })
	switch {
	case at < 0:
		gv.Group, gv.Alias = group, strings.ToLower(goName+gv.GoVersion)
		group.Versions = append(group.Versions, gv)
	case group.Versions[at].Version != version:
		other := group.Versions[at]
		a.errs.Add(pkg.Pos, "versions %s and %s (%s) of group %q have the same folder, %s; "+
			"generate for each in a separate run with another --output-dir, or leave one out with --exclude=%s",
			version, other.Version, other.Pos(), name, other.Dir, pkg.Path)
		return nil
	default:
		gv = group.Versions[at]
		if dir != group.Dir { // of another package, which would be misleading
			group.Dir = a.naming.unreserved(safeDir(firstPart(name)))
			group.Package = groupPackage(group.Dir, goName)
		}
	}
	p.GroupVersion = gv
	gv.Packages = append(gv.Packages, p)
	return gv
}

// checkImportable refuses a package that the generated code cannot import. It reports whether the
// code can.
func (a *assembly) checkImportable(pkg *input.Package) bool {
	reason, fix := a.notImportable(pkg)
	if reason == "" {
		return true
	}
	a.errs.Add(pkg.Pos, "generated code in %s cannot import package %s, because %s; %s",
		cmp.Or(a.Layout.OutputPackage, "the output folder"), pkg.Path, reason,
		a.advice(fix, "leave it out with --exclude="+pkg.Path))
	return false
}

// notImportable returns the reason why generated code cannot import a package, and the fix. The reason is
// empty if the code can import it.
func (a *assembly) notImportable(pkg *input.Package) (reason, fix string) {
	fix = "move its types to another package"
	if pkg.Name == "main" {
		reason = "it is package main"
	}
	elements := strings.Split(pkg.Path, "/")
	if slices.Contains(elements, "vendor") {
		reason, fix = "it is in a vendor folder", "name it by the path in import declarations"
	}
	at := len(elements) - 1 // the last one, which has the fewest importers
	for at >= 0 && elements[at] != "internal" {
		at--
	}
	if at >= 0 && a.Layout.OutputPackage != "" {
		parent := path.Join(elements[:at]...)
		if a.Layout.OutputPackage != parent && !strings.HasPrefix(a.Layout.OutputPackage, parent+"/") {
			reason = fmt.Sprintf("only packages below %s can import from its folder internal", parent)
			fix += ", or give an --output-dir below " + parent
		}
	}
	return reason, fix
}

// checkRegistration names the variable for group and version if the run writes it. It refuses a package without
// a variable for its group and version, or without a function that registers its types. For a dependency the
// generated scheme registers them. A clientset that exists has a scheme.
func (a *assembly) checkRegistration(pkg *input.Package, p *model.Package, kinds []*model.Kind, gv *model.GroupVersion) {
	hasClient := len(kinds) > 0
	if a.Register && !pkg.Dependency && hasClient && p.SchemeGroupVersion == "" {
		p.SchemeGroupVersion = freeGroupVersion(pkg)
		a.warnOfGroup(pkg, gv.Group.Name)
	}
	if !hasClient || a.clientset != nil {
		return
	}
	if pkg.Dependency {
		p.RegistersTypes = !pkg.HasAddToScheme
		return
	}
	switch {
	case p.SchemeGroupVersion != "":
	case a.Register:
		a.errs.Add(pkg.Pos, "package %s declares SchemeGroupVersion and GroupVersion, but neither is a schema.GroupVersion, "+
			"so --register has no name for one; rename one of them", pkg.Path)
	default:
		a.errs.Add(pkg.Pos, "package %s declares neither SchemeGroupVersion nor GroupVersion, which clients use; "+
			"%sadd: var SchemeGroupVersion = schema.GroupVersion{Group: %q, Version: %q}",
			pkg.Path, input.RegisterFix, gv.Group.Name, gv.Version)
	}
	if !pkg.HasAddToScheme && (!a.Register || pkg.Declared["AddToScheme"]) {
		variable := cmp.Or(p.SchemeGroupVersion, "SchemeGroupVersion")
		lacks, fix := "no AddToScheme", input.RegisterFix
		if pkg.Declared["AddToScheme"] {
			lacks, fix = "no AddToScheme that takes a scheme and returns an error", "rename the one that exists, and "
		}
		a.errs.Add(pkg.Pos, "package %s declares %s to register its types; "+
			"%sadd: func AddToScheme(s *runtime.Scheme) error { s.AddKnownTypes(%s, %s); metav1.AddToGroupVersion(s, %s); return nil }",
			pkg.Path, lacks, fix, variable, knownTypes(slices.Concat(kinds, a.faulty[pkg.Path])), variable)
	}
}

// freeGroupVersion returns the name of the variable for the group and version that the run writes, or "" if
// the package declares something else with each such name.
func freeGroupVersion(pkg *input.Package) string {
	for _, name := range []string{"SchemeGroupVersion", "GroupVersion"} {
		if !pkg.Declared[name] {
			return name
		}
	}
	return ""
}

// warnOfGroup warns of a group that no CRD can have, because it is only the name of a folder.
func (a *assembly) warnOfGroup(pkg *input.Package, group string) {
	if !markers.Has[markers.GroupName](pkg.Markers) && !pkg.GroupVersion.GroupKnown && !strings.Contains(group, ".") {
		a.warn(pkg.Pos, "the group of package %s is %q, after its folder, and no CRD can have a group without a dot; "+
			"write // +groupName=%s.example.com above the package clause, with a domain of yours", pkg.Path, group, group)
	}
}

// knownTypes returns the arguments of AddKnownTypes for the kinds of a package.
func knownTypes(kinds []*model.Kind) string {
	var types []string
	for _, k := range kinds {
		types = append(types, "&"+k.Name+"{}")
		if k.NeedsList() {
			types = append(types, "&"+k.List()+"{}")
		}
	}
	return strings.Join(types, ", ")
}

// groupGoName returns the Go name of a group from --group-go-names, or else from +groupGoName, or
// else from the first part of the group's name.
func (a *assembly) groupGoName(pkg *input.Package, group string) (name string, pos token.Position, ok bool) {
	name, pos = groupGoName(group), pkg.Pos
	if written, at, ok := single[markers.GroupGoName](a, pkg.Markers); ok {
		name, pos = upperFirst(string(written)), at // as client-gen does
	}
	if chosen, ok := a.GroupGoNames[group]; ok {
		name = chosen
	}
	fix := a.advice("write +groupGoName=SomeName above the package clause", "use "+groupGoNameFlag(group))
	switch {
	case !token.IsExported(name) || !token.IsIdentifier(name):
		a.errs.Add(pos, "group %q needs another Go name, because %q is not an exported identifier; %s", group, name, fix)
	case slices.Contains(a.naming.reserved.Group, name):
		a.errs.Add(pos, "group %q cannot have the Go name %s, because the informer factory has a method of that name; %s", group, name, fix)
	default:
		return name, pos, true
	}
	return "", pos, false
}

// checkGroupFlags refuses flags for groups that the packages do not have. They are probably
// misspelled.
func (a *assembly) checkGroupFlags() {
	check := func(flag string, values map[string]string) {
		for _, group := range slices.Sorted(maps.Keys(values)) {
			if a.groups[group] == nil {
				a.errs.Add(token.Position{}, "--%s=%s:%s matches no group in the packages of this run; correct it, or remove it", flag,
					group, values[group])
			}
		}
	}
	check("group-go-names", a.GroupGoNames)
	check("group-dirs", a.GroupDirs)
}

// checkPluralExceptions refuses plurals of kinds that the packages do not have. They are probably misspelled.
// Scripts for code-generator set the plural of Endpoints, which is its default.
func (a *assembly) checkPluralExceptions() {
	var kinds []string
	for _, group := range a.sortedGroups() {
		for _, gv := range group.Versions {
			for _, k := range gv.Informed() {
				kinds = append(kinds, k.Name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Plurals)) {
		plural := a.Plurals[name]
		isExcluded := slices.ContainsFunc(a.Packages, func(pkg *input.Package) bool { return a.Exclude.Type(pkg.Path, name) })
		if slices.Contains(kinds, name) || isExcluded || name == "Endpoints" && plural == name {
			continue
		}
		fix := "correct it, or remove it"
		if meant := spelling.Nearest(name, kinds); meant != "" {
			fix = "did you mean " + meant + ":" + plural + "?"
		}
		a.errs.Add(token.Position{}, "--plural-exceptions=%s:%s matches no kind of this run; %s", name, plural, fix)
	}
}

// goVersion returns V1beta1 for v1beta1.
func goVersion(version string) string { return upperFirst(strings.ReplaceAll(version, "-", "")) }

func groupGoNameFlag(group string) string { return "--group-go-names=" + group + ":SomeName" }

// otherDir returns a folder for a group whose folder is taken: the first part of its name, if that
// is free.
func (a *assembly) otherDir(g *model.Group, taken map[string]*model.Group) string {
	dir := firstPart(g.Name)
	for _, other := range a.groups {
		if other.Dir == dir {
			return "somefolder"
		}
	}
	if !token.IsIdentifier(dir) || safeDir(dir) != dir || slices.Contains(a.naming.reserved.GroupDir, dir) || taken[dir] != nil {
		return "somefolder"
	}
	return dir
}

// checkGroups refuses two groups with one name in Go or on disk.
func (a *assembly) checkGroups() {
	goNames, dirs := map[string]*model.Group{}, map[string]*model.Group{}
	for _, g := range a.sortedGroups() {
		pos := g.Versions[0].Pos()
		goNameFix, dirFix := "use "+groupGoNameFlag(g.Name), "use --group-dirs="+g.Name+":"+a.otherDir(g, dirs)
		if !a.described(g.Versions[0].Packages[0].Path).Dependency {
			goNameFix += ", or write +groupGoName=SomeName above the package clause of one of them"
			dirFix += ", or move the packages of one of them to …/<group>/<version>"
		}
		if other := goNames[g.GoName]; other != nil {
			a.errs.Add(pos, "groups %q and %q (%s) have the same Go name, %s; %s", g.Name, other.Name, other.Versions[0].Pos(),
				g.GoName, goNameFix)
		} else if other := dirs[strings.ToLower(g.Dir)]; other != nil { // many file systems ignore case
			a.errs.Add(pos, "groups %q and %q (%s) have the same folder, %s; %s", g.Name, other.Name, other.Versions[0].Pos(),
				other.Dir, dirFix)
		}
		goNames[g.GoName], dirs[strings.ToLower(g.Dir)] = g, g
	}
}
