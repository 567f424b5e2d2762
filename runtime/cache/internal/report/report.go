// Package report notes what becomes of one list of a collection, from its first request to the
// return of the last handler, for a trace.
package report

import (
	"sync/atomic"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
)

// List is what is known of a list at its end. A moment is zero if the list did not get that far.
type List struct {
	Streamed       bool
	Pages, Objects int
	Bytes          int64
	Handlers       []processor.Handled
	Err            error

	Began, Answered, Decoded, Applied, Ended time.Time
}

// Report is the List of a list under way. At first the goroutine that reads the list has it, then
// the one that applies it, and at the end the last handler. The methods of a nil Report do nothing.
type Report struct {
	list List
	// ended is called at the end. It must not block.
	ended func(List)
	// bytes are those of the responses. The body of a stream has it longer than there is a Report.
	bytes *atomic.Int64
}

// New returns a Report that passes its List to ended.
func New(ended func(List)) *Report { return &Report{ended: ended, bytes: &atomic.Int64{}} }

// Request is called before a request for the list, or for a page of it.
func (r *Report) Request(streamed bool) {
	if r != nil && r.list.Began.IsZero() {
		r.list.Began, r.list.Streamed = time.Now(), streamed
	}
}

// Answered is called when a response begins. It returns the counter of its bytes.
func (r *Report) Answered() *atomic.Int64 {
	if r == nil {
		return nil
	}
	if r.list.Answered.IsZero() {
		r.list.Answered = time.Now()
	}
	return r.bytes
}

// ReadPage is called when a page was read.
func (r *Report) ReadPage() {
	if r != nil {
		r.Answered() // if no one has called it
		r.list.Pages++
	}
}

// Decoded is called when all objects of the list were decoded.
func (r *Report) Decoded(objects int) {
	if r != nil {
		r.list.Decoded, r.list.Objects = time.Now(), objects
		r.list.Bytes = r.bytes.Load()
	}
}

// Fail ends the report of a list that failed.
func (r *Report) Fail(err error) {
	if r != nil {
		r.list.Err, r.list.Bytes = err, r.bytes.Load()
		r.End()
	}
}

// Applied is called when the cache has the list, before handlers get its events. If there are
// events, it returns the Delivery of their batch, which ends the report. Otherwise it ends the
// report.
func (r *Report) Applied(events int) *processor.Delivery {
	if r == nil {
		return nil
	}
	r.list.Applied = time.Now()
	if events == 0 {
		r.End()
		return nil
	}
	return processor.NewDelivery(func(handled []processor.Handled) {
		r.list.Handlers = handled
		r.End()
	})
}

// End ends the report.
func (r *Report) End() {
	if r != nil {
		r.list.Ended = time.Now()
		r.ended(r.list)
	}
}
