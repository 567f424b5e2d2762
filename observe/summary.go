package observe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// maxNamed is the number of informers, or of reasons, up to which a text names them.
const maxNamed = 3

// label sets the label of each informer: the resource, with the name of the informer if they have several names, and the namespaces.
// Informers that have the same are told apart by the version, the Go type and the server. It returns the name that all have.
func label(all []Informer) (name string) {
	if len(all) > 0 {
		name = all[0].Name
	}
	qualified := slices.ContainsFunc(all, func(i Informer) bool { return i.Name != name })
	times := map[string]int{}
	for n := range all {
		i := &all[n]
		i.Label = cmp.Or(i.GroupResource(), i.Object)
		if qualified && i.Name != "" {
			i.Label = i.Name + "/" + i.Label
		}
		if where := i.Where(); where != "" {
			i.Label += " in " + where
		}
		times[i.Label]++
	}
	for n := range all {
		if i := &all[n]; times[i.Label] > 1 {
			rest := slices.DeleteFunc([]string{i.Version, i.Object, i.Server}, func(part string) bool { return part == "" })
			i.Label += " (" + strings.Join(rest, ", ") + ")"
		}
	}
	if qualified {
		return ""
	}
	return name
}

// Of returns the number of informers in a state.
func (s *Summary) Of(state State) int { return *s.of(state) }

func (s *Summary) of(state State) *int {
	switch state {
	case Failing:
		return &s.Failing
	case Attention:
		return &s.Attention
	case Starting:
		return &s.Starting
	case Healthy:
		return &s.Healthy
	}
	return &s.Stopped
}

// Worst is the worst state of an informer.
func (s *Summary) Worst() State {
	for _, state := range States() {
		if s.Of(state) > 0 {
			return state
		}
	}
	return Starting
}

func summaryOf(all []Informer) Summary {
	s := Summary{Informers: len(all)}
	for i := range all {
		s.Objects += all[i].Objects
		s.ObjectBytes += all[i].ObjectBytes
		*s.of(all[i].State)++
	}
	s.Text = s.text(all)
	return s
}

// phrases say how informers of a state do: of one, and of several.
var phrases = map[State][2]string{
	Failing:   {"does not follow the server", "do not follow the server"},
	Attention: {"needs attention", "need attention"},
	Starting:  {"is starting", "are starting"},
	Healthy:   {"follows the server", "follow the server"},
	Stopped:   {"has stopped", "have stopped"},
}

// text says in words how many informers are in the worst state, why, and which.
func (s *Summary) text(all []Informer) string {
	if len(all) == 0 {
		return "There are no informers yet."
	}
	worst := s.Worst()
	var names []string
	reasons := map[status.Reason]int{}
	for i := range all {
		if all[i].State == worst {
			names = append(names, all[i].Label)
			reasons[all[i].Reason]++
		}
	}
	phrase := phrases[worst][min(len(names), 2)-1]
	text := fmt.Sprintf("%s of %s %s", human.Number(len(names)), human.Plural(len(all), "informer"), phrase)
	if worst == Failing {
		text += textOf(reasons)
	}
	if (worst == Failing || worst == Attention) && len(names) <= maxNamed {
		text += ": " + strings.Join(names, ", ")
	}
	return text + "."
}

// textOf has the reasons in parentheses, the most frequent one first, with their numbers if there are several.
func textOf(counts map[status.Reason]int) string {
	delete(counts, "")
	all := slices.SortedFunc(maps.Keys(counts), func(a, b status.Reason) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var parts []string
	for n, reason := range all {
		switch {
		case len(all) == 1:
			parts = append(parts, string(reason))
		case n < maxNamed:
			parts = append(parts, human.Number(counts[reason])+" "+string(reason))
		case n == maxNamed:
			parts = append(parts, "…")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
