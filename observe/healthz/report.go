package healthz

import (
	"fmt"
	"strings"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/observe"
)

// Report is the JSON that Handler writes.
type Report struct {
	Ready bool `json:"ready"`
	// Informers has the informers in the order of the sources.
	Informers []Informer `json:"informers"`
}

// Informer is an informer with its readiness.
type Informer struct {
	observe.Informer
	Ready bool `json:"ready"`
	// NotReady has a sentence for each reason why it is not ready.
	NotReady []string `json:"not_ready,omitempty"`
}

// The numbers of informers that a text shows without verbose.
const (
	maxFailing  = 100
	maxReady    = 20
	maxInErrors = 20
)

// summary returns the first line of a text.
func (r *Report) summary() string {
	failing := 0
	for i := range r.Informers {
		if !r.Informers[i].Ready {
			failing++
		}
	}
	all := human.Plural(len(r.Informers), "informer")
	switch {
	case len(r.Informers) == 0:
		return "ready: there are no informers\n"
	case failing > 0:
		return fmt.Sprintf("not ready: %s of %s\n", human.Number(failing), all)
	}
	return "ready: " + all + "\n"
}

// lines describes at most limit of the informers that are ready, or that are not. hint says where the others are. Advice that
// several need is there once.
func (r *Report) lines(ready bool, limit int, hint string) string {
	var text strings.Builder
	mark, advised, shown, more := "[-]", map[string]string{}, 0, 0
	if ready {
		mark = "[+]"
	}
	for n := range r.Informers {
		i := &r.Informers[n]
		switch {
		case i.Ready != ready:
			continue
		case shown == limit:
			more++
			continue
		}
		shown++
		fmt.Fprintf(&text, "%s %s: %s\n", mark, i.Label, strings.Join(append([]string{i.Status}, i.NotReady...), "; "))
		for a := range i.Advice {
			advice := &i.Advice[a]
			if first, known := advised[advice.Text]; known {
				fmt.Fprintf(&text, "    As for %s.\n", first)
				continue
			}
			advised[advice.Text] = i.Label
			fmt.Fprintf(&text, "    %s\n", advice.Text)
			for line := range strings.Lines(advice.Manifest) {
				fmt.Fprintf(&text, "        %s\n", strings.TrimSuffix(line, "\n"))
			}
			if advice.Check != "" {
				fmt.Fprintf(&text, "    Check: %s\n", advice.Check)
			}
		}
	}
	if more > 0 {
		fmt.Fprintf(&text, "%s and %s more%s\n", mark, human.Number(more), hint)
	}
	return text.String()
}
