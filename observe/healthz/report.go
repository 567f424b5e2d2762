package healthz

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/observe/internal/redact"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// Report is what Handler writes as JSON.
type Report struct {
	Ready bool `json:"ready"`
	// Informers has the informers in the order of the sources.
	Informers []Informer `json:"informers"`
}

// Informer is the readiness of one informer.
type Informer struct {
	// Label names it among the informers of the report: the resource, with what tells it from others.
	Label string `json:"label"`
	Ready bool   `json:"ready"`
	// Status is its cache.Status in one line.
	Status string `json:"status"`
	// Problems has a sentence for each reason why it is not ready.
	Problems []string `json:"problems,omitempty"`
	// Advice is what to do about it. An informer that fails and is ready has some too.
	Advice []Advice `json:"advice,omitempty"`

	// The fields below are those of cache.InformerStatus.
	Name       string       `json:"name,omitempty"`
	Group      string       `json:"group"`
	Version    string       `json:"version"`
	Resource   string       `json:"resource"`
	Namespaces []string     `json:"namespaces,omitzero"`
	Phase      cache.Phase  `json:"phase"`
	Reason     cache.Reason `json:"reason,omitempty"`
	Since      time.Time    `json:"since,omitzero"`
	Synced     bool         `json:"synced"`
	// StalenessSeconds is Stats.Staleness.
	StalenessSeconds float64 `json:"staleness_seconds"`
}

// Advice is a cache.Advice.
type Advice struct {
	Reason     cache.Reason `json:"reason,omitempty"`
	Namespaces []string     `json:"namespaces,omitempty"`
	Text       string       `json:"text"`
	Manifest   string       `json:"manifest,omitempty"`
	Check      string       `json:"check,omitempty"`
	// Runbook is the heading of docs/observability.md about the reason.
	Runbook string `json:"runbook,omitempty"`

	line string // the text and the manifest in one line
}

// Readiness returns a check that fails while an informer of the source is not ready. The error has
// a line for each, with the reason and what to do. The check fits AddReadyzCheck of
// controller-runtime, and calls of other libraries that take such a function. It does not use the
// request, which may be nil.
func Readiness(source cache.StatusSource, set ...Option) func(*http.Request) error {
	o := newOptions(source, set)
	return func(*http.Request) error {
		if report := o.report(); !report.Ready {
			return &NotReadyError{report}
		}
		return nil
	}
}

// NotReadyError is returned by the function of Readiness.
type NotReadyError struct{ Report Report }

// maxErrorLines is the number of informers that an error describes.
const maxErrorLines = 20

// Error has a line for each informer that is not ready, and says how many are left out.
func (e *NotReadyError) Error() string {
	text := summary(&e.Report)
	shown, more := 0, 0
	for i := range e.Report.Informers {
		informer := &e.Report.Informers[i]
		if informer.Ready {
			continue
		}
		if shown++; shown > maxErrorLines {
			more++
			continue
		}
		text += "\n\t" + informer.line()
		for _, a := range informer.Advice {
			text += ". " + a.line
		}
	}
	if more > 0 {
		text += fmt.Sprintf("\n\tand %d more", more)
	}
	return text
}

// report reads all informers.
func (o *options) report() Report {
	report := Report{Ready: true, Informers: []Informer{}}
	var labels labels
	for _, source := range o.sources {
		for status := range source.Statuses() {
			informer := o.informer(&status)
			report.Ready = report.Ready && informer.Ready
			labels.add(&status)
			report.Informers = append(report.Informers, informer)
		}
	}
	for i, label := range labels.distinct() {
		report.Informers[i].Label = label
	}
	return report
}

// informer returns all but the label.
func (o *options) informer(s *cache.InformerStatus) Informer {
	informer := Informer{
		Status:           printable.Text(redacted(*s).String()),
		Problems:         o.problems(s),
		Name:             s.Name,
		Group:            s.Resource.Group,
		Version:          s.Resource.Version,
		Resource:         s.Resource.Resource,
		Namespaces:       s.Namespaces,
		Phase:            s.Status.Phase,
		Reason:           s.Status.Reason,
		Since:            s.Status.Since,
		Synced:           s.Stats.Synced,
		StalenessSeconds: s.Stats.Staleness.Seconds(),
	}
	informer.Ready = len(informer.Problems) == 0
	for _, a := range s.Advice() {
		informer.Advice = append(informer.Advice, Advice{a.Reason, a.Namespaces, a.Text, a.Manifest, a.Check, a.Runbook(), a.String()})
	}
	return informer
}

// redacted returns a status whose text has none of an object, because anyone who reaches the port of
// the probe can read it.
func redacted(s cache.InformerStatus) *cache.InformerStatus {
	status := &s.Status
	if status.Err != nil {
		status.Err = &redactedError{redact.Error(status.Reason, status.Err), status.Err}
	}
	if n := len(status.Undecodable); n > 0 { // the text has the number, and the first one
		status.Undecodable = append([]*cache.DecodeError{redact.Undecodable(status.Undecodable[0])}, status.Undecodable[1:]...)
	}
	return &s
}

// redactedError has the text of another error without that of an object.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.err }

// problems returns why an informer is not ready.
func (o *options) problems(s *cache.InformerStatus) (problems []string) {
	if s.Status.Phase == cache.Stopped {
		return []string{"it has stopped"}
	}
	if !s.Stats.Synced && !s.Stats.WasSynced {
		return []string{"the cache does not hold the first list"}
	}
	for i := range s.Stats.Handlers {
		if h := &s.Stats.Handlers[i]; !h.Synced && !h.WasSynced {
			problems = append(problems, handlerProblem(h))
		}
	}
	if lasted := notFollowing(s); o.degradedLimit > 0 && lasted > o.degradedLimit {
		problems = append(problems, fmt.Sprintf("it has not followed the server for %v, and the limit is %v", rounded(lasted), o.degradedLimit))
	}
	if stale := s.Stats.Staleness; o.stalenessLimit > 0 && stale > o.stalenessLimit {
		problems = append(problems, fmt.Sprintf("the server has sent nothing for %v, and the limit is %v; look for a proxy that holds events back", rounded(stale), o.stalenessLimit))
	}
	return problems
}

// handlerProblem describes a handler that is not synced.
func handlerProblem(h *cache.HandlerStats) string {
	text := fmt.Sprintf("handler %s has not returned from its initial list: %s", printable.Text(h.Name), waiting(h.Backlog))
	if h.Running >= time.Second {
		text += fmt.Sprintf(", and the present call has taken %v", rounded(h.Running))
	}
	return text
}

func waiting(events int) string {
	if events == 1 {
		return "1 event waits"
	}
	return strconv.Itoa(events) + " events wait"
}

// notFollowing returns for how long an informer that has synced has not followed the server. A
// handler that has panicked leaves the phase Degraded, but the cache follows.
//
// A scope that was added later counts from its first list on: before that, it has no state that could
// be old, and a right that is missing in one new namespace would make all replicas unready.
func notFollowing(s *cache.InformerStatus) time.Duration {
	if s.Stats.WasSynced && !s.Stats.Synced {
		return notFollowingListed(s.Status.Scopes)
	}
	if s.Status.Phase == cache.Watching || s.Status.Reason == cache.HandlerPanic {
		return 0
	}
	if s.Status.Since.IsZero() {
		return s.Stats.NotFollowing
	}
	return max(s.Stats.NotFollowing, time.Since(s.Status.Since))
}

// notFollowingListed is notFollowing of the scopes that have been listed. NotFollowing of the informer
// does not help: it may have begun with a scope that has not.
func notFollowingListed(scopes []cache.ScopeStatus) (longest time.Duration) {
	for i := range scopes {
		if s := &scopes[i].Status; s.Phase != cache.Watching && s.ResourceVersion != "" && !s.Since.IsZero() {
			longest = max(longest, time.Since(s.Since))
		}
	}
	return longest
}

func rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Second)
}

// labels names informers so that a person can tell them apart.
type labels struct {
	statuses []cache.InformerStatus
}

func (l *labels) add(s *cache.InformerStatus) {
	l.statuses = append(l.statuses, cache.InformerStatus{Name: s.Name, Resource: s.Resource, Object: s.Object, Server: s.Server, Namespaces: s.Namespaces})
}

// distinct returns a label for each informer: the resource, with the name and the namespaces. If
// others have the same, it has the version, the Go type and the server too.
func (l *labels) distinct() []string {
	all, times := make([]string, len(l.statuses)), map[string]int{}
	for i := range l.statuses {
		all[i] = label(&l.statuses[i])
		times[all[i]]++
	}
	for i := range l.statuses {
		if s := &l.statuses[i]; times[all[i]] > 1 {
			rest := []string{s.Resource.Version, s.Object, redact.Server(s.Server)}
			rest = slices.DeleteFunc(rest, func(part string) bool { return part == "" })
			all[i] += printable.Text(" (" + strings.Join(rest, ", ") + ")")
		}
	}
	return all
}

func label(s *cache.InformerStatus) string {
	text := s.Resource.GroupResource().String()
	if s.Resource.Resource == "" {
		text = s.Object
	}
	if s.Name != "" {
		text = s.Name + "/" + text
	}
	switch n := len(s.Namespaces); {
	case n == 0 && s.Namespaces != nil:
		text += " in no namespace"
	case n == 0, s.Namespaces[0] == "": // all, perhaps with other selectors for some
	case n == 1:
		text += " in namespace " + s.Namespaces[0]
	default:
		text += " in " + strconv.Itoa(len(s.Namespaces)) + " namespaces"
	}
	return printable.Text(text)
}
