package crcache

import (
	"errors"

	"k8s.io/client-go/rest"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
)

// Option is an option of NewFunc.
type Option func(*settings) error

// NewFunc returns a function for ctrl.Options.NewCache. It returns a *Cache with some options:
//
//	ctrl.Options{NewCache: crcache.NewFunc(
//		crcache.WithReadYourWrites(own),
//		crcache.WithPackedObjects(packed.Compression{}, &corev1.Pod{}),
//	)}
//
// The error of the function, which NewManager returns, joins all mistakes in the options, also in those of the manager.
func NewFunc(options ...Option) ctrlcache.NewCacheFunc {
	return func(config *rest.Config, of ctrlcache.Options) (ctrlcache.Cache, error) {
		if of.NewInformer != nil && len(options) > 0 {
			return nil, errors.New("crcache: the options of NewFunc have no effect on the informers of Options.NewInformer; remove NewInformer, or use crcache.New")
		}
		if of.NewInformer != nil {
			return ctrlcache.New(config, of)
		}
		s, err := resolve(config, of)
		if s == nil {
			return nil, err
		}
		errs := []error{err}
		for _, option := range options {
			if option == nil {
				errs = append(errs, errors.New("crcache: an option of NewFunc is nil; remove it"))
				continue
			}
			errs = append(errs, option(s))
		}
		errs = append(errs, s.guard(of.HTTPClient), s.checkReferences(), s.addNamespaceInformer())
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		return s.newCache(), nil
	}
}

// New is NewFunc without options. If options.NewInformer is set, that function makes the informers, so New returns
// controller-runtime's own cache, which is no *Cache.
func New(config *rest.Config, options ctrlcache.Options) (ctrlcache.Cache, error) {
	return NewFunc()(config, options)
}
