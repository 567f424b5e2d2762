package cache

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/hook"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
)

// relistReport is a Relist until it is passed to the RelistHandler. At first the Reflector writes to
// it, then the goroutine that applies it, and at the end the last handler. There is none without
// a RelistHandler: the methods do nothing if it is nil.
type relistReport struct {
	relist  Relist
	handler RelistHandler
	hooks   *hook.Hooks[Status]
	// bytes are those of the responses. The body of a stream outlives the report.
	bytes *atomic.Int64
}

// newReport returns a report of a list that begins, or nil without a RelistHandler.
func (r *Reflector[T]) newReport(cause Reason) *relistReport {
	if r.config.RelistHandler == nil {
		return nil
	}
	return &relistReport{
		relist:  Relist{Resource: r.config.Resource, Name: r.config.name(), Namespace: r.config.Namespace, Cause: cause},
		handler: r.config.RelistHandler,
		hooks:   r.hooks,
		bytes:   &atomic.Int64{},
	}
}

// report returns the report of the list under way, or nil.
func (r *Reflector[T]) report() *relistReport {
	if r.partial == nil {
		return nil
	}
	return r.partial.report
}

// report returns the report of a Replaced, or nil.
func (d *Delta[T]) report() *relistReport {
	if d.Collection == nil {
		return nil
	}
	return d.Collection.report
}

func isReported[T Object](d Delta[T]) bool { return d.report() != nil }

// request is called before a request for the list, or for a page of it.
func (p *relistReport) request(streamed bool) {
	if p != nil && p.relist.Began.IsZero() {
		p.relist.Began, p.relist.Streamed = time.Now(), streamed
	}
}

// answered is called when a response begins.
func (p *relistReport) answered() {
	if p != nil && p.relist.Answered.IsZero() {
		p.relist.Answered = time.Now()
	}
}

// answeredPage is called when a page was read.
func (p *relistReport) answeredPage() {
	if p != nil {
		p.answered() // unless the OpenFunc has
		p.relist.Pages++
	}
}

// decoded is called when all objects of the list were decoded.
func (p *relistReport) decoded(objects int) {
	if p != nil {
		p.relist.Decoded, p.relist.Objects, p.relist.Bytes = time.Now(), objects, p.bytes.Load()
	}
}

// failed ends the report of a list that failed.
func (p *relistReport) failed(err error) {
	if p != nil {
		p.relist.Err, p.relist.Bytes = err, p.bytes.Load()
		p.done()
	}
}

// applied is called when the cache has the list, before the handlers get its events. If there are
// any, it returns the Delivery of their batch, which ends the report.
func (p *relistReport) applied(events int) *processor.Delivery {
	if p == nil {
		return nil
	}
	p.relist.Applied = time.Now()
	if events == 0 {
		p.done()
		return nil
	}
	return processor.NewDelivery(func(handled []processor.Handled) {
		for _, h := range handled {
			p.relist.Handlers = append(p.relist.Handlers, HandlerRelist{h.Name, h.Events, h.At})
		}
		p.done()
	})
}

// done passes the report to the RelistHandler.
func (p *relistReport) done() {
	if p == nil {
		return
	}
	p.hooks.Call("RelistHandler", func(ctx context.Context, dropped int) {
		p.relist.Dropped = dropped
		p.handler(ctx, p.relist)
	})
}
