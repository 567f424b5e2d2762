package model

import (
	"fmt"
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
	r := a.read(t, from)
	if !r.isKind {
		a.refuseStray(t, from)
		return nil, false
	}
	return a.readKind(t, gv, from, r), true
}

// readKind makes a kind of what its markers say. It returns nil for one with mistakes.
func (a *assembly) readKind(t *Type, gv *GroupVersion, from From, r reading) *Kind {
	before := len(a.errs.all)
	if from != FromKubebuilder {
		a.followResource(t, &r)
	}
	k := &Kind{
		GroupVersion: gv, Name: t.Name, Namespaced: r.namespaced,
		Summary: summary(t.Doc), Deprecated: deprecation(t.Doc),
		ListForm: t.List,
		Pos:      t.Pos,
	}
	if !a.checkType(t) {
		return nil
	}
	if !r.hasStatus {
		r.verbs.skip([]Verb{"updateStatus", "applyStatus"})
	}
	k.Verbs = r.verbs.of(a.possibleVerbs())
	if k.NeedsList() && !t.HasList {
		problem, fix, _ := strings.Cut(t.ListProblem, "; ")
		if from != FromKubebuilder {
			fix += ", or write +genclient:skipVerbs=list,watch,deleteCollection"
		}
		a.ignore(t.ListPos, "kind "+t.Name+" "+problem, fix, "its client has no List, Watch and DeleteCollection, and there is no informer")
		k.Verbs = slices.DeleteFunc(k.Verbs, func(v Verb) bool { return v == "list" || v == "watch" || v == "deleteCollection" })
	}
	a.Naming.name(k, r.resource)
	if !IsResource(k.Resource) {
		marker := "+resourceName="
		if from == FromKubebuilder {
			marker = "+kubebuilder:resource:path="
		}
		a.errs.Add(t.Pos, "resource %q of kind %s is not a valid name of a resource; %s", k.Resource, t.Name,
			a.advice("write "+marker+" with at most 63 lower-case letters, digits and hyphens, and a letter first", "use --plural-exceptions="+t.Name+":SomePlural, or "+a.leaveOut(t)))
	}
	a.addApply(k)
	if r.verbs.none {
		a.dropMethods(k, r.methods)
	} else {
		a.refuseUnreadable(t, r.methods)
		a.ignoring(func() { a.addMethods(t, k, r.methods) })
	}
	a.ignoring(func() { a.addFields(t, k) })
	if len(a.errs.all) > before {
		return nil
	}
	a.warnOfConstraint(t)
	return k
}

// warnOfConstraint warns of a type that is there only with build tags, without which the
// generated code does not compile.
func (a *assembly) warnOfConstraint(t *Type) {
	if t.BuildConstraint != "" {
		a.warn(t.Pos, "%s is in a file with %s, and generated files have no build constraint; build every program that imports them with these tags", t.Name, t.BuildConstraint)
	}
}

// read reads the markers of those from whom they are.
func (a *assembly) read(t *Type, from From) reading {
	if from == FromKubebuilder {
		return a.readKubebuilder(t)
	}
	return a.readGenclient(t)
}

// checkMeta refuses a type, a kind or a view as what says, without the metadata of an
// API object.
func (a *assembly) checkMeta(what string, t *Type) {
	if !t.HasTypeMeta {
		a.errs.Add(t.Pos, "%s %s does not embed metav1.TypeMeta; %s", what, t.Name, a.advice("add: metav1.TypeMeta `json:\",inline\"`", a.leaveOut(t)))
	}
	switch {
	case t.HasObjectMeta:
	case t.MissingMethod != "":
		a.errs.Add(t.Pos, "%s %s has no method %s of metav1.Object; %s", what, t.Name, t.MissingMethod,
			a.advice("write the methods that are missing, or embed: metav1.ObjectMeta `json:\"metadata,omitempty\"`", a.leaveOut(t)))
	default:
		a.errs.Add(t.Pos, "%s %s does not embed metav1.ObjectMeta; %s", what, t.Name, a.advice("add: metav1.ObjectMeta `json:\"metadata,omitempty\"`", a.leaveOut(t)))
	}
}

// leaveOut says how to go on without a type of a dependency.
func (a *assembly) leaveOut(t *Type) string {
	return "leave it out with --exclude=" + a.pkg.Path + "." + t.Name
}

// DeepCopyFix says how a type gets a method DeepCopyObject.
const DeepCopyFix = "generate it first, with controller-gen object (// +kubebuilder:object:generate=true above the package clause and // +kubebuilder:object:root=true above the type) " +
	"or deepcopy-gen (// +k8s:deepcopy-gen=package and // +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object there)"

// deepCopyFix is DeepCopyFix, or less of it if the type has the markers.
func (t *Type) deepCopyFix() string {
	switch {
	case t.isRoot():
		return "generate it first, with controller-gen object, which needs // +kubebuilder:object:generate=true above the package clause"
	case slices.ContainsFunc(t.Markers, func(m Marker) bool { return m.Is("k8s:deepcopy-gen:interfaces") }):
		return "generate it first, with deepcopy-gen"
	}
	return DeepCopyFix
}

// checkType refuses a type that is no kind.
func (a *assembly) checkType(t *Type) bool {
	before := len(a.errs.all)
	switch {
	case t.IsGeneric:
		a.errs.Add(t.Pos, "kind %s has type parameters; %s", t.Name, a.advice("remove them, or the marker", a.leaveOut(t)))
		return false
	case !t.IsStruct:
		a.errs.Add(t.Pos, "kind %s is not a struct type; %s", t.Name,
			a.advice(fmt.Sprintf("remove the marker, or make %s a struct with metav1.TypeMeta and metav1.ObjectMeta", t.Name), a.leaveOut(t)))
		return false
	}
	switch {
	case !token.IsExported(t.Name):
		a.errs.Add(t.Pos, "kind %s is not exported; %s", t.Name, a.advice("begin its name with a capital letter", a.leaveOut(t)))
	case !IsKind(t.Name):
		a.errs.Add(t.Pos, "kind %s does not have a valid name; %s", t.Name, a.advice(kindForm, a.leaveOut(t)))
	}
	a.checkMeta("kind", t)
	if !t.HasDeepCopyObject {
		a.errs.Add(t.Pos, "kind %s has no method DeepCopyObject; %s", t.Name, a.advice(t.deepCopyFix(), a.leaveOut(t)))
	}
	return len(a.errs.all) == before
}
