package rest

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
)

// collector does what the garbage collector and the namespace controller of a cluster do: it deletes
// objects whose owners are gone, and the contents of namespaces. The lock of the Store guards it. It runs at the
// end of a request, in the order in which the work came, so that a test finds the same state each
// time.
type collector struct {
	// dependents are the objects with a reference to an owner, by the UID of the owner.
	dependents map[types.UID]map[history.Key]struct{}
	queue      []task
	queued     map[task]struct{}
}

// task is an object that the collector has to look at.
type task struct {
	do  action
	key history.Key
	uid types.UID
}

type action int

const (
	// deleteDangling deletes an object without owners, and goes on with one whose dependents are
	// deleted before it.
	deleteDangling action = iota
	// orphanDependents removes the references to an object.
	orphanDependents
	// emptyNamespace deletes the contents of a namespace.
	emptyNamespace
)

func newCollector() collector {
	return collector{dependents: map[types.UID]map[history.Key]struct{}{}, queued: map[task]struct{}{}}
}

func (c *collector) add(t task) {
	if _, waits := c.queued[t]; !waits {
		c.queued[t] = struct{}{}
		c.queue = append(c.queue, t)
	}
}

// forget drops all work, as after a restart.
func (c *collector) forget() {
	c.queue = nil
	clear(c.queued)
}

// dependentsOf returns the objects that refer to an owner, in the order of their keys.
func (c *collector) dependentsOf(owner types.UID) []history.Key {
	keys := make([]history.Key, 0, len(c.dependents[owner]))
	for key := range c.dependents[owner] {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b history.Key) int {
		if order := strings.Compare(a.GroupResource.String(), b.GroupResource.String()); order != 0 {
			return order
		}
		return strings.Compare(a.Path(), b.Path())
	})
	return keys
}
