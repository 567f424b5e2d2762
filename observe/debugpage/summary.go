package debugpage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// add counts an informer.
func (s *Summary) add(i *Informer) {
	s.Informers++
	s.Objects += i.Objects
	s.ObjectBytes += i.ObjectBytes
	*map[State]*int{Failing: &s.Failing, Attention: &s.Attention, Starting: &s.Starting, Healthy: &s.Healthy, Stopped: &s.Stopped}[i.State]++
}

// maxNamed is the number of informers, or of namespaces, up to which a text names them.
const maxNamed = 3

// phrases say how informers of a state do: of all of them, of one of several, and of many.
var phrases = map[State]struct{ one, many string }{
	Failing:   {"does not follow the server", "do not follow the server"},
	Attention: {"needs attention", "need attention"},
	Starting:  {"is starting", "are starting"},
	Healthy:   {"follows the server", "follow the server"},
	Stopped:   {"has stopped", "have stopped"},
}

// summarize says in words which informers follow the server: the worst two states.
func summarize(all []Informer) string {
	if len(all) == 0 {
		return "There are no informers yet."
	}
	of := map[State][]*Informer{}
	for i := range all {
		of[all[i].State] = append(of[all[i].State], &all[i])
	}
	var present []State
	for _, state := range states {
		if len(of[state]) > 0 {
			present = append(present, state)
		}
	}
	worst := present[0]
	phrase := func(state State) string {
		if len(of[state]) == 1 {
			return phrases[state].one + reasons(of[state])
		}
		return phrases[state].many + reasons(of[state])
	}
	switch {
	case len(all) == 1:
		return "The informer " + phrase(worst) + "."
	case len(present) == 1 && worst == Failing: // "All do not" could mean that some do
		return "None of the " + number(len(all)) + " informers follows the server" + reasons(of[worst]) + "."
	case len(present) == 1:
		return "All " + number(len(all)) + " informers " + phrase(worst) + "."
	}
	text := fmt.Sprintf("%s of %s informers %s", number(len(of[worst])), number(len(all)), phrase(worst))
	sick := of[worst]
	switch {
	case worst == Failing && len(of[Attention]) > 0:
		text += fmt.Sprintf(", and %s %s", number(len(of[Attention])), phrase(Attention))
		sick = slices.Concat(sick, of[Attention])
	case worst == Healthy: // the others have stopped
		text += fmt.Sprintf(", and %s %s", number(len(of[Stopped])), phrase(Stopped))
	}
	if worst.rank() <= Attention.rank() && len(sick) <= maxNamed {
		var names []string
		for _, i := range sick {
			names = append(names, i.displayName())
		}
		text += ": " + strings.Join(names, ", ")
	}
	return text + "."
}

// reasons has the reasons of informers in parentheses, the most frequent one first, with their
// numbers if there are several. It is empty if no informer has a reason.
func reasons(of []*Informer) string {
	counts := map[cache.Reason]int{}
	for _, i := range of {
		if i.State == Failing && i.Reason != "" {
			counts[i.Reason]++
		}
	}
	all := slices.SortedFunc(maps.Keys(counts), func(a, b cache.Reason) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	switch {
	case len(all) == 0:
		return ""
	case len(all) == 1:
		return " (" + string(all[0]) + ")"
	}
	var parts []string
	for n, reason := range all {
		if n == maxNamed {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, number(counts[reason])+" "+string(reason))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// commonName returns the name that all informers have, such as that of the only factory. It is
// empty if their names differ.
func commonName(all []Informer) string {
	if len(all) == 0 || slices.ContainsFunc(all, func(i Informer) bool { return i.Name != all[0].Name }) {
		return ""
	}
	return all[0].Name
}

// maxDisplayName is the number of bytes of the name of an informer, and of its resource.
const maxDisplayName = 60

// displayName is the resource with its group, after the name of the informer if the informers of
// the page have several names.
func (i *Informer) displayName() string {
	resource := clean(i.groupResource(), maxDisplayName)
	if i.qualified && i.Name != "" {
		return clean(i.Name, maxDisplayName) + "/" + resource
	}
	return resource
}

// SubName returns the name for the line below that of the resource; empty if it is the title.
func (i *Informer) SubName() string {
	if i.titled {
		return ""
	}
	return i.Name
}

// Attempting reports whether the failed request is retried at the moment. A server that does not
// answer leaves it like that for long.
func (c *Condition) Attempting() bool {
	return c.Phase == cache.Degraded && c.Verb != "" && c.NextAttempt == 0
}
