package decide

import (
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// verbSet holds the verbs that the markers of a kind keep or skip. Without only, all are kept.
type verbSet struct {
	none          bool
	only, skipped []model.Verb
}

// of returns the verbs of all that are left.
func (s *verbSet) of(all []model.Verb) []model.Verb {
	if s.none {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(v model.Verb) bool {
		return s.only != nil && !slices.Contains(s.only, v) || slices.Contains(s.skipped, v)
	})
}

// possibleVerbs returns the verbs of a kind without a marker that restricts them.
func (a *assembly) possibleVerbs() []model.Verb {
	verbs := slices.Clone(model.Verbs)
	if !a.Library.HasDeleteWithResult {
		verbs = slices.DeleteFunc(verbs, func(v model.Verb) bool { return v == model.DeleteWithResult })
	}
	if a.ApplyPackage != "" {
		verbs = append(verbs, model.ApplyVerbs...)
	}
	return verbs
}
