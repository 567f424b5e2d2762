package controller

import (
	"context"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/shard"
)

// begin reports whether this process may work on a Database, which it does with the context that begin
// returns. There is nothing to do for a Database that is not cached.
func (c *Controller) begin(ctx context.Context, name cache.ObjectName) (work context.Context, done func(), ok bool) {
	if c.shard == nil {
		return ctx, func() {}, true
	}
	db, err := c.databases.Databases(name.Namespace).Get(name.Name)
	if err != nil {
		return ctx, nil, false
	}
	// What was read before Begin may be older than the last write of the process that had the Database
	// before. So the work reads it again.
	return beginWork(c.shard, ctx, db)
}

// beginWork is replaced by tests that record the work of each process.
var beginWork = (*shard.Coordinator).Begin

// addHandler adds a handler to an informer of objects that processes share: then it gets the objects of
// this process.
func addHandler[T cache.Object](c *Controller, informer *cache.SharedIndexInformer[T], handler cache.ResourceEventHandlerFuncs[T], options ...cache.HandlerOption) error {
	var err error
	if c.shard == nil {
		_, err = informer.AddEventHandler(handler, options...)
	} else {
		_, err = shard.AddEventHandler(c.shard, informer, handler, options...)
	}
	return err
}
