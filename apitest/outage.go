package apitest

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// outages are what goes wrong with watches that run, and with the history. Server.mu guards them.
type outages struct {
	// cutAll and cut count how often watches were cut.
	cutAll uint64
	cut    map[schema.GroupResource]uint64
	// holdups keep writes from watches.
	holdups []*holdup
	// writes are the versions since the oldest holdup began, with their times.
	writes []writtenAt
	// oldestWatch is the oldest version that a watch can begin at since a restart.
	oldestWatch uint64
}

// holdup keeps writes from the watches of a resource for a time, or until it is removed if lag is
// zero.
type holdup struct {
	fault    *Fault
	resource Match
	lag      time.Duration
	// since is the version at the beginning.
	since uint64
}

type writtenAt struct {
	version uint64
	time    time.Time
}

// resourceMatch selects the watches of a resource, in the form that On accepts.
func (s *Server) resourceMatch(call, resource string) Match {
	m := s.On("watch", resource)
	m.words = []string{call}
	if !s.knows(m) {
		panic(fmt.Sprintf("apitest: %s: the server has no resource %s", call, m.resource))
	}
	return m
}

func (m *Match) matchesKind(kind *Kind) bool {
	return (m.resource == "*" || m.resource == kind.Resource) && (m.group == "" || m.group == kind.Group)
}

// LagWatches shows writes to the watches of a resource only after a time, as a watch cache that does
// not keep up. Lists and reads show them at once, and so does the beginning of a watch. The resource
// is as in On.
func (s *Server) LagWatches(resource string, lag time.Duration) *Fault {
	return s.holdUp(resource, lag, fmt.Sprintf("LagWatches(%q, %s)", resource, lag))
}

// HoldWatches shows writes to the watches of a resource only when the fault is removed.
func (s *Server) HoldWatches(resource string) *Fault {
	return s.holdUp(resource, 0, fmt.Sprintf("HoldWatches(%q)", resource))
}

func (s *Server) holdUp(resource string, lag time.Duration, call string) *Fault {
	m := s.resourceMatch(call, resource)
	s.mu.Lock()
	h := &holdup{resource: m, lag: lag, since: s.history.Version()}
	f := &Fault{match: m, watches: h}
	h.fault = f
	s.outages.holdups = append(s.outages.holdups, h)
	s.mu.Unlock()
	return s.addFault(f)
}

// dropHoldup ends a holdup. The caller holds mu.
func (s *Server) dropHoldup(h *holdup) {
	s.outages.holdups = slices.DeleteFunc(s.outages.holdups, func(other *holdup) bool { return other == h })
	if len(s.outages.holdups) == 0 {
		s.outages.writes = nil
	}
	s.history.Wake()
}

// noteWrite remembers when a version was written, as long as a watch lags. The caller holds mu.
func (s *Server) noteWrite() {
	if len(s.outages.holdups) > 0 {
		now := time.Now()
		s.outages.forget(now)
		s.outages.writes = append(s.outages.writes, writtenAt{s.history.Version(), now})
	}
}

// forget drops the writes that all watches see.
func (o *outages) forget(now time.Time) {
	var longest time.Duration
	for _, h := range o.holdups {
		if h.lag == 0 {
			return
		}
		longest = max(longest, h.lag)
	}
	seen := 0
	for seen < len(o.writes) && now.Sub(o.writes[seen].time) >= longest {
		seen++
	}
	if seen == 0 {
		return
	}
	for _, h := range o.holdups {
		h.since = max(h.since, o.writes[seen-1].version)
	}
	o.writes = o.writes[seen:]
}

// visible returns the version up to which watches of a kind show writes, and when that changes
// without a call of Wake; the zero time is never. The caller holds mu.
func (s *Server) visible(kind *Kind) (version uint64, again time.Time) {
	version = s.history.Version()
	for _, h := range s.outages.holdups {
		if !h.resource.matchesKind(kind) {
			continue
		}
		shown, next := h.visible(s.outages.writes, version)
		if shown < s.history.Version() {
			h.note()
		}
		if shown < version {
			version, again = shown, next
		}
	}
	return version, again
}

// visible returns the version that watches see, and when they see the next one.
func (h *holdup) visible(writes []writtenAt, newest uint64) (uint64, time.Time) {
	shown := h.since
	for _, w := range writes {
		switch {
		case w.version <= h.since:
			continue
		case h.lag == 0:
			return shown, time.Time{}
		}
		if due := w.time.Add(h.lag); time.Now().Before(due) {
			return shown, due
		}
		shown = w.version
	}
	return newest, time.Time{}
}

// note counts that the fault has kept something back.
func (h *holdup) note() {
	faults := &h.fault.match.server.faults
	faults.mu.Lock()
	defer faults.mu.Unlock()
	h.fault.seen++
	h.fault.fired++
}

// CutWatches breaks the connections of the watches of a resource that run now. * is any resource.
func (s *Server) CutWatches(resource string) {
	m := s.resourceMatch("CutWatches", resource)
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.resource == "*" {
		s.outages.cutAll++
	} else {
		if s.outages.cut == nil {
			s.outages.cut = map[schema.GroupResource]uint64{}
		}
		s.outages.cut[schema.GroupResource{Group: m.group, Resource: m.resource}]++
	}
	s.history.Wake()
}

// cuts counts how often the watches of a kind were cut. A watch that began at another count ends like
// a broken connection. The caller holds mu.
func (s *Server) cuts(kind *Kind) uint64 {
	n := s.outages.cutAll
	if len(s.outages.cut) > 0 {
		n += s.outages.cut[schema.GroupResource{Resource: kind.Resource}]
		if kind.Group != "" {
			n += s.outages.cut[kind.groupResource()]
		}
	}
	return n
}

// Compact expires all versions before the present one, as etcd does every five minutes: lists and
// continue tokens of an older version get 410, and so does a watch that begins there. Watches that
// run go on.
func (s *Server) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history.Compact()
}

// Restart breaks the connections of all watches. A watch that begins at a version before the restart
// gets 410, because the new process does not know what has changed since then. Objects, lists and
// continue tokens are as before.
func (s *Server) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restart()
}

func (s *Server) restart() {
	s.outages.oldestWatch = s.history.Version()
	s.outages.cutAll++
	s.history.Wake()
}

// RestoreTo returns to the state at a resourceVersion and restarts the server, as if etcd had been
// restored from a backup. Later writes use the versions that follow it again, so that a client may
// know one of them with another content. The error says that the version is unknown, in the future or
// not in the history any more.
//
// A client that has seen a later version than that watches from the future. Such a watch waits, so an
// informer keeps objects that are gone. RestoreAndBump does what prevents this in a cluster.
func (s *Server) RestoreTo(resourceVersion string) error { return s.restoreTo(resourceVersion, false) }

// RestoreAndBump is RestoreTo with what a restore of a cluster should have, the flags --bump-revision and
// --mark-compacted of etcdutl: versions go on after the last one before the restore, and all earlier ones
// have expired. So watches of clients get 410, and informers list again.
func (s *Server) RestoreAndBump(resourceVersion string) error {
	return s.restoreTo(resourceVersion, true)
}

func (s *Server) restoreTo(resourceVersion string, bump bool) error {
	version, err := strconv.ParseUint(resourceVersion, 10, 64)
	if err != nil {
		return fmt.Errorf("apitest: restore to version %q: %w; use the resourceVersion of an object or a list", resourceVersion, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.history.Version()
	if err := s.history.Restore(version); err != nil {
		return fmt.Errorf("apitest: restore to version %s: %w", resourceVersion, err)
	}
	if bump {
		s.history.CompactAfter(last)
	}
	s.reindex()
	s.outages.writes = nil
	for _, h := range s.outages.holdups {
		h.since = min(h.since, version)
	}
	s.restart()
	return nil
}

// version is that of the last write.
func (s *Server) version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history.Version()
}
