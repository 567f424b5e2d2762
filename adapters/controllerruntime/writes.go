package crcache

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/writes"
)

// WithReadYourWrites is an option of NewFunc: the cache has the new state of an object as soon as the call that has written it returns.
// own has to observe the requests of the clients that write:
//
//	config := ctrl.GetConfigOrDie()
//	own := &writes.Observer{}
//	config.Wrap(own.Transport)
//	mgr, err := ctrl.NewManager(config, ctrl.Options{NewCache: crcache.NewFunc(crcache.WithReadYourWrites(own))})
//
// So all clients that are made from config afterwards feed the cache, whatever library they are
// of: that of mgr.GetClient, clientsets, dynamic clients. A client with another HTTP client, such
// as the one in client.Options.HTTPClient, does so if own.Transport wraps the transport of that
// one. Other writes reach the cache by its watch. One Observer may serve several caches, also of
// several servers.
//
// It is a mistake if own is nil or observes no client yet.
func WithReadYourWrites(own *writes.Observer) Option {
	return func(s *settings) error {
		switch {
		case own == nil:
			return errors.New("crcache: WithReadYourWrites needs an Observer, but it is nil; leave the option out for a cache without one")
		case s.own != nil:
			return errors.New("crcache: WithReadYourWrites is there twice; wrap the transports of all clients with one Observer")
		case !own.Attached():
			return errors.New("crcache: the Observer of WithReadYourWrites observes no client; call config.Wrap(own.Transport) before you pass the rest.Config to NewManager")
		}
		s.own = own
		return nil
	}
}

// WaitFor waits until the cache is complete up to resourceVersion: it has each change of the kind
// of obj that the server made up to then, whoever wrote it. obj only names the kind and the form.
// WaitFor adds an informer if there is none. If ctx ends first, the error has the reason. WaitFor
// also works without WithReadYourWrites.
func (c *Cache) WaitFor(ctx context.Context, obj client.Object, resourceVersion string) error {
	gvk, err := c.kindOf(obj)
	if err != nil {
		return err
	}
	i, err := c.getInformer(ctx, informerKey{gvk, formOf(obj)}, nil)
	if err != nil {
		return err
	}
	if err := i.entry.informer.WaitFor(ctx, resourceVersion); err != nil {
		return fmt.Errorf("failed waiting for version %q in the %s: %w", resourceVersion, i.name(), err)
	}
	return nil
}
