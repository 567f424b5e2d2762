package apitest

import (
	"time"
)

// What follows is owned by others and leaves this file when it is there.

// F: what faults do to watches; watch.go calls both with s.mu held. After a change of what they return, call
// s.history.Wake().

// visible returns the version up to which watches of a kind show writes, and when that changes without a call of
// Wake; the zero time is never.
func (s *Server) visible(kind *Kind) (version uint64, again time.Time) {
	return s.history.Version(), time.Time{}
}

// cuts counts how often the watches of a kind were cut. A watch that began at another count ends like a broken
// connection.
func (s *Server) cuts(kind *Kind) uint64 { return 0 }
