package healthz

import (
	"fmt"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/observe"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// Report is what Handler writes as JSON.
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

// report reads all informers.
func (c *check) report() *Report {
	report := &Report{Ready: true, Informers: []Informer{}}
	for _, read := range c.reader.Read().Informers {
		why := c.notReady(&read)
		report.Ready = report.Ready && len(why) == 0
		report.Informers = append(report.Informers, Informer{read, len(why) == 0, why})
	}
	return report
}

// notReady returns why an informer is not ready.
func (c *check) notReady(i *observe.Informer) (why []string) {
	switch {
	case i.Phase == cache.Stopped:
		return []string{"it has stopped"}
	case !i.Synced && !i.WasSynced:
		return []string{"the cache does not hold the first list"}
	}
	for h := range i.Handlers {
		if handler := &i.Handlers[h]; !handler.Synced && !handler.WasSynced {
			text := fmt.Sprintf("handler %s has not returned from its initial list, and its backlog is %s", handler.Name, human.Number(handler.Backlog))
			if time.Duration(handler.Running) >= time.Second {
				text += ", and the present call has taken " + handler.Running.String()
			}
			why = append(why, text)
		}
	}
	if lasted := notFollowing(i); c.degradedLimit > 0 && time.Duration(lasted) > c.degradedLimit {
		why = append(why, fmt.Sprintf("it has not followed the server for %s, and the limit is %s", lasted, observe.Seconds(c.degradedLimit)))
	}
	if limit := c.reader.StalenessLimit; limit > 0 && time.Duration(i.Staleness) > limit {
		why = append(why, fmt.Sprintf("the server has sent nothing for %s, and the limit is %s", i.Staleness, observe.Seconds(limit)))
	}
	return why
}

// notFollowing returns for how long an informer that has synced has not followed the server. A
// handler that has panicked leaves the phase Degraded, but the cache follows.
//
// A scope that was added later counts from its first list on: before that, it has no state that could
// be old, and a right that is missing in one new namespace would make all replicas unready. NotFollowing
// of the informer does not help then: it may have begun with such a scope.
func notFollowing(i *observe.Informer) (longest observe.Seconds) {
	switch {
	case i.WasSynced && !i.Synced:
		for s := range i.Scopes {
			if scope := &i.Scopes[s]; scope.Phase != cache.Watching && scope.ResourceVersion != "" {
				longest = max(longest, scope.For)
			}
		}
		return longest
	case i.Phase == cache.Watching, i.Reason == cache.HandlerPanic:
		return 0
	}
	return max(i.For, i.NotFollowing)
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
