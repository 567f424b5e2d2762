package apitest

import (
	"fmt"
	"strconv"
	"time"

	"github.com/typedinformers/informer-gen/apitest/internal/watch"
)

// resourceMatch selects the watches of a resource, in the form that On accepts.
func (s *Server) resourceMatch(call, resource string) Match {
	m := s.On("watch", resource)
	m.words = []string{call}
	if !s.handler.Serves(&m.selector) {
		panic(fmt.Sprintf("apitest: %s: the server has no resource %s", call, m.selector.Resource))
	}
	return m
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
	f := &Fault{match: m}
	f.watches = &watch.Holdup{Kinds: m.selector.MatchesKind, Lag: lag, Held: f.note}
	s.watches.Hold(f.watches)
	return s.faults.add(f)
}

// note counts that the fault has kept something back.
func (f *Fault) note() {
	f.match.faults.mu.Lock()
	defer f.match.faults.mu.Unlock()
	f.seen++
	f.fired++
}

// CutWatches breaks the connections of the watches of a resource that run now. * is any resource.
func (s *Server) CutWatches(resource string) {
	m := s.resourceMatch("CutWatches", resource)
	s.watches.Cut(m.selector.MatchesKind)
}

// Compact expires all versions before the present one, as etcd does every five minutes: lists and
// continue tokens of an older version get 410, and so does a watch that begins there. Watches that
// run go on.
func (s *Server) Compact() {
	s.objects.Lock()
	defer s.objects.Unlock()
	s.objects.History.Compact()
}

// Restart breaks the connections of all watches. A watch that begins at a version before the restart
// gets 410, because the new process does not know what has changed since then. Objects, lists and
// continue tokens are as before.
func (s *Server) Restart() { s.watches.Restart() }

// RestoreTo returns to the state at a resourceVersion and restarts the server, as if etcd had been
// restored from a backup. Later writes use the versions that follow it again, so that a client may
// know one of them with another content. The error says that the version is unknown, in the future or
// not in the history any more.
//
// A client that has seen a later version than that watches from the future. Such a watch waits, so an
// informer keeps objects that are gone. RestoreAndBump prevents this, as in a cluster.
func (s *Server) RestoreTo(resourceVersion string) error { return s.restoreTo(resourceVersion, false) }

// RestoreAndBump is RestoreTo with the flags that a restore of a cluster should have, --bump-revision and
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
	if err := s.watches.Restore(version, bump); err != nil {
		return fmt.Errorf("apitest: restore to version %s: %w", resourceVersion, err)
	}
	return nil
}
