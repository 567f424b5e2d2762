package processor

import (
	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Notification is one call of a handler.
type Notification struct {
	Kind Kind
	// Initial marks an Add of the first list.
	Initial bool
	// FinalStateUnknown marks a Delete whose last state was not read.
	FinalStateUnknown bool
	// Old is the state that handlers got before, nil for an Add. Obj is the new state, and
	// for a Delete the last one known.
	Old, Obj wire.Object
}

// Kind is the method of a handler that a Notification is for.
type Kind uint8

// The kinds of notifications.
const (
	Add Kind = iota
	Update
	Delete
	// nothing is an Add and a Delete that were merged.
	nothing
)

// Batch has the notifications of one step. All handlers share it, so no one changes it.
type Batch struct {
	Notes []Notification
	// Received is when the oldest of the changes was received, or when the batch was made if it
	// is about the objects that were cached before.
	Received clock.Stamp
	// Distinct marks a batch of which no two notifications can be merged.
	Distinct bool
	// Lists, if it is not 0, marks a batch after which a handler has got the initial lists of all
	// scopes below the mark, and the objects that were cached when it was added.
	Lists initial.Mark
}
