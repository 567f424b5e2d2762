package observe

import (
	"cmp"
	"fmt"
	"net/url"
	"time"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// The durations and numbers from which on an informer needs attention.
const (
	maxListing = time.Minute      // of a list
	maxRunning = 10 * time.Second // of one call of a handler
	maxBacklog = 1000             // of a handler
	maxQueued  = 1000             // changes that are not in the cache yet
)

// remedies say what to do about the causes of problems on which status.Informer has no advice, by their headings in the runbook.
var remedies = map[string]string{
	"staleness": "Events may be missing. The connection may be half open, or a proxy may hold back the data; the informer opens another watch within ten minutes. " +
		"A server other than a kube-apiserver may send no bookmarks: then this is no problem.",
	"undecodable-objects": "The cache has the last state of these objects that could be decoded, or none. " +
		"Correct the objects on the server, or the Go type that they do not fit.",
	"backlog":      "The handler is slower than the objects change. Let it only add a key to a queue, or merge events that wait: cache.WithBacklogLimit.",
	"handlerpanic": "Fix the handler; the stack is in the log. It has lost the event of each panic.",
	"queue":        "The changes arrive faster than they are stored. Make the index functions and the transform faster.",
}

// judge sets the state of an informer, its problems, the last error first, and once for each cause what to do.
func (i *Informer) judge(stalenessLimit time.Duration, runbook string) {
	advised := map[string]bool{"": true}
	add := func(cause, format string, args ...any) {
		i.Problems = append(i.Problems, fmt.Sprintf(format, args...))
		if !advised[cause] {
			advised[cause] = true
			i.Advice = append(i.Advice, Advice{Text: remedies[cause], Runbook: runbookOf(runbook, cause)})
		}
	}
	// An informer whose handler has panicked is Degraded, and follows the server all the same.
	isFailing := i.Reason == status.Misconfigured || i.Phase == status.Degraded && i.Reason != status.HandlerPanic
	if isFailing || i.Error != "" || i.Phase == status.Degraded {
		add("", "%s", i.failure())
	}
	if isFailing || i.Phase != status.Stopped {
		i.addProblems(stalenessLimit, add)
	}
	switch {
	case isFailing:
		i.State = Failing
	case i.Phase == status.Stopped:
		i.State = Stopped
	case len(i.Problems) > 0:
		i.State = Attention
	case i.Phase == status.Pending, i.Phase == status.Listing:
		i.State = Starting
	default:
		i.State = Healthy
	}
}

// failure says in words why the informer is degraded.
func (i *Informer) failure() string {
	switch {
	case i.ScopesFailed:
		return "The scopes cannot be set, so the informer keeps those that it has."
	case i.Reason == status.Misconfigured:
		return "The options have a mistake, so it never runs."
	case i.Reason == status.HandlerPanic:
		return "A handler has panicked, and may have missed a change."
	}
	text, failed := "The last "+cmp.Or(i.Verb, "request")+" failed", 0
	for s := range i.Scopes {
		if i.Scopes[s].Error != "" {
			failed++
		}
	}
	if failed > 0 {
		text += fmt.Sprintf(" in %s of %s", human.Number(failed), human.Plural(len(i.Scopes), "scope"))
	}
	if i.Reason != "" {
		text += ": " + string(i.Reason)
	}
	return text + "."
}

// addProblems adds in words what is wrong or slow, other than the last error. The cause is empty if status.Informer has advice
// on it.
func (i *Informer) addProblems(stalenessLimit time.Duration, add func(cause, format string, args ...any)) {
	switch isLong := i.Phase == status.Listing && time.Duration(i.For) >= maxListing; {
	case isLong && i.Namespaces != nil && len(i.Namespaces) == 0:
		add("", "The scopes have not been set for %s, so no request was sent.", i.For)
	case isLong:
		add("", "The list is taking %s.", i.For)
	}
	if (i.Phase == status.Watching || i.Reason == status.HandlerPanic) && stalenessLimit > 0 && time.Duration(i.Staleness) >= stalenessLimit {
		add("staleness", "The server has sent nothing for %s, although the watch is open.", i.Staleness)
	}
	if n := i.UndecodableCount; n > 0 {
		first := &i.Undecodable[0]
		add("undecodable-objects", "%s cannot be decoded. The first: %s: %s.", human.Plural(n, "object"), first.Object(), first.Reason)
	}
	for h := range i.Handlers {
		handler := &i.Handlers[h]
		switch {
		case time.Duration(handler.Running) >= maxRunning:
			add("", "The handler %s has worked on one event for %s, and its backlog is %s.", handler.Name, handler.Running, human.Number(handler.Backlog))
		case handler.Backlog >= maxBacklog:
			add("backlog", "The handler %s has a backlog of %s.", handler.Name, human.Plural(handler.Backlog, "event"))
		}
		if handler.Panics > 0 && i.Reason != status.HandlerPanic {
			add("handlerpanic", "The handler %s has panicked: %s.", handler.Name, human.Plural(handler.Panics, "time"))
		}
	}
	if i.Queued >= maxQueued && i.Synced {
		add("queue", "%s wait to be stored in the cache.", human.Plural(i.Queued, "change"))
	}
}

// runbookOf returns the URL of a heading of the runbook, or "".
func runbookOf(runbook, heading string) string {
	if runbook == "" {
		return ""
	}
	return runbook + "#" + url.PathEscape(heading)
}
