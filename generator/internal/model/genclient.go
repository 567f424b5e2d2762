package model

import (
	"fmt"
	"slices"
	"strings"
)

// genclient are the options of +genclient that this generator knows.
var genclient = []string{
	"nonNamespaced", "noStatus", "noVerbs", "onlyVerbs", "skipVerbs", "readonly", "method",
}

// readGenclient reads the markers of code-generator.
func (a *assembly) readGenclient(t *Type) reading {
	r := reading{namespaced: true, hasStatus: t.HasStatus}
	for _, m := range t.Markers {
		if m.Is("resourceName") {
			if r.resource = m.Value; r.resource == "" {
				a.ignore(m.Pos, "+resourceName has no value", fmt.Sprintf("write the name of the resource, such as +resourceName=%ss, or remove the marker", strings.ToLower(t.Name)), ignored)
			}
			continue
		}
		if m.Is("genclient") {
			r.isKind = m.Value != "false"
			if option := strings.TrimSpace(m.Value); m.Value != option && slices.Contains(genclient, option) {
				a.ignore(m.Pos, fmt.Sprintf("+genclient %s is not a marker", option), fmt.Sprintf("did you mean +genclient:%s?", option), "it is read as +genclient")
			} else if m.Value != "" {
				done := map[bool]string{true: "it is read as +genclient", false: ignored}[r.isKind]
				a.ignore(m.Pos, fmt.Sprintf("+genclient=%s is not a marker", m.Value), fmt.Sprintf("write +genclient, or remove the marker to generate nothing for %s", t.Name), done)
			}
			continue
		}
		option, ok := strings.CutPrefix(m.Name, "genclient:")
		if !ok {
			continue // of kubebuilder, or on a field
		}
		switch option {
		case "nonNamespaced":
			r.namespaced = false
		case "noStatus":
			r.hasStatus = false
		case "noVerbs":
			r.verbs.none = true
		case "readonly":
			r.verbs.keep(ReadOnlyVerbs)
		case "onlyVerbs":
			r.verbs.keep(a.verbs(m))
		case "skipVerbs":
			r.verbs.skip(a.verbs(m))
		case "method":
			a.ignoring(func() {
				if method := parseMethod(m, a.errs); method != nil {
					r.methods = append(r.methods, method)
				}
			})
		default:
			a.refuseUnknown(m)
		}
	}
	return r
}

// verbs reads the value of onlyVerbs and skipVerbs.
func (a *assembly) verbs(m Marker) []Verb {
	var verbs []Verb
	known := slices.Concat(Verbs, ApplyVerbs)
	for _, word := range strings.Split(m.Value, ",") {
		verb := Verb(strings.TrimSpace(word))
		if !slices.Contains(known, verb) {
			a.ignore(m.Pos, fmt.Sprintf("+%s: unknown verb %q", m.Name, verb), meantOneOf(string(verb), known, ""), "the verb is ignored")
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
