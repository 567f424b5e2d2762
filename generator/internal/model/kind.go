package model

import (
	"go/token"
	"slices"
	"strings"
)

// reading is what the markers of a type say of a kind, whoever they are from.
type reading struct {
	// isKind says whether the type is one.
	isKind     bool
	namespaced bool
	// resource is empty where no marker says it.
	resource string
	// hasStatus says whether status is a subresource.
	hasStatus bool
	verbs     verbSet
	methods   []*Method
}

// kind decides on t, and says whether it is a kind. It returns nil for one with
// mistakes.
func (a *assembly) kind(t *Type, gv *GroupVersion, from From) (_ *Kind, isKind bool) {
	before := len(a.errs.all)
	r := a.read(t, from)
	if !r.isKind {
		a.refuseLonely(t, from)
		return nil, false
	}
	k := &Kind{
		GroupVersion: gv, Name: t.Name, Namespaced: r.namespaced,
		Summary: summary(t.Doc), Deprecated: deprecation(t.Doc),
		ListForm: t.List,
		Pos:      t.Pos,
	}
	if !a.checkType(t) {
		return nil, true
	}
	if !r.hasStatus {
		r.verbs.skip([]Verb{"updateStatus", "applyStatus"})
	}
	k.Verbs = r.verbs.of(a.possibleVerbs())
	if k.NeedsList() && !t.HasList {
		fix := "add it, or write +genclient:skipVerbs=list,watch,deleteCollection"
		if from == FromKubebuilder {
			fix = "mend it"
		}
		a.errs.Add(t.ListPos, "kind %s %s; %s", t.Name, t.ListProblem, fix)
	}
	a.Naming.name(k, r.resource)
	if !IsResource(k.Resource) {
		marker := "+resourceName="
		if from == FromKubebuilder {
			marker = "+kubebuilder:resource:path="
		}
		a.errs.Add(t.Pos, "resource %q of kind %s is not one that a server takes; write %s with at most 63 lower-case letters, digits and hyphens, a letter first", k.Resource, t.Name, marker)
	}
	if from != FromKubebuilder {
		a.checkResource(t, k)
	}
	a.addApply(k)
	if r.verbs.none {
		a.dropMethods(k, r.methods)
	} else {
		a.addMethods(t, k, r.methods)
	}
	a.addFields(t, k)
	if len(a.errs.all) > before {
		return nil, true
	}
	return k, true
}

// read reads the markers of those from whom they are.
func (a *assembly) read(t *Type, from From) reading {
	if from == FromKubebuilder {
		return a.readKubebuilder(t)
	}
	return a.readGenclient(t)
}

// refuseLonely refuses markers that have no effect, because the type is no kind.
func (a *assembly) refuseLonely(t *Type, from From) {
	for _, m := range t.Markers {
		if a.refuseUnknown(m) {
			return
		}
		if !strings.HasPrefix(m.Name, "genclient:") && !strings.HasPrefix(m.Name, "informer:") {
			continue
		}
		if from == FromKubebuilder {
			a.errs.Add(m.Pos, "+%s has no effect on %s, which is no kind; add // +kubebuilder:object:root=true, and a type %sList", m.Name, t.Name, t.Name)
		} else {
			a.errs.Add(m.Pos, "+%s has no effect without +genclient; add // +genclient above type %s", m.Name, t.Name)
		}
		return
	}
}

// refuseSkipped refuses markers on a type of a package that has views only.
func (a *assembly) refuseSkipped(t *Type) {
	for _, m := range t.Markers {
		if a.refuseUnknown(m) {
			continue
		}
		if _, ok := m.Arguments("informer"); ok {
			a.errs.Add(m.Pos, "+%s has no effect on %s, which is no view, in a package with +kubebuilder:skip; add // +%s=…, or remove the marker", m.Name, t.Name, ViewMarker)
		}
	}
}

// refuseMisspelt refuses markers that are ours but for a letter.
func (a *assembly) refuseMisspelt(markers []Marker) {
	for _, m := range markers {
		if meant := Misspelt(m.Name); meant != "" {
			a.errs.Add(m.Pos, "unknown marker +%s; did you mean +%s?", m.Name, meant)
		}
	}
}

// refuseUnknown refuses a marker that begins as ours do and is not known, and says
// whether it is one.
func (a *assembly) refuseUnknown(m Marker) bool {
	if option, ok := strings.CutPrefix(m.Name, "genclient:"); ok && !slices.Contains(genclient, option) {
		a.errs.Add(m.Pos, "unknown marker +%s%s", m.Name, didYouMean(option, genclient, "+genclient:"))
		return true
	}
	if _, ok := m.Arguments("informer"); !ok {
		return false
	}
	// +informer=view is none either.
	option, ok := strings.CutPrefix(m.Name, "informer:")
	word, _, _ := strings.Cut(option, ":")
	if ok && slices.Contains(informerMarkers, word) {
		return false
	}
	a.errs.Add(m.Pos, "unknown marker +%s%s", m.Name, didYouMean(word, informerMarkers, "+informer:"))
	return true
}

// checkResource refuses a kind of which controller-gen makes another CRD than the
// one that its client would talk to.
func (a *assembly) checkResource(t *Type, k *Kind) {
	for _, m := range t.Markers {
		arguments, _ := m.Arguments("kubebuilder:resource")
		for _, argument := range arguments {
			switch name, value := argument.Key, argument.Value; {
			case name == "scope" && (value == "Cluster") == k.Namespaced:
				want := "remove +genclient:nonNamespaced"
				if k.Namespaced {
					want = "add // +genclient:nonNamespaced"
				}
				a.errs.Add(m.Pos, "kind %s is %s here, and its +genclient says that it is not; %s", t.Name, map[bool]string{true: "cluster-scoped", false: "namespaced"}[k.Namespaced], want)
			case name == "path" && value != k.Resource:
				a.errs.Add(m.Pos, "the resource of kind %s is %q here, and %q for its client; add // +resourceName=%s", t.Name, value, k.Resource, value)
			}
		}
	}
}

// checkMeta refuses a type, a kind or a view as what says, without the metadata of an
// API object.
func (a *assembly) checkMeta(what string, t *Type) {
	if !t.HasTypeMeta {
		a.errs.Add(t.Pos, "%s %s does not embed metav1.TypeMeta; add: metav1.TypeMeta `json:\",inline\"`", what, t.Name)
	}
	switch {
	case t.HasObjectMeta:
	case t.MissingMethod != "":
		a.errs.Add(t.Pos, "%s %s has no method %s, which metav1.Object has; write the methods that are missing, or embed: metav1.ObjectMeta `json:\"metadata,omitempty\"`", what, t.Name, t.MissingMethod)
	default:
		a.errs.Add(t.Pos, "%s %s does not embed metav1.ObjectMeta; add: metav1.ObjectMeta `json:\"metadata,omitempty\"`", what, t.Name)
	}
}

// checkType refuses a type that is no kind.
func (a *assembly) checkType(t *Type) bool {
	before := len(a.errs.all)
	switch {
	case t.IsGeneric:
		a.errs.Add(t.Pos, "+genclient stands on %s, which has type parameters; remove these, or the marker", t.Name)
		return false
	case !t.IsStruct:
		a.errs.Add(t.Pos, "+genclient stands on %s, which is not a struct; remove it, or make %s a struct with metav1.TypeMeta and metav1.ObjectMeta", t.Name, t.Name)
		return false
	}
	switch {
	case !token.IsExported(t.Name):
		a.errs.Add(t.Pos, "+genclient stands on %s, which is not exported; begin its name with a capital letter", t.Name)
	case !IsKind(t.Name):
		a.errs.Add(t.Pos, "kind %s is not one that a server takes; "+kindForm, t.Name)
	}
	a.checkMeta("kind", t)
	if !t.HasDeepCopyObject {
		a.errs.Add(t.Pos, "kind %s has no method DeepCopyObject; generate it first, with controller-gen object or deepcopy-gen", t.Name)
	}
	return len(a.errs.all) == before
}
