package crcache

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/rest"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/writes"
)

// ReadYourWrites returns a function for ctrl.Options.NewCache. Its cache is that of New, and has
// the new state of an object as soon as the call that has written it returns. own has to observe
// the requests of the clients that write:
//
//	config := ctrl.GetConfigOrDie()
//	own := &writes.Observer{}
//	config.Wrap(own.Transport)
//	mgr, err := ctrl.NewManager(config, ctrl.Options{NewCache: crcache.ReadYourWrites(own)})
//
// So all clients that are made from config afterwards feed the cache, whatever library they are
// of: that of mgr.GetClient, clientsets, dynamic clients. A client with another HTTP client, such
// as the one in client.Options.HTTPClient, does so if own.Transport wraps the transport of that
// one. Other writes reach the cache by its watch. One Observer may serve several caches, also of
// several servers.
//
// The function returns an error if own is nil or observes no client yet, or if
// Options.NewInformer is set.
func ReadYourWrites(own *writes.Observer) ctrlcache.NewCacheFunc {
	return func(config *rest.Config, options ctrlcache.Options) (ctrlcache.Cache, error) {
		switch {
		case own == nil:
			return nil, errors.New("crcache: ReadYourWrites needs an Observer, but it is nil; use crcache.New for a cache without one")
		case options.NewInformer != nil:
			return nil, errors.New("crcache: ReadYourWrites has no effect on the informers of Options.NewInformer; remove one of the two")
		}
		s, err := resolve(config, options)
		if err != nil {
			return nil, err
		}
		if !own.Attached() {
			return nil, errors.New("crcache: the Observer of ReadYourWrites observes no client; call config.Wrap(own.Transport) before you pass the rest.Config to NewManager")
		}
		s.own = own
		return s.newCache(), nil
	}
}

// WaitFor waits until the cache is complete up to resourceVersion: it has each change of the kind
// of obj that the server made up to then, whoever wrote it. obj only names the kind and the form.
// WaitFor adds an informer if there is none. If ctx ends first, the error has the reason. WaitFor
// also works for a cache of New.
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
