package apitest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Match selects requests that a [Fault] is for. Its methods that narrow it return another Match;
// those of the faults begin one.
//
//	server.On("update", "databases").Once().Conflict()
//	server.On("list", "pods").In("default").Delay(2 * time.Second)
//	server.On("patch", "databases/status").Named("one").Skip(1).Times(2).TooManyRequests(time.Second)
type Match struct {
	server             *Server
	verb, resource     string
	namespace, name    string
	skip, times        int
	optional, watches  bool
	conditions         []func(*http.Request) bool
	delay              time.Duration
	words              []string // the calls that made the Match, for messages
	group, subresource string
}

// On selects requests by verb and resource.
//
// The verb is that of RBAC: get, list, watch, create, update, patch, delete or deletecollection. A
// streaming list matches both list and watch. apply is a patch by server-side apply, and * is any
// verb.
//
// The resource is a plural name, and may have a group and a subresource: databases, databases/status,
// databases.data.example.com. * is any resource, and /* after it any subresource or none. A path such
// as /apis selects requests that are for no resource; then the verb is get.
//
// On panics if the verb is not one of these, because such a fault would never begin.
func (s *Server) On(verb, resource string) Match {
	if !slices.Contains(verbs, verb) {
		panic(fmt.Sprintf("apitest: On(%q, %q): %q is not a verb; use one of %s", verb, resource, verb, strings.Join(verbs, ", ")))
	}
	m := Match{server: s, verb: verb, resource: resource, words: []string{fmt.Sprintf("On(%q, %q)", verb, resource)}}
	if !strings.HasPrefix(resource, "/") {
		m.resource, m.subresource, _ = strings.Cut(resource, "/")
		m.resource, m.group, _ = strings.Cut(m.resource, ".")
	}
	return m
}

var verbs = []string{"get", "list", "watch", "create", "update", "patch", "apply", "delete", "deletecollection", "*"}

// with returns a copy that names a call in messages.
func (m Match) with(format string, args ...any) Match {
	m.words = append(slices.Clip(m.words), fmt.Sprintf(format, args...))
	return m
}

// In selects requests for one namespace.
func (m Match) In(namespace string) Match {
	m.namespace = namespace
	return m.with("In(%q)", namespace)
}

// Named selects requests for one object. A create of an object with that name is one.
func (m Match) Named(name string) Match {
	m.name = name
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
	// watches is set for what goes wrong with watches that run, and not with requests.
	watches *holdup

	// The Server's faults.mu guards what follows. seen counts the requests that matched, and fired
	// those that were not skipped.
	seen, fired int
	removed     bool
}

// faults are those of a server.
type faults struct {
	// active is the number of faults, so that a server without faults takes no lock for them.
	active atomic.Int32
	mu     sync.Mutex
	all    []*Fault
}

// Fired is the number of requests that the fault was for.
func (f *Fault) Fired() int {
	f.match.server.faults.mu.Lock()
	defer f.match.server.faults.mu.Unlock()
	return f.fired
}

// Remove ends the fault. Requests that wait because of it go on waiting.
func (f *Fault) Remove() {
	s := f.match.server
	s.faults.mu.Lock()
	if !f.removed {
		f.removed = true
		s.faults.active.Add(-1)
	}
	s.faults.mu.Unlock()
	if f.watches != nil {
		s.mu.Lock()
		s.dropHoldup(f.watches)
		s.mu.Unlock()
	}
}

// String returns the calls that made the fault.
func (f *Fault) String() string { return strings.Join(f.match.words, ".") }

// add makes a fault of a Match.
func (m Match) add(do effect, format string, args ...any) *Fault {
	return m.server.addFault(&Fault{match: m.with(format, args...), effect: do})
}

func (s *Server) addFault(f *Fault) *Fault {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.all = append(s.faults.all, f)
	s.faults.active.Add(1)
	return f
}

// CheckFaults reports the faults that did not begin as often as they should have, as errors of a
// test. [Start] does it at the end of the test: a fault that no request met shows that the test does
// not test what it says.
func (s *Server) CheckFaults(t interface {
	Helper()
	Errorf(format string, args ...any)
}) {
	t.Helper()
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	for _, f := range s.faults.all {
		switch {
		case f.match.optional || f.fired > 0 && f.fired >= f.match.times:
		case f.fired == 0:
			t.Errorf("apitest: no request met the fault %s; %d matched it%s", f, f.seen, advice(f))
		default:
			t.Errorf("apitest: only %d requests met the fault %s", f.fired, f)
		}
	}
}

// advice says what may be wrong with a fault that no request met.
func advice(f *Fault) string {
	if f.seen > 0 {
		return ", which it skips"
	}
	if m := f.match; !m.server.knows(m) {
		return fmt.Sprintf("; the server has no resource %s", m.resource)
	}
	return "; check the verb, the resource and the subresource, or make it Optional"
}

// knows reports whether the server has the resource that a Match names.
func (s *Server) knows(m Match) bool {
	if m.resource == "*" || strings.HasPrefix(m.resource, "/") {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for kind := range s.kinds.all() {
		if m.matchesKind(kind) {
			return true
		}
	}
	return false
}

// faultFor returns the fault of a request, or nil.
func (s *Server) faultFor(r *request) *Fault {
	if s.faults.active.Load() == 0 {
		return nil
	}
	s.faults.mu.Lock()
	all := slices.Clip(s.faults.all) // elements are only appended
	s.faults.mu.Unlock()
	for _, f := range all {
		if f.effect != nil && f.match.matches(r) && f.takes() {
			return f
		}
	}
	return nil
}

// takes counts a request that matches, and reports whether the fault is for it.
func (f *Fault) takes() bool {
	faults := &f.match.server.faults
	faults.mu.Lock()
	defer faults.mu.Unlock()
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

// matches reports whether a request is one of those selected.
func (m *Match) matches(r *request) bool {
	switch {
	case strings.HasPrefix(m.resource, "/"):
		if m.resource != r.http.URL.Path || m.verb != "*" && !strings.EqualFold(m.verb, r.http.Method) {
			return false
		}
	case r.kind == nil || !m.matchesVerb(r) || !m.matchesResource(r), m.watches && r.verb != "watch":
		return false
	case m.namespace != "" && m.namespace != r.namespace:
		return false
	case m.name != "" && m.name != m.server.objectName(r):
		return false
	}
	for _, condition := range m.conditions {
		if !condition(r.http) {
			return false
		}
	}
	return true
}

func (m *Match) matchesVerb(r *request) bool {
	switch m.verb {
	case "*", r.verb:
		return true
	case "list":
		return r.verb == "watch" && isTrue(r.query, "sendInitialEvents")
	case "apply":
		header, _, _ := strings.Cut(r.http.Header.Get("Content-Type"), ";")
		return r.verb == "patch" && strings.HasPrefix(header, applyType)
	}
	return false
}

// applyType is the beginning of the media types of server-side apply.
var applyType = strings.TrimSuffix(string(types.ApplyYAMLPatchType), "+yaml")

func (m *Match) matchesResource(r *request) bool {
	switch {
	case m.resource != "*" && m.resource != r.kind.Resource:
		return false
	case m.group != "" && m.group != r.kind.Group:
		return false
	case m.subresource == "*", m.resource == "*" && m.subresource == "":
		return true
	}
	return m.subresource == r.subresource
}

// seconds rounds a duration up.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
