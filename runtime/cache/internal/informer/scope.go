package informer

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
)

// Scope is a part of the collection that one Reflector lists and watches: all of it, for a plain informer. It is the half of
// the Sink of its Reflector that gets the objects.
type Scope struct {
	ID frontier.ID
	// Reflector reads the objects of the scope, and Run runs it until ctx ends.
	Reflector *reflector.Reflector
	Run       func(ctx context.Context)
	// Frontier is how far the history is known.
	Frontier frontier.Frontier
	// Namespace is empty for all. Rule tells which objects the scope does not have, and Selects, unless it is nil, sets the
	// selectors of a request.
	Namespace string
	Rule      *scoping.Rule
	Selects   func(*metav1.ListOptions)

	queue *deltafifo.Queue
	// isExcused is set by Excuse. The mutex of the informer guards it.
	isExcused bool
	// stop ends the Reflector. It is nil unless that runs. The mutex of the informer guards it.
	stop context.CancelFunc
}

// Listed implements reflector.Sink.
func (s *Scope) Listed(list *deltafifo.Collection, at frontier.Position) {
	s.Frontier.Receive(at, clock.Now()) // a reader that sees the list applied sees its version
	s.queue.Push([]deltafifo.Delta{{Type: deltafifo.Replaced, Scope: s.ID, Collection: list}}, s.reached(at))
}

// Events implements reflector.Sink.
func (s *Scope) Events(deltas []deltafifo.Delta, at frontier.Position) (received clock.Stamp) {
	if len(deltas) == 0 { // a bookmark, which has to be known before a claim can count from it
		received = clock.Now()
		s.Frontier.Receive(at, received)
		s.queue.Push(nil, s.reached(at))
		return received
	}
	if received = s.queue.Push(deltas, s.reached(at)); received == 0 { // the informer has ended
		received = clock.Now()
	}
	s.Frontier.Receive(at, received)
	return received
}

func (s *Scope) reached(at frontier.Position) deltafifo.Reached {
	return deltafifo.Reached{Scope: s.ID, Frontier: &s.Frontier, Position: at}
}

// retire enters the phase of a scope that will never run, with a cause or none.
func (s *Scope) retire(cause progress.Failure) { s.Reflector.Progress().Enter(progress.Stopped, cause) }

// NewClaim returns the claim of a version that came now, and not from the watch.
func (s *Scope) NewClaim() frontier.Claim {
	return frontier.Claim{At: clock.Now(), Bookmarks: s.Frontier.Received().Bookmarks}
}
