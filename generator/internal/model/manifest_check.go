package model

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// checkManifests compares the kinds with their CRDs, if there are any: a client
// of another resource, scope or version than the one that is served compiles, and
// fails with 404 in the cluster. A kind without a CRD is left alone: it may be
// served by another server.
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
				found, k.Manifest = true, m
				c := manifestCheck{kind: k, manifest: m, errs: a.errs}
				c.declared, c.fromKubebuilder = a.declaration(k)
				if !a.described(gv.Path).Dependency {
					c.run()
					continue
				}
				a.followManifest(k, m)
				c.errs = &Errors{}
				c.run()
				k.DiffersFromManifest = len(c.errs.all) > 0
				a.warnOf(c.errs.all, "the client is as the markers say")
			}
		}
	}
	if !found && len(a.groups) > 0 {
		a.warn(a.Manifests[0].Pos, "no kind was checked, because --crd names no CustomResourceDefinition of any of them, and this is the first; correct --crd")
	}
}

// followManifest gives a kind of a dependency the resource and the scope of its CRD, and takes the
// verbs for a status from it that the CRD does not have: the user cannot change the markers, and the
// CRD is what a server has.
func (a *assembly) followManifest(k *Kind, m *Manifest) {
	if k.Resource != m.Plural.Value {
		a.warn(k.Pos, "the resource of kind %s is %q by its markers, but %q in its CRD (%s); the client uses %q", k.Name, k.Resource, m.Plural.Value, m.Plural.Pos, m.Plural.Value)
		k.Resource = m.Plural.Value
	}
	if namespaced := m.Scope.Value != "Cluster"; k.Namespaced != namespaced {
		a.warn(k.Pos, "the markers of kind %s contradict scope %s in its CRD (%s); the client follows the CRD", k.Name, m.Scope.Value, m.Scope.Pos)
		k.Namespaced = namespaced
	}
	if version, dropped := k.followStatus(m); dropped {
		a.warn(k.Pos, "version %s of the CRD of kind %s has no status subresource (%s); its client has no UpdateStatus", version.Name.Value, k.Name, version.SubresourcesPos)
	}
}

// followStatus takes the verbs for a status from a kind whose CRD has none. It reports whether there
// were any.
func (k *Kind) followStatus(m *Manifest) (version ManifestVersion, dropped bool) {
	isStatus := func(v Verb) bool { return v == "updateStatus" || v == "applyStatus" }
	version, ok := m.Version(k.GroupVersion.Version)
	if !ok || version.Status || !slices.ContainsFunc(k.Verbs, isStatus) {
		return version, false
	}
	k.Verbs = slices.DeleteFunc(k.Verbs, isStatus)
	return version, true
}

// crdName is how a CRD is found: by the plural or by the kind.
type crdName struct{ group, plural, kind string }

// manifestsByName finds the CRDs of the groups that are generated for. Two of one
// name are refused: a server has one of them, and nobody knows which.
func (a *assembly) manifestsByName() map[crdName]*Manifest {
	byName := map[crdName]*Manifest{}
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
			a.errs.Add(m.Pos, "CustomResourceDefinition %s.%s is here and at %s; remove one of the two, or name the file of only one with --crd", m.Plural.Value, group, other.Pos)
		default:
			a.errs.Add(m.Kind.Pos, "kind %s of group %q has the CustomResourceDefinition %s.%s here and %s.%s at %s; remove one of the two, or name the file of only one with --crd",
				m.Kind.Value, group, m.Plural.Value, group, other.Plural.Value, group, other.Pos)
		}
	}
	return byName
}

// declaration returns the type of a kind, and whether the kind is read from the
// markers of kubebuilder.
func (a *assembly) declaration(k *Kind) (t *Type, fromKubebuilder bool) {
	for _, pkg := range a.Packages {
		for _, t := range pkg.Types {
			if pkg.Path == k.GroupVersion.Path && t.Name == k.Name {
				return t, a.from(pkg) == FromKubebuilder
			}
		}
	}
	return &Type{Pos: k.Pos, ListPos: k.Pos}, false
}

// manifestCheck compares one kind with its CRD.
type manifestCheck struct {
	kind     *Kind
	declared *Type
	// fromKubebuilder says that controller-gen reads the markers that the kind comes
	// from: then it is the CRD that is out of date.
	fromKubebuilder bool
	manifest        *Manifest
	errs            *Errors
}

// add notes a contradiction. fix is what to do if the kind comes from +genclient and
// the CRD is right.
func (c manifestCheck) add(pos token.Position, fix, format string, args ...any) {
	if c.fromKubebuilder {
		fix = "regenerate the CRD with controller-gen"
	} else {
		fix += orRegenerate(fix)
	}
	c.errs.Add(pos, format+"; %s", append(args, fix)...)
}

// orRegenerate ends what to do with the other way. A marker for controller-gen needs it anyway.
func orRegenerate(fix string) string {
	if strings.Contains(fix, "+kubebuilder:") {
		return " and regenerate the CRD with controller-gen"
	}
	return ", or regenerate the CRD with controller-gen"
}

func (c manifestCheck) run() {
	k, m := c.kind, c.manifest
	if m.Kind.Value != k.Name {
		c.add(k.Pos, fmt.Sprintf("rename the types to %s and %sList, with // +resourceName=%s", m.Kind.Value, m.Kind.Value, k.Resource),
			"the kind of resource %q is %s here, but %s in its CRD (%s)", k.Resource, k.Name, m.Kind.Value, m.Kind.Pos)
		return // whatever else differs follows from it
	}
	if m.Plural.Value != k.Resource {
		c.add(c.place("resourceName", "kubebuilder:resource:path"), fmt.Sprintf("set // +resourceName=%s above type %s", m.Plural.Value, k.Name),
			"the client of kind %s uses the resource %q, but its CRD has the plural %q (%s)", k.Name, k.Resource, m.Plural.Value, m.Plural.Pos)
	}
	c.scope()
	if k.NeedsList() && m.ListKind.Value != k.List() {
		c.add(c.declared.ListPos, fmt.Sprintf("set listKind to %s in the CRD", k.List()),
			"the list type of kind %s is %s, but its CRD has the listKind %s (%s), so that clients cannot decode lists", k.Name, k.List(), m.ListKind.Value, m.ListKind.Pos)
	}
	c.version()
}

func (c manifestCheck) scope() {
	k, m := c.kind, c.manifest
	want, taken, fix := "Cluster", "cluster-scoped", "remove +genclient:nonNamespaced"
	if k.Namespaced {
		want, taken, fix = "Namespaced", "namespaced", "add // +genclient:nonNamespaced"
	}
	if m.Scope.Value != want {
		c.add(c.place("genclient:nonNamespaced", "kubebuilder:resource:scope"), fix,
			"the client of kind %s is %s, but its CRD has scope %s (%s)", k.Name, taken, m.Scope.Value, m.Scope.Pos)
	}
}

// version looks for the kind's version in the CRD, and compares what is said of it.
func (c manifestCheck) version() {
	k, m := c.kind, c.manifest
	name := k.GroupVersion.Version
	v, ok := m.Version(name)
	if !ok {
		var names []string
		for _, v := range m.Versions {
			names = append(names, v.Name.Value)
		}
		c.add(k.Pos, "generate for a version that it has", "kind %s has version %s here, but its CRD (%s) has only %s", k.Name, name, m.Versions[0].Name.Pos, strings.Join(names, ", "))
		return
	}
	if !v.Served {
		c.add(k.Pos, "remove +genclient from "+k.Name, "kind %s has version %s here, but its CRD does not serve that version (%s)", k.Name, name, v.ServedPos)
	}
	// The other way round it is no contradiction: +genclient:noStatus is written on
	// purpose.
	if !v.Status && (k.Has("updateStatus") || k.Has("applyStatus")) {
		c.add(c.place("kubebuilder:subresource:status"), "add // +genclient:noStatus, or // +kubebuilder:subresource:status",
			"the client of kind %s has UpdateStatus, but version %s of its CRD has no status subresource (%s)", k.Name, name, v.SubresourcesPos)
	}
	for _, method := range k.Methods {
		c.method(v, method)
	}
	for _, field := range k.SelectableFields {
		c.selectable(v, field)
	}
}

// selectable looks for a selectable field. Those of the metadata every server has.
func (c manifestCheck) selectable(v ManifestVersion, field *SelectableField) {
	declared := func(f Placed) bool { return strings.TrimPrefix(f.Value, ".") == field.Path }
	if strings.HasPrefix(field.Path, "metadata.") || slices.ContainsFunc(v.SelectableFields, declared) {
		return
	}
	c.add(field.Pos, "remove the marker", "%s is a selectable field of kind %s here, but not in version %s of its CRD (%s)", field.Path, c.kind.Name, v.Name.Value, v.Name.Pos)
}

// method looks for the subresource of an extended method. A CRD has no others than
// status and scale.
func (c manifestCheck) method(v ManifestVersion, method *Method) {
	switch {
	case method.Subresource == "", method.Subresource == "status" && v.Status, method.Subresource == "scale" && v.Scale:
		return
	}
	marker := map[string]string{"status": "subresource:status", "scale": "subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas"}[method.Subresource]
	if marker == "" {
		c.errs.Add(method.Pos, "method %s of kind %s needs the subresource %q, but a CRD (%s) can only have status and scale; remove the method", method.Name, c.kind.Name, method.Subresource, c.manifest.Pos)
		return
	}
	c.add(method.Pos, "remove the method, or add // +kubebuilder:"+marker, "method %s of kind %s needs the subresource %s, but version %s of its CRD does not have it (%s)",
		method.Name, c.kind.Name, method.Subresource, v.Name.Value, v.SubresourcesPos)
}

// place is that of the first marker of the kind that says something about one of
// the subjects, or the kind's own. A subject is a marker, or the argument of
// +kubebuilder:resource that follows the last colon.
func (c manifestCheck) place(subjects ...string) token.Position {
	for _, subject := range subjects {
		argument, isArgument := strings.CutPrefix(subject, "kubebuilder:resource:")
		for _, m := range c.declared.Markers {
			arguments, _ := m.Arguments("kubebuilder:resource")
			if m.Is(subject) || isArgument && slices.ContainsFunc(arguments, func(a Argument) bool { return a.Key == argument }) {
				return m.Pos
			}
		}
	}
	return c.kind.Pos
}
