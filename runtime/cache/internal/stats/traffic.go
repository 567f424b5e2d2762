package stats

import (
	"maps"
	"sync"
	"sync/atomic"
)

// Traffic counts the responses that the Reflectors of an informer read. Any goroutine may use it.
// The zero value is ready for use.
type Traffic struct {
	// Bytes is the number of bytes of response bodies.
	Bytes atomic.Int64
	// Added, Updated, Deleted and Bookmarks are the numbers of events of watches, without the
	// initial events of a streaming list.
	Added, Updated, Deleted, Bookmarks atomic.Uint64
	// Lists is the number of lists that were read to their end, streamed or not.
	Lists atomic.Uint64
	// Dropped is the number of objects of lists, and events of watches, of other shards.
	Dropped atomic.Uint64
	// Undecodable is the number of states that could not be decoded.
	Undecodable atomic.Uint64

	mu       sync.Mutex // guards the fields below, which changes only after a failure
	failures map[Failure]uint64
	relists  map[string]uint64
}

// Failure is a kind of failed request.
type Failure struct {
	// Verb is "list" or "watch".
	Verb, Reason string
}

// AddList counts a list that was read to its end.
func (t *Traffic) AddList() { t.Lists.Add(1) }

// AddRelist counts a list after the first one, by its cause.
func (t *Traffic) AddRelist(cause string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.relists == nil {
		t.relists = map[string]uint64{}
	}
	t.relists[cause]++
}

// AddFailure counts a request that failed.
func (t *Traffic) AddFailure(verb, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failures == nil {
		t.failures = map[Failure]uint64{}
	}
	t.failures[Failure{verb, reason}]++
}

// AddUndecodable counts a state that could not be decoded.
func (t *Traffic) AddUndecodable() { t.Undecodable.Add(1) }

// AddDropped counts objects and events of other shards.
func (t *Traffic) AddDropped(n int) {
	if n > 0 {
		t.Dropped.Add(uint64(n))
	}
}

// AddEvents counts the events of a batch. Most batches have one type of them.
func (t *Traffic) AddEvents(added, updated, deleted, bookmarks int) {
	if added > 0 {
		t.Added.Add(uint64(added))
	}
	if updated > 0 {
		t.Updated.Add(uint64(updated))
	}
	if deleted > 0 {
		t.Deleted.Add(uint64(deleted))
	}
	if bookmarks > 0 {
		t.Bookmarks.Add(uint64(bookmarks))
	}
}

// Failures returns a copy of the counts of failed requests.
func (t *Traffic) Failures() map[Failure]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.failures)
}

// Relists returns a copy of the counts of relists, by cause.
func (t *Traffic) Relists() map[string]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.relists)
}
