package decide

import (
	"fmt"
	"go/token"
	"path"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// version returns the API version of a package: its folder, as in client-gen, or else the version
// that the package declares.
func (a *assembly) version(pkg *input.Package) (string, bool) {
	base := path.Base(pkg.FolderPath())
	declared := pkg.GroupVersion
	switch {
	case pkg.IsInternal():
		a.refuseOrWarn(declared.Pos, fmt.Sprintf("package %s has the internal, unversioned types of its group, which no server serves", pkg.Path),
			"name the packages of its versions instead, or leave this one out with --exclude="+pkg.Path,
			"nothing is generated for it")
		return "", false
	case model.IsVersion(base) && declared.VersionKnown && declared.Version != base:
		a.refuseOrWarn(declared.Pos, fmt.Sprintf("%s has the version %q, but the package's folder is %s", declared.Name, declared.Version, base),
			"write the same in both places",
			fmt.Sprintf("the generated packages are named %s, and clients send %q", base, declared.Version))
		return base, a.pkg.Dependency
	case model.IsVersion(base):
		return base, true
	case declared.VersionKnown && model.IsLabel(declared.Version):
		return declared.Version, true
	case declared.VersionKnown:
		a.errs.Add(declared.Pos, "version %q of package %s is not a valid API version; %s", declared.Version, pkg.Path,
			a.advice("use lower-case letters, digits and hyphens, and a letter first, such as v1",
				"leave the package out with --exclude="+pkg.Path))
		return "", false
	case model.LooksLikeVersion(base):
		return base, true
	}
	declare := `add: var SchemeGroupVersion = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}`
	if declared.Name != "" {
		declare = "write the version in " + declared.Name + ` as a string, such as Version: "v1"`
	}
	reason, fix := "", "name its folder after the version"
	if pkg.FolderPath() != pkg.Path {
		reason = ", because the import path ends in the major version of the module"
		fix = "move it to a folder with the name of the version"
	}
	a.errs.Add(pkg.Pos, "cannot determine the API version of package %s%s; %s", pkg.Path, reason,
		a.advice(fix+", such as v1, or "+declare,
			"leave it out with --exclude="+pkg.Path+", or "+AliasAdvice(pkg)))
	return "", false
}

// groupForm tells the user how to write a valid group.
const groupForm = "write a DNS name in lower case, such as shop.example.com"

// groupName returns the API group of a package from +groupName, or else from the declarations of
// the package, or else from the folder above the version, as in client-gen.
func (a *assembly) groupName(pkg *input.Package, version string) (string, bool) {
	name, pos, ok := a.writtenGroupName(pkg, version)
	if ok && !model.IsGroup(name) {
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

// writtenGroupName returns the groupName, unchecked, and its position.
func (a *assembly) writtenGroupName(pkg *input.Package, version string) (name string, pos token.Position, ok bool) {
	declared := pkg.GroupVersion
	if written, pos, ok := single[markers.GroupName](a, pkg.Markers); ok {
		if declared.GroupKnown && declared.Group != string(written) {
			problem := fmt.Sprintf("+groupName is %q, but %s at %s has the group %q", written, declared.Name, declared.Pos, declared.Group)
			a.refuseOrWarn(pos, problem, "write the same in both places", fmt.Sprintf("clients send %q", declared.Group))
			return declared.Group, declared.Pos, pkg.Dependency
		}
		return string(written), pos, true
	}
	if declared.GroupKnown {
		return declared.Group, declared.Pos, true
	}
	if dir := groupFolder(pkg.FolderPath(), version, ""); dir != "core" {
		return dir, pkg.Pos, true
	}
	a.errs.Add(pkg.Pos, "cannot determine the API group of package %s; %s", pkg.Path,
		a.advice("write +groupName=example.com in a comment above the package clause",
			"leave it out with --exclude="+pkg.Path+", or "+AliasAdvice(pkg)))
	return "", pkg.Pos, false
}

// AliasAdvice returns the fix for a package of a dependency that lacks a declaration that a kind needs.
func AliasAdvice(pkg *input.Package) string {
	folder := "api/<group>/<version>" // from which the group and the version are read
	if declared := pkg.GroupVersion; declared.GroupKnown && declared.VersionKnown {
		folder = path.Join("api", groupFolder(pkg.FolderPath(), declared.Version, declared.Group), model.VersionDir(declared.Version))
	}
	return "write aliases of its types in a package of your own, with --alias-package=" + folder + " " + pkg.Path
}
