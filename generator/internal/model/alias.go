package model

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Aliased is a kind with the markers that say of an alias what its own package says of it.
type Aliased struct {
	*Kind
	Markers []string
	// GuessedScope reports whether nothing says the scope.
	GuessedScope bool
}

// Aliases returns the group version of the only package of the input and what can be a kind in it,
// with or without markers there. The CRDs of the input are followed where there are some. Where the
// package does not say its group or version, the end of folder does: shop.example.com/v1.
func Aliases(input Input, folder string, mistakes *Errors) (*GroupVersion, []Aliased) {
	pkg := input.Packages[0]
	if !slices.ContainsFunc(pkg.Types, (*Type).isCandidate) {
		return nil, nil
	}
	a := &assembly{Input: input, pkg: pkg, groups: map[string]*Group{}, errs: mistakes}
	version, group, ok := a.aliasedGroupVersion(folder)
	if !ok {
		return nil, nil
	}
	gv := &GroupVersion{Group: &Group{Name: group}, Version: version, Path: pkg.Path, Alias: strings.ToLower(groupGoName(group)) + versionDir(version), Pos: pkg.Pos}
	a.groups[group] = gv.Group
	manifests := a.manifestsByName()
	from := a.from(pkg)
	var found []Aliased
	for _, t := range pkg.Types {
		if a.Exclude.Type(pkg.Path, t.Name) || !t.isCandidate() {
			continue
		}
		r := a.read(t, from)
		guessed := !r.isKind
		if guessed {
			r = reading{isKind: true, namespaced: true, hasStatus: t.HasStatus}
		}
		k := a.readKind(t, gv, from, r)
		if k == nil {
			continue
		}
		if m := manifests[crdName{group, "", k.Name}]; m != nil {
			a.followManifest(k, m)
			guessed = false
		}
		found = append(found, Aliased{Kind: k, Markers: a.markersOf(t, k), GuessedScope: guessed})
	}
	return gv, found
}

// isCandidate reports whether the type has all that a kind needs but for markers.
func (t *Type) isCandidate() bool {
	return t.IsStruct && !t.IsGeneric && !t.isView() && t.HasTypeMeta && t.HasObjectMeta && t.HasDeepCopyObject && t.HasList
}

// markersOf returns the lines of code-generator's markers that make a kind what it is.
func (a *assembly) markersOf(t *Type, k *Kind) []string {
	lines := []string{"+genclient"}
	if !k.Namespaced {
		lines = append(lines, "+genclient:nonNamespaced")
	}
	verbs := Verbs
	if !k.Has("updateStatus") {
		if t.HasStatus {
			lines = append(lines, "+genclient:noStatus")
		}
		verbs = slices.DeleteFunc(slices.Clone(verbs), func(v Verb) bool { return v == "updateStatus" })
	}
	switch skipped := slices.DeleteFunc(slices.Clone(verbs), func(v Verb) bool { return k.Has(string(v)) }); {
	case len(k.Verbs) == 0:
		lines = append(lines, "+genclient:noVerbs")
	case len(skipped) > 0:
		lines = append(lines, "+genclient:skipVerbs="+strings.ReplaceAll(joined(skipped), ", ", ","))
	}
	for _, m := range k.Methods {
		lines = append(lines, m.marker())
	}
	if k.Resource != a.Naming.resourceOf(k.Name, "") {
		lines = append(lines, "+resourceName="+k.Resource)
	}
	for _, f := range k.SelectableFields {
		if f.Pos.IsValid() { // the others are those of every kind
			lines = append(lines, "+"+SelectableFieldMarker+":JSONPath=."+f.Path)
		}
	}
	return lines
}

// marker writes a method as +genclient:method has it, with the import paths of its types.
func (m *Method) marker() string {
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

// aliasedGroupVersion returns the group and version that the package says, or else folder.
func (a *assembly) aliasedGroupVersion(folder string) (version, group string, ok bool) {
	there := &assembly{Input: a.Input, pkg: a.pkg, groups: map[string]*Group{}, errs: &Errors{}}
	if version, ok = there.version(a.pkg); !ok {
		if version = path.Base(folder); !looksLikeVersion(version) {
			a.errs.Add(a.pkg.Pos, "cannot tell the API version of package %s; name a folder that ends in it, such as --alias-package=api/shop/v1", a.pkg.Path)
			return "", "", false
		}
	}
	isGroupName := func(m Marker) bool { return m.Is("groupName") }
	parent := path.Base(path.Dir(folder))
	switch {
	case !a.pkg.GroupVersion.GroupKnown && !slices.ContainsFunc(a.pkg.Markers, isGroupName) && IsGroup(parent) && strings.Contains(parent, "."):
		group = parent // better than a group without a dot, which the package's folder would be
	default:
		if group, ok = there.groupName(a.pkg, version); !ok {
			a.errs.Add(a.pkg.Pos, "cannot tell the API group of package %s; name a folder that ends in group and version, such as --alias-package=api/shop.example.com/v1", a.pkg.Path)
			return "", "", false
		}
	}
	return version, group, true
}

// FitsFolder reports whether a package in that folder can have the version: a folder that is named
// after another one cannot.
func (gv *GroupVersion) FitsFolder(folder string) bool {
	base := path.Base(folder)
	return base == gv.Version || !IsVersion(base)
}
