package model

import (
	"go/token"
	"slices"
	"strings"
)

// genclient are the options of +genclient that this generator knows.
var genclient = []string{
	"nonNamespaced", "noStatus", "noVerbs", "onlyVerbs", "skipVerbs", "readonly", "method",
}

// kind reads the markers of t, and says whether it is a kind. It returns nil for
// one with mistakes.
func (a *assembly) kind(t *Type, gv *GroupVersion) (_ *Kind, isKind bool) {
	k := &Kind{GroupVersion: gv, Name: t.Name, Namespaced: true, Summary: summary(t.Doc), Pos: t.Pos}
	before := len(a.errs.all)
	noStatus, resource := !t.HasStatus, ""
	verbs := verbSet{}
	var lonely *Marker
	for _, m := range t.Markers {
		if meant := Misspelt(m.Name); meant != "" {
			a.errs.Add(m.Pos, "unknown marker +%s; did you mean +%s?", m.Name, meant)
			continue
		}
		if m.Is("resourceName") {
			if resource = m.Value; resource == "" {
				a.errs.Add(m.Pos, "+resourceName says no name; write +resourceName=%s, or whatever the resource of %s is called", strings.ToLower(t.Name)+"s", t.Name)
			}
			continue
		}
		if m.Is("genclient") {
			isKind = true
			if option := strings.TrimSpace(m.Value); m.Value != option && slices.Contains(genclient, option) {
				a.errs.Add(m.Pos, "+genclient %s is not a marker; did you mean +genclient:%s?", option, option)
			} else if m.Value != "" {
				a.errs.Add(m.Pos, "+genclient=%s is not a marker; write +genclient to generate for %s, or no marker not to", m.Value, t.Name)
			}
			continue
		}
		option, ok := strings.CutPrefix(m.Name, "genclient:")
		if !ok {
			continue // of kubebuilder, for checkResource
		}
		lonely = &m
		switch option {
		case "nonNamespaced":
			k.Namespaced = false
		case "noStatus":
			noStatus = true
		case "noVerbs":
			verbs.none = true
		case "readonly":
			verbs.keep(ReadOnlyVerbs)
		case "onlyVerbs":
			verbs.keep(a.verbs(m))
		case "skipVerbs":
			verbs.skip(a.verbs(m))
		case "method":
			a.warnings = append(a.warnings, Errorf(m.Pos, "methods for subresources are not generated yet: +%s=%s has no effect", m.Name, m.Value))
		default:
			a.errs.Add(m.Pos, "unknown marker +%s%s", m.Name, didYouMean(option, genclient, "+genclient:"))
		}
	}
	if !isKind {
		if lonely != nil {
			a.errs.Add(lonely.Pos, "+%s has no effect without +genclient; add // +genclient above type %s", lonely.Name, t.Name)
		}
		return nil, false
	}
	if !a.checkType(t) || len(a.errs.all) > before {
		return nil, true
	}
	if noStatus {
		verbs.skip([]Verb{"updateStatus"})
	}
	k.Verbs = verbs.of(Verbs)
	if k.NeedsList() && !t.HasList {
		a.errs.Add(t.ListPos, "kind %s %s; add it, or write +genclient:skipVerbs=list,watch,deleteCollection", t.Name, t.ListProblem)
		return nil, true
	}
	a.naming.name(k, resource)
	if !resourcePattern.MatchString(k.Resource) {
		a.errs.Add(t.Pos, "resource %q of kind %s is not one that a server takes; write +resourceName= with lower-case letters, digits and hyphens", k.Resource, t.Name)
		return nil, true
	}
	a.checkResource(t, k)
	return k, true
}

// checkResource refuses a kind of which controller-gen makes another CRD than the
// one that its client would talk to.
func (a *assembly) checkResource(t *Type, k *Kind) {
	for _, m := range t.Markers {
		first, ok := strings.CutPrefix(m.Name, "kubebuilder:resource:")
		if !ok {
			continue
		}
		for _, field := range strings.Split(first+"="+m.Value, ",") {
			switch name, value, _ := strings.Cut(field, "="); {
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
	if !token.IsExported(t.Name) {
		a.errs.Add(t.Pos, "+genclient stands on %s, which is not exported; begin its name with a capital letter", t.Name)
	}
	if !t.HasTypeMeta {
		a.errs.Add(t.Pos, "kind %s does not embed metav1.TypeMeta; add: metav1.TypeMeta `json:\",inline\"`", t.Name)
	}
	if !t.HasObjectMeta {
		a.errs.Add(t.Pos, "kind %s does not embed metav1.ObjectMeta; add: metav1.ObjectMeta `json:\"metadata,omitempty\"`", t.Name)
	}
	if !t.HasDeepCopyObject {
		a.errs.Add(t.Pos, "kind %s has no method DeepCopyObject; generate it first, with controller-gen object or deepcopy-gen", t.Name)
	}
	return len(a.errs.all) == before
}

// verbs reads the value of onlyVerbs and skipVerbs.
func (a *assembly) verbs(m Marker) []Verb {
	var verbs []Verb
	known := slices.Concat(Verbs, ApplyVerbs)
	for _, word := range strings.Split(m.Value, ",") {
		verb := Verb(strings.TrimSpace(word))
		if !slices.Contains(known, verb) {
			a.errs.Add(m.Pos, "+%s: unknown verb %q%s", m.Name, verb, didYouMean(string(verb), known, ""))
			continue
		}
		verbs = append(verbs, verb)
	}
	return verbs
}

// verbSet is what the markers of a kind leave of the verbs.
type verbSet struct {
	none          bool
	only, skipped []Verb
}

func (s *verbSet) keep(verbs []Verb) { s.only = append(s.only, verbs...) }

func (s *verbSet) skip(verbs []Verb) { s.skipped = append(s.skipped, verbs...) }

func (s *verbSet) of(all []Verb) []Verb {
	if s.none {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(v Verb) bool {
		return s.only != nil && !slices.Contains(s.only, v) || slices.Contains(s.skipped, v)
	})
}
