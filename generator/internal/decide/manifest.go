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

// checkManifests compares the kinds with their CRDs, if there are any. A client with another
// resource, scope or version than the server compiles, and fails with 404 in the cluster. A
// kind without a CRD is not checked, because another server may serve it.
func (a *assembly) checkManifests() {
	if len(a.Manifests) == 0 {
		return
	}
	manifests := a.manifestsByName()
	found := false
	for _, group := range a.sortedGroups() {
		for _, gv := range group.Versions {
			for _, k := range gv.Kinds {
				m := cmp.Or(manifests[crdName{group.Name, "", k.Name}], manifests[crdName{group.Name, k.Resource, ""}])
				if m == nil {
					continue
				}
				found, k.CRD = true, m.Pos
				if version, ok := m.Version(gv.Version); ok {
					followVersion(&k.Served, version)
				}
				pkg := a.described(k.Package.Path)
				c := manifestCheck{
					kind: k, declared: pkg.Type(k.Name), fromKubebuilder: a.from(pkg) == input.FromKubebuilder, manifest: m, errs: a.errs,
				}
				if !pkg.Dependency {
					c.run()
					continue
				}
				a.followManifest(k, m)
				c.errs = &model.Errors{}
				c.run()
				k.DiffersFromCRD = c.errs.Len() > 0
				a.warnOf(c.errs.Cut(0), "the client is as the markers say")
			}
		}
	}
	if !found && len(a.groups) > 0 {
		a.warn(a.Manifests[0].Pos, "no kind was checked, because --crd names no CustomResourceDefinition of a kind of this run, "+
			"and this is the first one that it names; correct --crd")
	}
}

// followManifest gives a kind of a dependency the resource and the scope of its CRD, and removes the
// verbs for a status that the CRD does not have. The user cannot change the markers, and a server has
// the CRD.
func (a *assembly) followManifest(k *model.Kind, m *input.Manifest) {
	if k.Resource != m.Plural.Value {
		a.warn(k.Pos, "the resource of kind %s is %q by its markers, but %q in its CRD (%s); the client uses %q", k.Name, k.Resource,
			m.Plural.Value, m.Plural.Pos, m.Plural.Value)
		k.Resource = m.Plural.Value
	}
	if namespaced := m.Scope.Value != "Cluster"; k.Namespaced != namespaced {
		a.warn(k.Pos, "the markers of kind %s contradict scope %s in its CRD (%s); the client follows the CRD", k.Name, m.Scope.Value,
			m.Scope.Pos)
		k.Namespaced = namespaced
	}
	version, ok := m.Version(k.GroupVersion.Version)
	isStatus := func(v model.Verb) bool { return v == "updateStatus" || v == "applyStatus" }
	if ok && !version.Status && slices.ContainsFunc(k.Verbs, isStatus) {
		a.warn(k.Pos, "version %s of the CRD of kind %s has no status subresource (%s); its client has no UpdateStatus",
			version.Name.Value, k.Name, version.SubresourcesPos)
		k.Verbs = slices.DeleteFunc(k.Verbs, isStatus)
	}
}

// crdName identifies a CRD by the plural or by the kind.
type crdName struct{ group, plural, kind string }

// manifestsByName returns the CRDs of the groups of this run. It refuses two with one name,
// because a server has only one of them.
func (a *assembly) manifestsByName() map[crdName]*input.Manifest {
	byName := map[crdName]*input.Manifest{}
	for _, m := range a.Manifests {
		group := m.Group.Value
		if a.groups[group] == nil {
			continue
		}
		byPlural, byKind := crdName{group, m.Plural.Value, ""}, crdName{group, "", m.Kind.Value}
		switch other := cmp.Or(byName[byPlural], byName[byKind]); {
		case other == nil:
			byName[byPlural], byName[byKind] = m, m
		case other.Plural.Value == m.Plural.Value:
			a.errs.Add(m.Pos, "CustomResourceDefinition %s.%s is defined here and at %s; "+
				"remove one of the two, or name the file of only one with --crd", m.Plural.Value, group, other.Pos)
		default:
			a.errs.Add(m.Kind.Pos, "kind %s of group %q has the CustomResourceDefinition %s.%s here and %s.%s at %s; "+
				"remove one of the two, or name the file of only one with --crd",
				m.Kind.Value, group, m.Plural.Value, group, other.Plural.Value, group, other.Pos)
		}
	}
	return byName
}

// manifestCheck compares one kind with its CRD.
type manifestCheck struct {
	kind     *model.Kind
	declared *input.Type
	// fromKubebuilder reports whether controller-gen reads the markers of the kind. Then a CRD that
	// differs is out of date.
	fromKubebuilder bool
	manifest        *input.Manifest
	errs            *model.Errors
}

// add adds a contradiction. fix is the advice if the kind comes from +genclient and the CRD is right.
func (c manifestCheck) add(pos token.Position, fix, format string, args ...any) {
	const regenerate = "regenerate the CRD with controller-gen"
	switch {
	case c.fromKubebuilder:
		fix = regenerate
	case strings.Contains(fix, "+kubebuilder:"): // controller-gen has to read the new marker
		fix += " and " + regenerate
	default:
		fix += ", or " + regenerate
	}
	c.errs.Add(pos, format+"; %s", append(args, fix)...)
}

func (c manifestCheck) run() {
	k, m := c.kind, c.manifest
	if m.Kind.Value != k.Name {
		c.add(k.Pos, fmt.Sprintf("rename the types to %s and %sList, with // +resourceName=%s", m.Kind.Value, m.Kind.Value, k.Resource),
			"the kind of resource %q is %s here, but %s in its CRD (%s)", k.Resource, k.Name, m.Kind.Value, m.Kind.Pos)
		return // the other differences follow from this one
	}
	if m.Plural.Value != k.Resource {
		fix := fmt.Sprintf("set // +resourceName=%s above type %s", m.Plural.Value, k.Name)
		if c.has(is[markers.ResourceName]) && !c.has(hasPath) { // controller-gen does not read +resourceName
			fix += fmt.Sprintf(", or add // +kubebuilder:resource:path=%s", k.Resource)
		}
		c.add(c.position(is[markers.ResourceName], hasPath), fix,
			"the client of kind %s uses the resource %q, but its CRD has the plural %q (%s)", k.Name, k.Resource, m.Plural.Value, m.Plural.Pos)
	}
	c.scope()
	if k.NeedsList() && m.ListKind.Value != k.List() {
		c.add(c.declared.ListPos, fmt.Sprintf("set listKind to %s in the CRD", k.List()),
			"the list type of kind %s is %s, but its CRD has the listKind %s (%s), so clients cannot decode lists",
			k.Name, k.List(), m.ListKind.Value, m.ListKind.Pos)
	}
	c.version()
}

func (c manifestCheck) scope() {
	k, m := c.kind, c.manifest
	want, taken, fix := "Cluster", "cluster-scoped", "remove +genclient:nonNamespaced"
	if k.Namespaced {
		want, taken, fix = "Namespaced", "namespaced", "add // +genclient:nonNamespaced"
	} else if !c.has(hasScope) { // controller-gen does not read +genclient:nonNamespaced
		fix += ", or add // +kubebuilder:resource:scope=Cluster"
	}
	if m.Scope.Value != want {
		c.add(c.position(is[markers.NonNamespaced], hasScope), fix,
			"the client of kind %s is %s, but its CRD has scope %s (%s)", k.Name, taken, m.Scope.Value, m.Scope.Pos)
	}
}

// version compares the kind with its version in the CRD.
func (c manifestCheck) version() {
	k, m := c.kind, c.manifest
	name := k.GroupVersion.Version
	v, ok := m.Version(name)
	if !ok {
		var names []string
		for _, v := range m.Versions {
			names = append(names, v.Name.Value)
		}
		c.add(k.Pos, "generate for a version that it has", "kind %s has version %s here, but its CRD (%s) has only %s", k.Name, name,
			m.Versions[0].Name.Pos, strings.Join(names, ", "))
		return
	}
	if !v.Served {
		c.add(k.Pos, "remove +genclient from "+k.Name, "kind %s has version %s here, but its CRD does not serve that version (%s)",
			k.Name, name, v.ServedPos)
	}
	// A CRD with a status does not contradict +genclient:noStatus, which is written on
	// purpose.
	if !v.Status && (k.Has("updateStatus") || k.Has("applyStatus")) {
		c.add(c.position(is[markers.Status]), "add // +genclient:noStatus, or // +kubebuilder:subresource:status",
			"the client of kind %s has UpdateStatus, but version %s of its CRD has no status subresource (%s)", k.Name, name, v.SubresourcesPos)
	}
	for _, method := range k.Methods {
		if !method.FromScale {
			c.method(v, method)
		} else if !v.Scale {
			c.errs.Add(method.Pos, "kind %s has the subresource scale here, but version %s of its CRD does not have it (%s); "+
				"regenerate the CRD with controller-gen", k.Name, name, v.SubresourcesPos)
		}
	}
	for _, field := range k.SelectableFields {
		c.selectable(v, field)
	}
}

// selectable looks for a selectable field in the CRD. Every server has the fields of metadata.
func (c manifestCheck) selectable(v input.ManifestVersion, field *model.SelectableField) {
	declared := func(f input.Placed) bool { return strings.TrimPrefix(f.Value, ".") == field.Path }
	if strings.HasPrefix(field.Path, "metadata.") || slices.ContainsFunc(v.SelectableFields, declared) {
		return
	}
	c.add(field.Pos, "remove the marker", "%s is a selectable field of kind %s here, but not in version %s of its CRD (%s)", field.Path,
		c.kind.Name, v.Name.Value, v.Name.Pos)
}

// method looks for the subresource of a method in the CRD. A CRD can only have status and scale.
func (c manifestCheck) method(v input.ManifestVersion, method *model.Method) {
	switch {
	case method.Subresource == "", method.Subresource == "status" && v.Status, method.Subresource == "scale" && v.Scale:
		return
	}
	marker := map[string]string{
		"status": "subresource:status", "scale": "subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas",
	}[method.Subresource]
	if marker == "" {
		c.errs.Add(method.Pos, "method %s of kind %s needs the subresource %q, but a CRD (%s) can only have status and scale; "+
			"remove the method", method.Name, c.kind.Name, method.Subresource, c.manifest.Pos)
		return
	}
	c.add(method.Pos, "remove the method, or add // +kubebuilder:"+marker,
		"method %s of kind %s needs the subresource %s, but version %s of its CRD does not have it (%s)",
		method.Name, c.kind.Name, method.Subresource, v.Name.Value, v.SubresourcesPos)
}

// position returns the position of the first marker with a value of the first subject, or else of the
// second one, or else the position of the kind.
func (c manifestCheck) position(subjects ...func(markers.Value) bool) token.Position {
	for _, subject := range subjects {
		for _, m := range c.declared.Markers {
			if subject(m.Value) {
				return m.Pos
			}
		}
	}
	return c.kind.Pos
}

// has reports whether the type has a marker with a value of the subject.
func (c manifestCheck) has(subject func(markers.Value) bool) bool {
	for _, m := range c.declared.Markers {
		if subject(m.Value) {
			return true
		}
	}
	return false
}

// is reports whether a value is of type T.
func is[T markers.Value](v markers.Value) bool {
	_, ok := v.(T)
	return ok
}

func hasPath(v markers.Value) bool {
	resource, ok := v.(markers.Resource)
	return ok && resource.Path != ""
}

func hasScope(v markers.Value) bool {
	resource, ok := v.(markers.Resource)
	return ok && resource.Scope != ""
}
