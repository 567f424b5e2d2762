package frontier

import (
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
)

const (
	maxBookmarks   = 2
	maxUnconfirmed = 2 * time.Minute
)

// Claim is that a server has reached a version, until a bookmark of the watch confirms it. The version of a write may be
// ahead of the watch, and only by the delay of the watch. A kube-apiserver sends a bookmark each minute.
type Claim struct {
	// At is when the version came, and Bookmarks the number of bookmarks that were read before.
	At        clock.Stamp
	Bookmarks int
}

// IsOverdue reports whether a claim that no bookmark has confirmed is not of this server: two minutes and two
// bookmarks have passed. bookmarks is their number now.
func (c Claim) IsOverdue(bookmarks int) bool {
	return bookmarks-c.Bookmarks >= maxBookmarks && clock.Now().Since(c.At) >= maxUnconfirmed
}
