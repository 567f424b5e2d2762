package decide

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// view decides on a view. It returns nil for a view with errors.
func (a *assembly) view(pkg *input.Package, t *input.Type, p *model.Package) *model.Kind {
	before := a.errs.Len()
	marker, ok := a.viewMarker(t)
	if !ok || !a.checkType("view", t, marker.Pos) {
		return nil
	}
	ref := marker.Value.(markers.View).Of
	local := ref.Path == "" || ref.Path == pkg.Path
	ref.Path = cmp.Or(ref.Path, pkg.Path)
	r, view := a.viewedKind(t, marker, ref, local)
	if view == nil {
		return nil
	}
	for _, misfit := range t.Misfits {
		a.errs.Add(misfit.Pos, "view %s: %s", t.Name, misfit.Problem)
	}
	k := &model.Kind{
		Package: p, Name: t.Name, Namespaced: r.namespaced, View: view,
		Summary: summary(t.Doc), Deprecated: deprecation(t.Doc),
		Verbs:    []model.Verb{"list", "watch"},
		Protobuf: r.protobuf,
		Pos:      t.Pos,
	}
	a.naming.name(k, r.resource)
	a.addFields(t, k)
	if a.errs.Len() > before {
		return nil
	}
	a.warnOfConstraint(t)
	return k
}

// viewMarker returns the marker that makes t a view. It refuses a second one, and markers of
// kinds.
func (a *assembly) viewMarker(t *input.Type) (found markers.Marker, ok bool) {
	before := a.errs.Len()
	for _, m := range t.Markers {
		switch m.Value.(type) {
		case markers.View:
			switch {
			case a.refuse(m):
			case ok:
				a.errs.Add(m.Pos, "%s is already a view by the marker at %s; write a struct for each kind", t.Name, found.Pos)
			default:
				found, ok = m, true
			}
		case markers.ResourceName:
			a.errs.Add(m.Pos, "%s is a view, which uses the resource of its kind; remove +%s", t.Name, m.Name)
		case markers.SelectableField:
			a.errs.Add(m.Pos, "%s is a view, and servers select by the fields of its kind; move +%s to the kind", t.Name, m.Name)
		default:
			if m.IsGenclient() {
				a.errs.Add(m.Pos, "%s is a view, which has no client; remove +%s, or +%s", t.Name, m.Name, markers.ViewName)
			}
		}
	}
	return found, ok && a.errs.Len() == before
}

// viewedKind reads the markers of the kind of a view, in the package that declares the kind.
// It returns no view after an error.
func (a *assembly) viewedKind(t *input.Type, m markers.Marker, ref model.TypeRef, local bool) (reading, *model.View) {
	refuse := func(format string, args ...any) (reading, *model.View) {
		a.errs.Add(m.Pos, "view %s: %s", t.Name, fmt.Sprintf(format, args...))
		return reading{}, nil
	}
	if _, problem := a.declared(ref.Path); problem != "" && !strings.Contains(ref.Path, "/") {
		return refuse("there is no package %s; write the import path, such as k8s.io/api/core/v1.Pod", ref.Path)
	}
	if own := a.pkg.Type(ref.Name); local && !token.IsExported(ref.Name) && own != nil && !isSkipped(a.pkg) && a.reports(a.pkg, own) {
		if a.elsewhere(a.pkg).read(own, a.from(a.pkg)).isKind {
			return reading{}, nil // the mistake is reported for the name of the kind
		}
	}
	if problem := a.missing(ref, local); problem != "" {
		return refuse("%s", problem)
	}
	pkg := a.described(ref.Path)
	if pkg == nil {
		return refuse("package %s was not read; report this as a bug of informer-gen", ref.Path)
	}
	if pkg.Broken {
		return reading{}, nil
	}
	// Mistakes there are reported for that package, or do not matter.
	there := a.elsewhere(pkg)
	kind := pkg.Type(ref.Name)
	noKind := ref.Name + " is not a kind; " + kindInstead(pkg, ref.Name, local)
	if kind == nil {
		return refuse("%s", noKind)
	}
	if view, ok := markers.Find[markers.View](kind.Markers); ok {
		return refuse("%s is a view itself; name its kind: +%s=%s", ref.Name, markers.ViewName,
			strings.TrimPrefix(view.Of.Path+"."+view.Of.Name, "."))
	}
	r := there.read(kind, there.from(pkg))
	if !r.isKind && markers.Has[markers.Misspelled](kind.Markers) && a.reports(pkg, kind) {
		return reading{}, nil
	}
	if !r.isKind {
		return refuse("%s", noKind)
	}
	if verbs := r.verbs.of(model.Verbs); !slices.Contains(verbs, "list") || !slices.Contains(verbs, "watch") {
		return refuse("%s has no informer, because it cannot be listed and watched; "+
			"view another kind, or allow the verbs list and watch there", ref.Name)
	}
	r.resource = a.naming.resourceOf(kind.Name, r.resource)
	if !model.IsLabel(r.resource) || !model.IsKind(kind.Name) {
		return refuse("resource %q of kind %s does not have a valid name; name another kind", r.resource, kind.Name)
	}
	r.protobuf = a.viewPrefersProtobuf(pkg, kind)
	version, hasVersion := there.version(pkg)
	group, hasGroup := there.groupName(pkg, version)
	switch {
	case hasVersion && hasGroup:
		return r, &model.View{Of: ref, Group: group, Version: version}
	case local:
		return reading{}, nil // reported for the package
	}
	fix := "name a kind of another package"
	if !pkg.Dependency {
		fix = "declare SchemeGroupVersion in it, or " + fix
	}
	return refuse("cannot determine the group and the version of package %s; %s", ref.Path, fix)
}

// kindInstead returns the kind to view instead of a type that is not a kind: Pod for PodList
// and PodSpec.
func kindInstead(pkg *input.Package, name string, local bool) string {
	meant := ""
	for _, t := range pkg.Types {
		if t.Markers.MayBeKind() && t.Name != name && strings.HasPrefix(name, t.Name) && len(t.Name) > len(meant) {
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

// linkViews sets the Kind of each view if the run makes a client for the kind.
func (a *assembly) linkViews() {
	kinds := map[model.TypeRef]*model.Kind{}
	var views []*model.Kind
	for _, group := range a.groups {
		for _, gv := range group.Versions {
			views = append(views, gv.Views...)
			for _, k := range gv.Kinds {
				kinds[k.Ref()] = k
			}
		}
	}
	for _, v := range views {
		v.View.Kind = kinds[v.View.Of]
	}
}
