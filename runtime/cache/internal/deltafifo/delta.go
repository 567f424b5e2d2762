package deltafifo

import (
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Type is the kind of a change of an object, or of the collection.
type Type uint8

const (
	// Added: the watch reported a new object.
	Added Type = iota + 1
	// Updated: the watch reported a new state of an object.
	Updated
	// Deleted: the watch reported the end of an object.
	Deleted
	// Replaced: the collection was listed again; Delta.Collection is all of it.
	Replaced
)

// Delta is one step in the history of a collection.
type Delta struct {
	Type Type
	// Scope is the one that the delta is from: 0 for the first scope of an informer.
	Scope frontier.ID
	// Item is the state that Added, Updated and Deleted have. A Deleted has an Err instead
	// of an Object if its last state cannot be decoded; see wire.Options.SkipUndecodable. So has
	// an Added or Updated, if the informer shows own writes: the object exists.
	wire.Item
	// Collection is the whole collection of a Replaced.
	Collection *Collection
}

// Collection is the result of a list.
type Collection struct {
	// Items may have several states of one object. The last one is used. For an item with
	// an Err, the cache keeps the object that it holds. Without
	// wire.Options.SkipUndecodable no item has an Err.
	Items []wire.Item
	// IsFirst is set for the first list of a Reflector.
	IsFirst bool
	// Version is the version of the list.
	Version string
	// Part is the listed part; nil for everything.
	Part *Part
	// Began is how many changes the cache had got from elsewhere before the list was requested.
	Began uint64
}

// Part is the part of a cache that one scope has.
type Part struct {
	// Namespace is empty for several. Name is empty unless the part is one object.
	Namespace, Name string
	Has             func(name listed.Name) bool
}

// IsState reports whether the delta has a new state of an object.
func (d *Delta) IsState() bool { return (d.Type == Added || d.Type == Updated) && d.Err == nil }

// Version returns the version of an event.
func (d *Delta) Version() string {
	if d.Err != nil {
		return d.Err.ResourceVersion
	}
	return d.Object.GetResourceVersion()
}

// AreStates reports whether deltas are new states of objects.
func AreStates(deltas []Delta) bool {
	for i := range deltas {
		if d := &deltas[i]; d.Type != Added && d.Type != Updated {
			return false
		}
	}
	return len(deltas) > 0
}

var typeNames = [...]string{"Type(?)", "Added", "Updated", "Deleted", "Replaced"}

// String returns the name of the constant.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return typeNames[0]
}
