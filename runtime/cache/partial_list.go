package cache

import (
	"errors"
	"io"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// The verbs of requests, as in FailureCount and in the rules of a Role. A streaming list is a
// watch.
const (
	verbList  = "list"
	verbWatch = "watch"
)

func nameOfVerb(verb protocol.Verb) string {
	if verb == protocol.ListPage {
		return verbList
	}
	return verbWatch
}

// partialList is a list that a Reflector reads, with all requests until one of them succeeds.
type partialList[T Object] struct {
	listed listed.List[T]
	trail  protocol.PageTrail
	// cause is why the collection is listed again. It is empty for the first list.
	cause Reason
	// applied are called when the list is in the cache.
	applied []func()
	// report is nil without a RelistHandler.
	report *relistReport
}

// beginList begins a list, or begins the list under way again. cause is the reason for a new one.
func (r *Reflector[T]) beginList(cause Reason) {
	if r.partial == nil {
		r.partial = &partialList[T]{}
		if r.committed {
			r.partial.cause = cause
			r.traffic.Relist(string(cause))
		}
	}
	r.partial.report = r.newReport(r.partial.cause)
	r.partial.listed.Clear()
	r.partial.trail.Begin()
}

// countFailure counts a request that failed with an error that is reported.
func (r *Reflector[T]) countFailure(verb protocol.Verb, err error) {
	r.traffic.Fail(nameOfVerb(verb), string(reasonOf(err)))
	undecodable, tooLarge := (*wire.DecodeError)(nil), (*wire.TooLargeError)(nil)
	if errors.As(err, &undecodable) || errors.As(err, &tooLarge) {
		r.traffic.Undecodable.Add(1)
	}
}

// eventCounts has the number of events in a batch by their DeltaType, and that of bookmarks at 0.
type eventCounts [Deleted + 1]uint64

// add counts an event. change is 0 for one that has no object, or that of another scope.
func (c *eventCounts) add(event watch.EventType, change DeltaType) {
	if change != 0 || event == watch.Bookmark {
		c[change]++
	}
}

// count adds the events of a batch. Most batches have one type of them.
func (t *traffic) count(events *eventCounts) {
	for i, counter := range [...]*atomic.Uint64{0: &t.Bookmarks, Added: &t.Added, Updated: &t.Updated, Deleted: &t.Deleted} {
		if events[i] > 0 {
			counter.Add(events[i])
		}
	}
}

// countedBody counts the bytes of a response as they are read: after the HTTP client has
// decompressed them.
type countedBody struct {
	io.ReadCloser
	bytes *atomic.Int64
	// ofList is nil without a RelistHandler, and for a watch.
	ofList *atomic.Int64
}

func (b *countedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.bytes.Add(int64(n))
	if b.ofList != nil {
		b.ofList.Add(int64(n))
	}
	return n, err
}
