package model

import (
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
				a.errs.Add(m.Pos, "+resourceName says no name; write +resourceName=%s, or whatever the resource of %s is called", strings.ToLower(t.Name)+"s", t.Name)
			}
			continue
		}
		if m.Is("genclient") {
			r.isKind = true
			if option := strings.TrimSpace(m.Value); m.Value != option && slices.Contains(genclient, option) {
				a.errs.Add(m.Pos, "+genclient %s is not a marker; did you mean +genclient:%s?", option, option)
			} else if m.Value != "" {
				a.errs.Add(m.Pos, "+genclient=%s is not a marker; write +genclient to generate for %s, or no marker not to", m.Value, t.Name)
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
			if method := parseMethod(m, a.errs); method != nil {
				r.methods = append(r.methods, method)
			}
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
