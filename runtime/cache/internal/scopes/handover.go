package scopes

import (
	"strconv"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
)

// handover keeps the list and events of a scope that will take over from others. These continue until the list is not behind what they have reported.
type handover struct {
	scope *Wanted
	stage Stage
	// list is the last one, without its items; nil before the first.
	list  *deltafifo.Collection
	claim frontier.Claim // of the version of the list
	// bookmarks is the number of those that were read.
	bookmarks int
}

// reach records how far the Reflector has got, after what it holds.
func (h *handover) reach(to frontier.Position) {
	h.bookmarks = to.Bookmarks
	if h.list != nil {
		h.stage.Reach(to.Number())
	}
}

// hold keeps a delta of the Reflector.
func (h *handover) hold(d *deltafifo.Delta) {
	if d.Type != deltafifo.Replaced {
		version, _ := frontier.Parse(d.Version())
		h.stage.Apply(eventTypes[d.Type], &d.Item, version)
		return
	}
	h.scope.IsHeld.Store(true)
	list := *d.Collection
	if h.list != nil {
		list.IsFirst = true
	}
	version, _ := frontier.Parse(list.Version)
	h.stage.Replace(list.Items, version)
	list.Items = nil
	h.list, h.claim = &list, h.scope.NewClaim()
}

var eventTypes = [...]watch.EventType{deltafifo.Added: watch.Added, deltafifo.Updated: watch.Modified, deltafifo.Deleted: watch.Deleted}

// replaced returns the list with the events after it, and its position.
func (h *handover) replaced() (deltafifo.Delta, deltafifo.Reached) {
	if h.list.Items = h.stage.Items(); h.stage.Version() != 0 {
		h.list.Version = strconv.FormatUint(h.stage.Version(), 10)
	}
	return deltafifo.Delta{Type: deltafifo.Replaced, Scope: h.scope.ID, Collection: h.list},
		deltafifo.Reached{Scope: h.scope.ID, Frontier: &h.scope.Frontier, Position: frontier.Position{Version: h.list.Version, Bookmarks: h.bookmarks}}
}
