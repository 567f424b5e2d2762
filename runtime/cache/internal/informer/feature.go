package informer

import (
	"context"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
)

// A Feature stands between the queue and the cache. A plain informer has none. All methods but Start are called within a step,
// so a feature needs no lock for fields that only they use.
type Feature interface {
	// Start is called when Run begins, before anything is read, and not for a feature that is added later. ctx is the context of Run.
	Start(ctx context.Context)
	// Admit returns the deltas of a step that change the cache, and the positions that it reaches. It may drop, hold back and
	// add both, and may reuse the slices. It gets a batch as a whole.
	Admit(deltas []deltafifo.Delta, reached []deltafifo.Reached) ([]deltafifo.Delta, []deltafifo.Reached)
	// Reached is called after the cache has the deltas, with the positions that it has reached. What else to apply is what it
	// returns, which passes the features after it only. So the last feature is called first.
	Reached(reached []deltafifo.Reached) ([]deltafifo.Delta, []deltafifo.Reached)
	// End is called when the informer has ended, and no step follows.
	End()
}

// Owners tells which scope has an object. A feature is one if it divides the collection among several scopes.
type Owners interface {
	// Owner returns the scope whose deltas about an object reach the cache, and false if there is none.
	Owner(name listed.Name) (frontier.ID, bool)
	// Opening returns the scope that will take over an object, and false if none will.
	Opening(name listed.Name) (frontier.ID, bool)
}
