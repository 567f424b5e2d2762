package decide

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// kind decides on t, and reports whether it is a kind. It returns nil for a kind with
// errors.
func (a *assembly) kind(t *input.Type, p *model.Package, from input.From) (_ *model.Kind, isKind bool) {
	r := a.read(t, from)
	if !r.isKind {
		a.refuseStray(t, from)
		return nil, false
	}
	return a.readKind(t, p, from, r), true
}

// readKind makes a kind from its type and markers. It returns nil for a kind with errors.
func (a *assembly) readKind(t *input.Type, p *model.Package, from input.From, r reading) *model.Kind {
	before := a.errs.Len()
	if from != input.FromKubebuilder {
		a.followResource(t, &r)
	}
	k := &model.Kind{
		Package: p, Name: t.Name, Namespaced: r.namespaced,
		Summary: summary(t.Doc), Deprecated: deprecation(t.Doc),
		ListForm: t.List,
		Protobuf: a.prefersProtobuf(t),
		Pos:      t.Pos,
	}
	if !a.checkType("kind", t, t.Pos) {
		return nil
	}
	if !r.hasStatus {
		r.verbs.skipped = append(r.verbs.skipped, "updateStatus", "applyStatus")
	}
	k.Verbs = r.verbs.of(a.possibleVerbs())
	if status := t.MisnamedStatus; status != nil && r.hasStatus {
		problem, fix, _ := strings.Cut(status.Problem, "; ")
		if from != input.FromKubebuilder {
			fix += ", or add +genclient:noStatus"
		}
		a.refuseOrWarn(status.Pos, "kind "+t.Name+" "+problem, fix, "do not use UpdateStatus")
	}
	switch isOwn := !a.pkg.Dependency; {
	case !k.NeedsList() || t.HasList:
	case isOwn && t.ListLacksCopy && !t.HasDeepCopyObject: // the generator of the deep copy of the kind writes the one of the list
	default:
		problem, fix, _ := strings.Cut(t.ListProblem, "; ")
		if a.DeepCopy && strings.HasPrefix(fix, input.CopyFix) {
			fix = a.copyFix(t.ListAliasOf)
		}
		fix = a.withoutFlags(fix)
		if from != input.FromKubebuilder {
			fix += ", or write +genclient:skipVerbs=list,watch,deleteCollection"
		}
		a.refuseOrWarn(t.ListPos, "kind "+t.Name+" "+problem, fix, "its client has no List, Watch and DeleteCollection, and there is no informer")
		if !isOwn {
			k.Verbs = slices.DeleteFunc(k.Verbs, func(v model.Verb) bool { return v == "list" || v == "watch" || v == "deleteCollection" })
		} // otherwise the checks go on as if the list type was there
	}
	a.naming.name(k, r.resource)
	if !model.IsLabel(k.Resource) {
		marker := "+resourceName="
		if from == input.FromKubebuilder {
			marker = "+kubebuilder:resource:path="
		}
		fix := ""
		if r.resource == "" { // otherwise the plural has no effect on it
			fix = "use --plural-exceptions=" + t.Name + ":SomePlural, or "
		}
		a.errs.Add(t.Pos, "resource %q of kind %s is not a valid name of a resource; %s", k.Resource, t.Name,
			a.advice("write "+marker+" with at most 63 lower-case letters, digits and hyphens, and a letter first",
				fix+a.leaveOut(t)))
	}
	a.addApply(k)
	var scale *scaleMarker
	a.ignoring(func() { scale = a.scale(t) })
	if r.verbs.none {
		for _, m := range r.methods {
			a.warn(m.Pos, "method %s has no effect, because kind %s has +genclient:noVerbs; remove one of the markers", m.Name, k.Name)
		}
	} else {
		a.refuseUnreadable(t, r.methods)
		a.ignoring(func() { a.addMethods(t, k, r.methods) })
	}
	if !a.ClientGo {
		k.Methods = append(k.Methods, scale.methods(k, r.methods)...)
	}
	a.ignoring(func() { a.addFields(t, k) })
	k.Served = served(t, k, r.hasStatus, scale)
	if a.errs.Len() > before {
		a.faulty[k.Package.Path] = append(a.faulty[k.Package.Path], k)
		return nil
	}
	a.warnOfConstraint(t)
	return k
}

// warnOfConstraint warns of a type that only some builds have. The generated code does not compile in the others.
func (a *assembly) warnOfConstraint(t *input.Type) {
	if t.BuildConstraint != "" {
		a.warn(t.Pos, "%s is in a file with %s, and generated clients and informers have no build constraint; "+
			"build every program that imports them so that the constraint is met", t.Name, t.BuildConstraint)
	}
}

// checkType refuses a type that cannot be a kind or a view. It reports whether the type can be one. what
// is "kind" or "view", and marker is the position of errors about the declaration.
func (a *assembly) checkType(what string, t *input.Type, marker token.Position) bool {
	before := a.errs.Len()
	fail := func(pos token.Position, problem, fix string) {
		a.errs.Add(pos, "%s %s %s; %s", what, t.Name, problem, a.advice(fix, a.leaveOut(t)))
	}
	const objectMeta = "metav1.ObjectMeta `json:\"metadata,omitempty\"`"
	switch {
	case t.IsGeneric:
		fail(marker, "has type parameters", "remove them, or the marker")
		return false
	case !t.IsStruct:
		fix := "remove the marker, or make " + t.Name + " a struct with metav1.TypeMeta and metav1.ObjectMeta"
		if what == "view" {
			fix += ", and with some fields of its kind"
		}
		fail(marker, "is not a struct type", fix)
		return false
	case !token.IsExported(t.Name):
		fail(marker, "is not exported", "begin its name with a capital letter")
	case what == "kind" && !model.IsKind(t.Name):
		fail(marker, "does not have a valid name", "rename the type: at most 63 ASCII letters and digits, and a letter first")
	}
	if !t.HasTypeMeta {
		fail(t.Pos, "does not embed metav1.TypeMeta", "add: metav1.TypeMeta `json:\",inline\"`")
	}
	if !t.HasObjectMeta && t.MissingMethod != "" {
		fail(t.Pos, "has no method "+t.MissingMethod+" of metav1.Object", "write the methods that are missing, or embed: "+objectMeta)
	} else if !t.HasObjectMeta {
		fail(t.Pos, "does not embed metav1.ObjectMeta", "add: "+objectMeta)
	}
	if t.Misnamed != nil {
		problem, fix, _ := strings.Cut(t.Misnamed.Problem, "; ")
		fail(t.Misnamed.Pos, problem, fix)
	}
	fits := a.errs.Len() == before
	if !t.HasDeepCopyObject { // a flag may end it, so the checks go on, to find mistakes that need another flag
		fix := input.DeepCopyFix
		if isRoot(t) {
			fix = input.CopyFix + "generate it first, with controller-gen object, which needs // +kubebuilder:object:generate=true " +
				"above the package clause"
		}
		fix = a.withoutFlags(fix)
		if a.DeepCopy {
			fix = a.copyFix(t.AliasOf)
		}
		if what == "view" {
			fix = "write it, or " + fix
		}
		fail(t.Pos, "has no method DeepCopyObject", fix)
	}
	return fits
}

// copyFix returns how a kind or its list gets a method DeepCopyObject if --deepcopy does not write it, because it is an
// alias of an instance of a generic type, or of a type of a package to which this run does not write.
func (a *assembly) copyFix(of model.TypeRef) string {
	name, _, isInstance := strings.Cut(of.Name, "[")
	fix := fmt.Sprintf("write it for type %s of package %s", name, of.Path)
	switch {
	case of.IsZero():
		return "write it"
	case !isInstance && a.described(of.Path) == nil:
		return fix + ", or name that package too if it is of this module"
	}
	return fix
}

// checkKinds refuses two kinds with one name on the wire or in Go. In a dependency it leaves one out, with a warning. The kinds of gv are in earlier packages.
func (a *assembly) checkKinds(kinds []*model.Kind, gv *model.GroupVersion) {
	resourceMarker := "+resourceName="
	if a.from(a.pkg) == input.FromKubebuilder {
		resourceMarker = "+kubebuilder:resource:path="
	}
	resources, plurals, files := map[string]*model.Kind{}, map[string]*model.Kind{}, map[string]*model.Kind{}
	add := func(k *model.Kind) {
		plurals[k.Plural], files[k.File] = k, k
		if k.View == nil {
			resources[k.Resource] = k
		}
	}
	for _, k := range gv.Informed() {
		add(k)
	}
	sortKinds(kinds)
	for _, k := range kinds {
		leaveOut := "leave one out with --exclude=" + k.Package.Path + "." + k.Name
		sameFile, samePlural, sameResource := files[k.File], plurals[k.Plural], resources[k.Resource]
		if slices.Contains(a.naming.reserved.Plural, k.Plural) {
			a.errs.Add(k.Pos, "kind %s has the plural %s, and its client or lister has another method of that name; "+
				"use --plural-exceptions=%s:SomePlural", k.Name, k.Plural, k.Name)
		}
		isDerived := k.Resource == a.naming.resourceOf(k.Name, "")
		switch { // one name follows from another, so only the first is reported
		case sameFile != nil && sameFile.Name == k.Name:
			a.errs.Add(k.Pos, "%s is declared here and at %s, in two packages of version %s of group %q, which has one client; %s",
				k.Name, sameFile.Pos, gv.Version, gv.Group.Name,
				a.advice("rename one of them, or "+leaveOut, leaveOut))
			continue
		case sameFile != nil:
			a.errs.Add(k.Pos, "kinds %s and %s (%s) differ only in case, so their files would have the same name; %s", k.Name,
				sameFile.Name, sameFile.Pos, a.advice("rename one of them", leaveOut))
		case samePlural != nil:
			a.errs.Add(k.Pos, "kinds %s and %s (%s) have the same plural, %s; use --plural-exceptions=%s:SomePlural", k.Name,
				samePlural.Name, samePlural.Pos, k.Plural, k.Name)
		}
		if sameResource != nil && k.View == nil && sameResource != sameFile && !(isDerived && sameResource == samePlural) {
			problem := fmt.Sprintf("kinds %s and %s (%s) have the same resource, %q", k.Name, sameResource.Name, sameResource.Pos, k.Resource)
			marker := "give one of them " + resourceMarker + "…"
			if sameResource.Package != k.Package {
				a.errs.Add(k.Pos, "%s; %s", problem, a.advice(marker, leaveOut))
			} else {
				a.refuseOrWarn(k.Pos, problem, marker, fmt.Sprintf("ForResource returns the informer of %s, "+
					"unless --exclude=%s.%s leaves that kind out", sameResource.Name, a.pkg.Path, sameResource.Name))
			}
		}
		add(k)
	}
}

func sortKinds(kinds []*model.Kind) {
	slices.SortFunc(kinds, func(x, y *model.Kind) int { return strings.Compare(x.Private, y.Private) })
}
