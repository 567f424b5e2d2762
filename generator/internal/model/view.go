package model

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// View is a struct of some of a kind's fields, from +informer:view, which has an
// informer and a lister over the kind's resource.
type View struct {
	// Of is the type of the kind.
	Of TypeRef
	// Kind is the kind itself, whose client lists and watches; nil if the run makes
	// no client of it.
	Kind *Kind
	// Group and Version are the kind's on the wire.
	Group, Version string
}

// viewForm is how the marker is written.
const viewForm = "+" + ViewMarker + "=Foo for a kind of this package, or +" + ViewMarker + "=k8s.io/api/core/v1.Pod"

// viewed returns the kind that a marker makes a view of, and whether it is such a
// marker. It is zero where the marker does not say it.
func (m Marker) viewed() (TypeRef, bool) {
	if _, ok := m.Arguments(ViewMarker); !ok {
		return TypeRef{}, false
	}
	if !m.Is(ViewMarker) {
		return TypeRef{}, true
	}
	ref, _ := parseTypeRef(m.Value)
	return ref, true
}

// View returns the kind that the type is a view of, and whether it is a view. The
// path of one of its own package is empty, and so is the name where no marker says it.
func (t *Type) View() (TypeRef, bool) {
	for _, m := range t.Markers {
		if ref, ok := m.viewed(); ok {
			return ref, true
		}
	}
	return TypeRef{}, false
}

func (t *Type) isView() bool {
	_, ok := t.View()
	return ok
}

// view decides on a view. It returns nil for one with mistakes.
func (a *assembly) view(pkg *Package, t *Type, gv *GroupVersion) *Kind {
	before := len(a.errs.all)
	marker, ok := a.viewMarker(t)
	if !ok || !a.checkViewType(t, marker) {
		return nil
	}
	ref, _ := marker.viewed()
	local := ref.Path == "" || ref.Path == pkg.Path
	ref.Path = cmp.Or(ref.Path, pkg.Path)
	r, view := a.viewedKind(t, marker, ref, local)
	if view == nil {
		return nil
	}
	for _, misfit := range t.Misfits {
		a.errs.Add(misfit.Pos, "view %s: %s", t.Name, misfit.Problem)
	}
	k := &Kind{
		GroupVersion: gv, Name: t.Name, Namespaced: r.namespaced, View: view,
		Summary: summary(t.Doc), Deprecated: deprecation(t.Doc),
		Verbs: []Verb{"list", "watch"},
		Pos:   t.Pos,
	}
	a.Naming.name(k, r.resource)
	a.addFields(t, k)
	if len(a.errs.all) > before {
		return nil
	}
	a.warnOfConstraint(t)
	return k
}

// viewMarker returns the marker that makes t a view. It refuses two, and those that
// make it a kind as well.
func (a *assembly) viewMarker(t *Type) (found Marker, ok bool) {
	before := len(a.errs.all)
	for _, m := range t.Markers {
		ref, isView := m.viewed()
		switch {
		case isView && ref.IsZero():
			form := viewForm
			if unquoted := strings.Trim(m.Value, "`\"'"); unquoted != m.Value && unquoted != "" {
				form = "it without quotes: +" + ViewMarker + "=" + unquoted
			}
			a.errs.Add(m.Pos, "%s does not name a kind; write %s", m.Written(), form)
		case isView && ok:
			a.errs.Add(m.Pos, "%s is a view already, at %s; write a struct for each kind", t.Name, found.Pos)
		case isView:
			found, ok = m, true
		case m.isGenclient():
			a.errs.Add(m.Pos, "%s is a view, which has no client; remove +%s, or +%s", t.Name, m.Name, ViewMarker)
		case m.Is("resourceName"):
			a.errs.Add(m.Pos, "%s is a view, which uses the resource of its kind; remove +%s", t.Name, m.Name)
		}
		if _, isField := m.Arguments(SelectableFieldMarker); isField {
			a.errs.Add(m.Pos, "%s is a view, and servers select by the fields of its kind; move +%s to the kind", t.Name, SelectableFieldMarker)
		}
	}
	return found, ok && len(a.errs.all) == before
}

// checkViewType refuses a type that is no view.
func (a *assembly) checkViewType(t *Type, m Marker) bool {
	before := len(a.errs.all)
	switch {
	case t.IsGeneric:
		a.errs.Add(m.Pos, "view %s has type parameters; remove them, or the marker", t.Name)
		return false
	case !t.IsStruct:
		a.errs.Add(m.Pos, "view %s is not a struct; make it one, with metav1.TypeMeta, metav1.ObjectMeta and some fields of its kind, or remove the marker", t.Name)
		return false
	case !token.IsExported(t.Name):
		a.errs.Add(m.Pos, "view %s is not exported; begin its name with a capital letter", t.Name)
	}
	a.checkMeta("view", t)
	if !t.HasDeepCopyObject {
		a.errs.Add(t.Pos, "view %s has no method DeepCopyObject; write it, or %s", t.Name, t.deepCopyFix())
	}
	return len(a.errs.all) == before
}

// viewedKind finds out about the kind of a view from the markers where that is
// declared. It returns no view if it cannot.
func (a *assembly) viewedKind(t *Type, m Marker, ref TypeRef, local bool) (reading, *View) {
	refuse := func(format string, args ...any) (reading, *View) {
		a.errs.Add(m.Pos, "view %s: %s", t.Name, fmt.Sprintf(format, args...))
		return reading{}, nil
	}
	if _, problem := a.declared(ref.Path); problem != "" && !strings.Contains(ref.Path, "/") {
		return refuse("there is no package %s; write the import path, such as k8s.io/api/core/v1.Pod", ref.Path)
	}
	if problem := a.missing(ref, local); problem != "" {
		return refuse("%s", problem)
	}
	pkg := a.described(ref.Path)
	if pkg == nil {
		return refuse("package %s was not read; report this as a bug of informer-gen", ref.Path)
	}
	// What is wrong there is said where it is, or is none of ours.
	there := &assembly{Input: a.Input, pkg: pkg, groups: map[string]*Group{}, errs: &Errors{}}
	at := slices.IndexFunc(pkg.Types, func(other *Type) bool { return other.Name == ref.Name })
	noKind := ref.Name + " is not a kind; " + kindInstead(pkg, ref.Name, local)
	if at < 0 {
		return refuse("%s", noKind)
	}
	kind := pkg.Types[at]
	if of, ok := kind.View(); ok {
		return refuse("%s is a view itself; name its kind: +%s=%s", ref.Name, ViewMarker, strings.TrimPrefix(of.Path+"."+of.Name, "."))
	}
	r := there.read(kind, there.from(pkg))
	if !r.isKind {
		return refuse("%s", noKind)
	}
	if verbs := r.verbs.of(Verbs); !slices.Contains(verbs, "list") || !slices.Contains(verbs, "watch") {
		return refuse("%s has no informer, because it cannot be listed and watched; view another kind, or allow the verbs list and watch there", ref.Name)
	}
	r.resource = a.Naming.resourceOf(kind.Name, r.resource)
	if !IsResource(r.resource) || !IsKind(kind.Name) {
		return refuse("resource %q of kind %s does not have a valid name; name another kind", r.resource, kind.Name)
	}
	version, hasVersion := there.version(pkg)
	group, hasGroup := there.groupName(pkg, version)
	switch {
	case hasVersion && hasGroup:
		return r, &View{Of: ref, Group: group, Version: version}
	case local:
		return reading{}, nil // it is said of the package
	}
	fix := "name a kind of another package"
	if !pkg.Dependency {
		fix = "declare SchemeGroupVersion in it, or " + fix
	}
	return refuse("cannot tell the group and the version of package %s; %s", ref.Path, fix)
}

// kindInstead says what to view instead of a type that is no kind: Pod for PodList
// and PodSpec.
func kindInstead(pkg *Package, name string, local bool) string {
	meant := ""
	for _, t := range pkg.Types {
		if t.MayBeKind() && t.Name != name && strings.HasPrefix(name, t.Name) && len(t.Name) > len(meant) {
			meant = t.Name
		}
	}
	form := "name a kind that has +genclient or +kubebuilder:object:root=true"
	if meant != "" {
		form += ", such as " + meant
	}
	if local {
		form += ", or add the marker"
	}
	return form
}

// described is a package that was read; nil for one that nobody has looked at.
func (a *assembly) described(importPath string) *Package {
	for _, pkg := range a.Packages {
		if pkg.Path == importPath {
			return pkg
		}
	}
	if external := a.Externals[importPath]; external != nil {
		return external.Package
	}
	return nil
}

// linkViews gives each view the kind that it is of, if there are clients for that.
func (a *assembly) linkViews() {
	kinds := map[TypeRef]*Kind{}
	var views []*Kind
	for _, group := range a.groups {
		for _, gv := range group.Versions {
			views = append(views, gv.Views...)
			for _, k := range gv.Kinds {
				kinds[TypeRef{gv.Path, k.Name}] = k
			}
		}
	}
	for _, v := range views {
		v.View.Kind = kinds[v.View.Of]
	}
}
