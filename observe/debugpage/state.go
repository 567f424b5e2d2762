package debugpage

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// State is how an informer does, in one word.
type State string

// The states, from the worst to the best.
const (
	// Failing: the cache does not follow the server, or the informer never runs.
	Failing State = "failing"
	// Attention: the cache follows the server, but something is wrong or slow.
	Attention State = "attention"
	// Starting: the informer is not started, or reads its first list.
	Starting State = "starting"
	// Healthy: the cache follows the server.
	Healthy State = "healthy"
	// Stopped: the informer has ended.
	Stopped State = "stopped"
)

var states = []State{Failing, Attention, Starting, Healthy, Stopped}

func (s State) rank() int { return slices.Index(states, s) }

// limits are the durations and numbers from which on an informer needs attention.
type limits struct {
	stale   time.Duration // without anything from the server
	listing time.Duration // of a list
	running time.Duration // of one call of a handler
	backlog int           // of a handler
	queued  int           // changes that are not in the cache yet
}

var defaultLimits = limits{stale: 3 * time.Minute, listing: time.Minute, running: 10 * time.Second, backlog: 1000, queued: 1000}

// judge returns the state of an informer, and its problems in words, the last error first.
func (l *limits) judge(i *Informer) (State, []problem) {
	failure, others := problem{text: i.failure()}, l.problems(i)
	// An informer whose handler has panicked is Degraded, and follows the server all the same.
	if i.Reason == cache.Misconfigured || i.Phase == cache.Degraded && i.Reason != cache.HandlerPanic {
		return Failing, append([]problem{failure}, others...)
	}
	var problems []problem
	if i.Error != "" || i.Phase == cache.Degraded {
		problems = append(problems, failure)
	}
	if i.Phase == cache.Stopped {
		return Stopped, problems
	}
	problems = append(problems, others...)
	switch {
	case len(problems) > 0:
		return Attention, problems
	case i.Phase == cache.Pending, i.Phase == cache.Listing:
		return Starting, nil
	}
	return Healthy, nil
}

// needsAction reports whether something is wrong with the informer, or it has to be started.
func (i *Informer) needsAction() bool {
	return len(i.Problems) > 0 || i.Error != "" || i.State == Starting && len(i.Advice) > 0
}

// failure says in words why the informer is degraded.
func (i *Informer) failure() string {
	switch {
	case i.ScopeSourceFailed:
		return "The source of the scopes has failed, so the informer keeps the scopes that it has."
	case i.Reason == cache.Misconfigured:
		return "The options have a mistake, so it never runs."
	case i.Reason == cache.HandlerPanic:
		return "A handler has panicked, and may have missed a change."
	case i.Error == "":
		return "The last request failed."
	}
	what := "request"
	if i.Verb != "" {
		what = i.Verb
	}
	text := "The last " + what + " failed"
	if meaning := meanings[i.Reason]; meaning != "" {
		text += ": " + meaning
	}
	var in []string
	for s := range i.Scopes {
		if i.Scopes[s].Error != "" {
			in = append(in, i.Scopes[s].name())
		}
	}
	switch {
	case len(in) == 1:
		text += " (in " + in[0] + ")"
	case len(in) > 1:
		text += fmt.Sprintf(" (in %d of %s)", len(in), plural(len(i.Scopes), i.scopeNoun()))
	}
	return text + "."
}

// meanings say in words what a reason means.
var meanings = map[cache.Reason]string{
	cache.Forbidden:       "the right is missing",
	cache.Unauthorized:    "the server does not accept the credentials",
	cache.NotFound:        "the server does not serve the resource",
	cache.Expired:         "the server has forgotten the resourceVersion",
	cache.TooManyRequests: "the server asks to slow down",
	cache.ServerError:     "the server failed",
	cache.Refused:         "the server rejects the request",
	cache.Redirected:      "the server redirects to another host",
	cache.Decode:          "an object or the answer cannot be decoded",
	cache.ClosedEarly:     "watches end as soon as they are open",
	cache.NoBookmark:      "the streaming list did not end",
	cache.Unreachable:     "the server did not answer, or the connection was cut",
}

// problem says what is wrong. cause is the heading of the runbook about it, and is set if the
// InformerStatus has no advice on it.
type problem struct{ text, cause string }

// remedies say what to do about the causes of problems.
var remedies = map[string]string{
	"staleness": "Events may be missing. The connection may be half open, or a proxy may hold back the data; the informer opens another watch within ten minutes. " +
		"A server other than a kube-apiserver may send no bookmarks: then this is no problem.",
	"undecodable-objects": "The cache has the last state of these objects that could be decoded, or none. Correct the objects on the server, or the Go type that they do not fit.",
	"backlog":             "The handler is slower than the objects change. Let it only add a key to a queue, or merge events that wait: cache.WithBacklogLimit.",
	"handlerpanic":        "Fix the handler; the stack is in the log. It has lost the event of each panic.",
	"queue":               "The changes arrive faster than they are stored. Make the index functions and the transform faster.",
}

// problems says in words what is wrong or slow, other than the last error.
func (l *limits) problems(i *Informer) (all []problem) {
	add := func(cause, format string, args ...any) {
		all = append(all, problem{fmt.Sprintf(format, args...), cause})
	}
	if i.Phase == cache.Listing && time.Duration(i.For) >= l.listing {
		if i.Namespaces != nil && len(i.Namespaces) == 0 { // the advice says more
			add("", "The source of the scopes has set none for %s, so no request was sent.", i.For)
		} else {
			add("", "The list is taking %s.", i.For)
		}
	}
	if (i.Phase == cache.Watching || i.Reason == cache.HandlerPanic) && l.stale > 0 && time.Duration(i.Staleness) >= l.stale {
		add("staleness", "The server has sent nothing for %s, although the watch is open.", i.Staleness)
	}
	if n := i.UndecodableCount; n > 0 {
		add("undecodable-objects", "%s cannot be decoded. The first: %s.", plural(n, "object"), i.Undecodable[0])
	}
	for h := range i.Handlers {
		handler := &i.Handlers[h]
		switch {
		case time.Duration(handler.Running) >= l.running:
			add("", "The handler %s has worked on one event for %s, and %s.", handler.Name, handler.Running, waiting(handler.Backlog-1))
		case handler.Backlog >= l.backlog:
			add("backlog", "The handler %s has a backlog: %s.", handler.Name, waiting(handler.Backlog))
		}
		if handler.Panics > 0 && i.Reason != cache.HandlerPanic {
			add("handlerpanic", "The handler %s has panicked %s.", handler.Name, times(handler.Panics))
		}
	}
	if i.Queued >= l.queued && i.Synced {
		add("queue", "%s wait to be stored in the cache.", plural(i.Queued, "change"))
	}
	return all
}

// advise adds the problems to the informer, and once for each cause what to do.
func (h *Handler) advise(i *Informer, problems []problem) {
	advised := map[string]bool{"": true}
	for _, p := range problems {
		i.Problems = append(i.Problems, p.text)
		if !advised[p.cause] {
			advised[p.cause] = true
			i.Advice = append(i.Advice, Advice{Text: remedies[p.cause], Runbook: h.runbookOf(p.cause)})
		}
	}
}

func waiting(n int) string {
	switch {
	case n <= 0:
		return "none waits"
	case n == 1:
		return "1 event waits"
	}
	return plural(n, "event") + " wait"
}

func times(n uint64) string {
	if n == 1 {
		return "once"
	}
	return number(n) + " times"
}

// rank orders scopes: those that do not follow the server are first.
func (s *Scope) rank() int {
	return slices.Index([]cache.Phase{cache.Degraded, cache.Listing, cache.Pending, cache.Stopped, cache.Watching}, s.Phase)
}

// groupResource is the resource with its group, such as deployments.apps.
func (i *Informer) groupResource() string {
	if i.Group == "" {
		return i.Resource
	}
	return i.Resource + "." + i.Group
}

// name names the scope in a sentence.
func (s *Scope) name() string {
	if s.Namespace == "" {
		return s.Label()
	}
	return "namespace " + s.Label()
}

// Label names the scope in a table.
func (s Scope) Label() string {
	label := cmp.Or(s.Namespace, "all namespaces")
	rest, isOther := strings.CutPrefix(s.Scope, "other namespaces")
	if isOther {
		label = "other namespaces"
	}
	if rest = strings.TrimSpace(strings.TrimPrefix(rest, strconv.Quote(s.Namespace))); rest != "" {
		label += " (" + rest + ")"
	}
	return label
}

// scopeNoun is what the scopes of the informer are called: namespaces, if each has one of its own.
func (i *Informer) scopeNoun() string {
	if slices.ContainsFunc(i.Scopes, func(s Scope) bool { return s.Scope != "" || s.Namespace == "" }) {
		return "scope"
	}
	return "namespace"
}
