package apitest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/typedinformers/informer-gen/apitest/internal/serve"
	"github.com/typedinformers/informer-gen/apitest/internal/watch"
)

// Match selects requests that a [Fault] is for. Its methods that narrow it return another Match;
// those of the faults begin one.
//
//	server.On("update", "databases").Once().Conflict()
//	server.On("list", "pods").In("default").Delay(2 * time.Second)
//	server.On("patch", "databases/status").Named("one").Skip(1).Times(2).TooManyRequests(time.Second)
type Match struct {
	faults      *faults
	selector    serve.Selector
	skip, times int
	optional    bool
	watches     bool // whether only watches are selected
	conditions  []func(*http.Request) bool
	delay       time.Duration
	words       []string // the calls that made the Match, for messages
}

// on selects requests by verb and resource.
func (f *faults) on(verb, resource string) Match {
	m := Match{faults: f, selector: serve.Selector{Verb: verb, Resource: resource}, words: []string{fmt.Sprintf("On(%q, %q)", verb, resource)}}
	if !strings.HasPrefix(resource, "/") {
		m.selector.Resource, m.selector.Subresource, _ = strings.Cut(resource, "/")
		m.selector.Resource, m.selector.Group, _ = strings.Cut(m.selector.Resource, ".")
	}
	return m
}

// matches reports whether a request is one of those selected.
func (m *Match) matches(r *serve.Request) bool {
	if m.watches && r.Verb != "watch" || !m.selector.Matches(r) {
		return false
	}
	return !slices.ContainsFunc(m.conditions, func(condition func(*http.Request) bool) bool { return !condition(r.HTTP) })
}

var verbs = []string{"get", "list", "watch", "create", "update", "patch", "apply", "delete", "deletecollection", "*"}

// with returns a copy that names a call in messages.
func (m Match) with(format string, args ...any) Match {
	m.words = append(slices.Clip(m.words), fmt.Sprintf(format, args...))
	return m
}

// In selects requests for one namespace.
func (m Match) In(namespace string) Match {
	m.selector.Namespace = namespace
	return m.with("In(%q)", namespace)
}

// Named selects requests for one object. A create of an object with that name is one.
func (m Match) Named(name string) Match {
	m.selector.Name = name
	return m.with("Named(%q)", name)
}

// Where selects requests for which condition returns true. It must not send requests to the server,
// and must leave the body alone.
func (m Match) Where(condition func(*http.Request) bool) Match {
	m.conditions = append(slices.Clip(m.conditions), condition)
	return m.with("Where(…)")
}

// Skip leaves the first n requests alone.
func (m Match) Skip(n int) Match {
	m.skip = n
	return m.with("Skip(%d)", n)
}

// Once ends the fault after one request.
func (m Match) Once() Match {
	m.times = 1
	return m.with("Once()")
}

// Times ends the fault after n requests. Without it, a fault lasts until it is removed.
func (m Match) Times(n int) Match {
	m.times = n
	return m.with("Times(%d)", n)
}

// Optional leaves the fault out of the report of those that did not begin.
func (m Match) Optional() Match {
	m.optional = true
	return m.with("Optional()")
}

// After begins the fault that follows only after a time.
func (m Match) After(delay time.Duration) Match {
	m.delay = delay
	return m.with("After(%s)", delay)
}

// Fault is something that goes wrong with certain requests. A request gets the first fault, in the
// order in which they were made, that matches and is not used up. So several faults that are each
// for one request follow each other.
type Fault struct {
	match  Match
	effect effect
	// watches is set for faults of watches that run, and not of requests.
	watches *watch.Holdup

	// mu of match.faults guards the fields below. seen counts the requests that matched, and fired
	// those that were not skipped.
	seen, fired int
	removed     bool
}

// faults are the Faults of a server.
type faults struct {
	handler *serve.Handler
	holdups *watch.Watches
	// active is the number of faults, so that a server without faults takes no lock for them.
	active atomic.Int32
	mu     sync.Mutex
	all    []*Fault
}

// Fired is the number of requests that the fault was for.
func (f *Fault) Fired() int {
	f.match.faults.mu.Lock()
	defer f.match.faults.mu.Unlock()
	return f.fired
}

// Remove ends the fault. Requests that wait because of it go on waiting.
func (f *Fault) Remove() {
	all := f.match.faults
	all.mu.Lock()
	if !f.removed {
		f.removed = true
		all.active.Add(-1)
	}
	all.mu.Unlock()
	if f.watches != nil {
		all.holdups.Release(f.watches)
	}
}

// String returns the calls that made the fault.
func (f *Fault) String() string { return strings.Join(f.match.words, ".") }

// begin makes a fault of a Match.
func (m Match) begin(do effect, format string, args ...any) *Fault {
	return m.faults.add(&Fault{match: m.with(format, args...), effect: do})
}

func (f *faults) add(fault *Fault) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, fault)
	f.active.Add(1)
	return fault
}

// check returns an error about the faults that did not begin as often as they should have.
func (f *faults) check() []string {
	var wrong []string
	f.mu.Lock()
	type unmet struct {
		*Fault
		seen int
	}
	var left []unmet
	for _, fault := range f.all {
		switch {
		case fault.match.optional || fault.fired > 0 && fault.fired >= fault.match.times:
		case fault.fired == 0:
			left = append(left, unmet{fault, fault.seen})
		default:
			wrong = append(wrong, fmt.Sprintf("only %d requests met the fault %s", fault.fired, fault))
		}
	}
	f.mu.Unlock()
	for _, fault := range left { // without the lock, because a watch takes it while it holds that of the objects
		wrong = append(wrong, fmt.Sprintf("no request met the fault %s; %d matched it%s", fault, fault.seen, advice(fault.Fault, fault.seen)))
	}
	return wrong
}

// advice says what may be wrong with a fault that no request met.
func advice(f *Fault, seen int) string {
	switch {
	case seen > 0:
		return ", which it skips"
	case !f.match.faults.handler.Serves(&f.match.selector):
		return fmt.Sprintf("; the server has no resource %s", f.match.selector.Resource)
	}
	return "; check the verb, the resource and the subresource, or make it Optional"
}

// of returns the fault of a request, or nil.
func (f *faults) of(r *serve.Request) *Fault {
	if f.active.Load() == 0 {
		return nil
	}
	f.mu.Lock()
	all := slices.Clip(f.all) // elements are only appended
	f.mu.Unlock()
	for _, fault := range all {
		if fault.effect != nil && fault.match.matches(r) && fault.takes() {
			return fault
		}
	}
	return nil
}

// takes counts a request that matches, and reports whether the fault is for it.
func (f *Fault) takes() bool {
	f.match.faults.mu.Lock()
	defer f.match.faults.mu.Unlock()
	if f.removed || f.match.times > 0 && f.fired >= f.match.times {
		return false
	}
	f.seen++
	if f.seen <= f.match.skip {
		return false
	}
	f.fired++
	return true
}

// effect is the effect of a fault on a request.
type effect func(h *serve.Handler, r *serve.Request) (*http.Response, error)
