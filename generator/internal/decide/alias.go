package decide

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Aliases returns the group version of the only package of the input, and its types that can be kinds, with or
// without markers. It follows the CRDs of the input. A group or version that the package does not declare comes
// from the end of folder, such as shop.example.com/v1. Its error comes from in.Code or ctx.
func Aliases(ctx context.Context, in Input, folder string, errs *model.Errors) (*model.GroupVersion, []model.Aliased, error) {
	in.Library.HasDeleteWithResult = true // with a newer client-go, aliases whose kinds skip the verb skip it too
	a, err := newAssemblyWithCode(ctx, in, errs)
	if err != nil {
		return nil, nil, err
	}
	gv, kinds := a.aliases(in.Packages[0], folder)
	return gv, kinds, nil
}

func (a *assembly) aliases(pkg *input.Package, folder string) (*model.GroupVersion, []model.Aliased) {
	if !slices.ContainsFunc(pkg.Types, isCandidate) {
		return nil, nil
	}
	a.pkg = pkg
	version, group, ok := a.aliasedGroupVersion(folder)
	if !ok {
		return nil, nil
	}
	alias := strings.ToLower(groupGoName(group)) + model.VersionDir(version)
	gv := &model.GroupVersion{Group: &model.Group{Name: group}, Version: version, Alias: alias}
	p := &model.Package{GroupVersion: gv, Path: pkg.Path, Pos: pkg.Pos}
	gv.Packages = append(gv.Packages, p)
	a.groups[group] = gv.Group
	manifests := a.manifestsByName()
	from := a.from(pkg)
	var found []model.Aliased
	for _, t := range pkg.Types {
		if a.Exclude.Type(pkg.Path, t.Name) || !isCandidate(t) {
			continue
		}
		r := a.read(t, from)
		guessed := !r.isKind
		if guessed {
			r = reading{isKind: true, namespaced: true, hasStatus: t.HasStatus}
		}
		k := a.readKind(t, p, from, r)
		if k == nil {
			continue
		}
		k.GroupVersion = gv
		if m := manifests[crdName{group, "", k.Name}]; m != nil {
			a.followManifest(k, m)
			guessed = false
		}
		found = append(found, model.Aliased{Kind: k, Markers: a.markersOf(t, k), GuessedScope: guessed})
	}
	return gv, found
}

// isCandidate reports whether the type has everything that a kind needs except for markers.
func isCandidate(t *input.Type) bool {
	return t.IsStruct && !t.IsGeneric && !isView(t) && t.HasTypeMeta && t.HasObjectMeta && t.HasDeepCopyObject && t.HasList &&
		t.Misnamed == nil
}

// markersOf returns lines with code-generator's markers from which the same kind is read.
func (a *assembly) markersOf(t *input.Type, k *model.Kind) []string {
	lines := []string{"+genclient"}
	if !k.Namespaced {
		lines = append(lines, "+genclient:nonNamespaced")
	}
	verbs := model.Verbs
	if !k.Has("updateStatus") {
		if t.HasStatus {
			lines = append(lines, "+genclient:noStatus")
		}
		verbs = slices.DeleteFunc(slices.Clone(verbs), func(v model.Verb) bool { return v == "updateStatus" })
	}
	switch skipped := slices.DeleteFunc(slices.Clone(verbs), func(v model.Verb) bool { return k.Has(string(v)) }); {
	case len(k.Verbs) == 0:
		lines = append(lines, "+genclient:noVerbs")
	case len(skipped) > 0:
		lines = append(lines, "+genclient:skipVerbs="+strings.ReplaceAll(model.JoinVerbs(skipped), ", ", ","))
	}
	for _, m := range k.Methods {
		lines = append(lines, methodMarker(m))
	}
	if k.Resource != a.naming.resourceOf(k.Name, "") {
		lines = append(lines, "+resourceName="+k.Resource)
	}
	for _, f := range k.SelectableFields {
		if f.Pos.IsValid() { // every kind has the others
			lines = append(lines, "+"+markers.SelectableFieldName+":JSONPath=."+f.Path)
		}
	}
	return lines
}

// methodMarker returns the marker of a method, with the import paths of its types.
func methodMarker(m *model.Method) string {
	line := fmt.Sprintf("+genclient:method=%s,verb=%s", m.Name, m.Verb)
	if m.Subresource != "" {
		line += ",subresource=" + m.Subresource
	}
	if m.TakesObject() && m.Verb != "apply" {
		line += ",input=" + m.Input.Path + "." + m.Input.Name
	}
	result := m.Result.Name
	if m.Verb == "list" {
		result = strings.TrimSuffix(result, "List")
	}
	return line + ",result=" + m.Result.Path + "." + result
}

// aliasedGroupVersion returns the group and version that the package declares, or else the ones of folder.
func (a *assembly) aliasedGroupVersion(folder string) (version, group string, ok bool) {
	there := a.elsewhere(a.pkg)
	if version, ok = there.version(a.pkg); !ok {
		if version = path.Base(folder); !model.LooksLikeVersion(version) {
			a.errs.Add(a.pkg.Pos, "cannot determine the API version of package %s; name a folder that ends in it, "+
				"such as --alias-package=api/shop/v1", a.pkg.Path)
			return "", "", false
		}
	}
	parent := path.Base(path.Dir(folder))
	switch {
	case !a.pkg.GroupVersion.GroupKnown && !markers.Has[markers.GroupName](a.pkg.Markers) && model.IsGroup(parent) &&
		strings.Contains(parent, "."):
		group = parent // better than the package's folder, a group without a dot
	default:
		if group, ok = there.groupName(a.pkg, version); !ok {
			a.errs.Add(a.pkg.Pos, "cannot determine the API group of package %s; name a folder that ends in group and version, "+
				"such as --alias-package=api/shop.example.com/v1", a.pkg.Path)
			return "", "", false
		}
	}
	return version, group, true
}

// FitsFolder reports whether a package in that folder can have the version. A folder that is named
// after another version cannot. The path of the folder has slashes.
func FitsFolder(gv *model.GroupVersion, folder string) bool {
	base := path.Base(folder)
	return base == gv.Version || !model.IsVersion(base)
}
