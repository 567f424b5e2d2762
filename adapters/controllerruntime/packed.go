package crcache

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// Packed returns a function for ctrl.Options.NewCache. Its cache is that of newCache, which is New or a result of
// ReadYourWrites. It keeps the objects of some kinds as the texts of the API server, compressed, and decodes those that it
// returns, so it need not copy them. objects name the kinds; without any, these are all kinds. package runtime/packed has a Compression:
//
//	ctrl.Options{NewCache: crcache.Packed(crcache.New, packed.Compression{}, &corev1.Pod{}, &corev1.Secret{})}
//
// UnsafeDisableDeepCopy makes no difference for these kinds. The function returns an error for a kind with a transform, because
// texts of the server cannot be transformed. TransformStripManagedFields is allowed: managed fields are cut from the texts.
func Packed(newCache ctrlcache.NewCacheFunc, compression cache.Compression, objects ...client.Object) ctrlcache.NewCacheFunc {
	return func(config *rest.Config, options ctrlcache.Options) (ctrlcache.Cache, error) {
		if compression == nil {
			return nil, errors.New("crcache: Packed needs a Compression, but it is nil; pass packed.Compression{}")
		}
		made, err := newCache(config, options)
		if err != nil {
			return nil, err
		}
		c, is := made.(*Cache)
		if !is {
			return nil, fmt.Errorf("crcache: Packed has no effect on a %T; pass New or ReadYourWrites, and no Options.NewInformer", made)
		}
		return c, c.settings.pack(compression, objects)
	}
}

// packing tells which kinds are packed.
type packing struct {
	compression cache.Compression // nil if none is
	// kinds are the only ones; nil for all.
	kinds map[schema.GroupVersionKind]struct{}
}

// of returns how a kind is packed, or nil.
func (p *packing) of(gvk schema.GroupVersionKind) cache.Compression {
	if _, is := p.kinds[gvk]; p.kinds != nil && !is {
		return nil
	}
	return p.compression
}

// pack makes the informers of some kinds pack their objects; no objects mean all kinds.
func (s *settings) pack(compression cache.Compression, objects []client.Object) error {
	s.packing.compression = compression
	var errs []error
	if len(objects) == 0 {
		errs = append(errs, checkPlan("the default of Options", s.namespaced), checkPlan("the default of Options", s.clustered))
		for gvk, p := range s.byKind {
			errs = append(errs, checkPlan(gvk.Kind, p))
		}
		return errors.Join(errs...)
	}
	s.packing.kinds = make(map[schema.GroupVersionKind]struct{}, len(objects))
	for _, obj := range objects {
		gvk, err := apiutil.GVKForObject(obj, s.scheme)
		if err != nil {
			errs = append(errs, fmt.Errorf("crcache: Packed(%T): %w", obj, err))
			continue
		}
		s.packing.kinds[gvk] = struct{}{}
		if p := s.byKind[gvk]; p != nil {
			errs = append(errs, checkPlan(gvk.Kind, p))
		} else {
			errs = append(errs, checkPlan(gvk.Kind, s.namespaced), checkPlan(gvk.Kind, s.clustered))
		}
	}
	return errors.Join(errs...)
}

// checkPlan returns an error if the objects of a plan cannot be packed.
func checkPlan(what string, p *plan) error {
	if p == nil || !p.transforms {
		return nil
	}
	return fmt.Errorf("crcache: Packed: %s has a Transform, but packed objects are the texts of the server, so they cannot be transformed; remove the Transform, or pass the other kinds to Packed", what)
}
