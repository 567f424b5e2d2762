package stats

import (
	"maps"
	"sync"
	"sync/atomic"
)

// Traffic counts what the Reflectors of an informer read from the server. Any goroutine may use it.
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

	mu       sync.Mutex // guards what follows, which changes only after a failure
	failures map[Failure]uint64
	relists  map[string]uint64
}

// Failure is a kind of failed request.
type Failure struct {
	// Verb is "list" or "watch".
	Verb, Reason string
}

// Fail counts a request that failed.
func (t *Traffic) Fail(verb, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failures == nil {
		t.failures = map[Failure]uint64{}
	}
	t.failures[Failure{verb, reason}]++
}

// Relist counts a list after the first one, by its cause.
func (t *Traffic) Relist(cause string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.relists == nil {
		t.relists = map[string]uint64{}
	}
	t.relists[cause]++
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

// Events has the numbers of events in a batch.
type Events struct{ Added, Updated, Deleted, Bookmarks, Dropped uint64 }

// AddEvents counts the events of a batch, but not those that were dropped. Most batches have one type of them.
func (t *Traffic) AddEvents(batch *Events) {
	if batch.Added > 0 {
		t.Added.Add(batch.Added)
	}
	if batch.Updated > 0 {
		t.Updated.Add(batch.Updated)
	}
	if batch.Deleted > 0 {
		t.Deleted.Add(batch.Deleted)
	}
	if batch.Bookmarks > 0 {
		t.Bookmarks.Add(batch.Bookmarks)
	}
}
