// Package shard divides the objects of a collection among several processes, so that no two of them
// work on one object at one time.
//
//	c, err := shard.New(leases.CoordinationV1(), shard.Options{Namespace: "default", Name: "web", Identity: pod})
//	config.Wrap(c.Transport)                             // then make the clients that write
//	err = c.Follow(informer, cache.Scope{})              // before the informer runs
//	_, err = shard.AddEventHandler(c, informer, handler) // gets what this process owns
//	go informer.Run(ctx)
//	err = c.Run(ctx)
//
//	// In a worker:
//	ctx, done, ok := c.Begin(ctx, obj)
//	if !ok {
//		return // another process works on obj, and the next owner gets OnAdd
//	}
//	defer done()
package shard
