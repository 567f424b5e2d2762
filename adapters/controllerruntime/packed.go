package crcache

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/compression"
)

// WithPackedObjects is an option of NewFunc: the cache keeps the objects of some kinds as the texts of the API server, compressed, and decodes
// those that it returns, so it need not copy them. objects name the kinds; without any, these are all kinds. Package
// runtime/packed has a Compression:
//
//	crcache.NewFunc(crcache.WithPackedObjects(packed.Compression{}, &corev1.Pod{}, &corev1.Secret{}))
//
// UnsafeDisableDeepCopy makes no difference for these kinds. A kind with a transform is a mistake, because
// texts of the server cannot be transformed. TransformStripManagedFields is allowed: managed fields are cut from the texts.
func WithPackedObjects(compression compression.Method, objects ...client.Object) Option {
	return func(s *settings) error {
		switch {
		case compression == nil:
			return errors.New("crcache: WithPackedObjects needs a Method, but it is nil; pass packed.Compression{}")
		case s.packing.compression != nil:
			return errors.New("crcache: WithPackedObjects is there twice; pass all kinds to one")
		}
		return s.pack(compression, objects)
	}
}

// packing tells which kinds are packed.
type packing struct {
	compression compression.Method // nil if none is
	// kinds are the only ones; nil for all.
	kinds map[schema.GroupVersionKind]struct{}
}

// of returns how a kind is packed, or nil.
func (p *packing) of(gvk schema.GroupVersionKind) compression.Method {
	if _, is := p.kinds[gvk]; p.kinds != nil && !is {
		return nil
	}
	return p.compression
}

// pack makes the informers of some kinds pack their objects; no objects mean all kinds.
func (s *settings) pack(compression compression.Method, objects []client.Object) error {
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
		gvk, err := s.kindIn("WithPackedObjects", obj)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.packing.kinds[gvk] = struct{}{}
		for _, p := range s.plansOf(gvk) {
			errs = append(errs, checkPlan(gvk.Kind, p))
		}
	}
	return errors.Join(errs...)
}

// checkPlan returns an error if the objects of a plan cannot be packed.
func checkPlan(what string, p *plan) error {
	if p == nil || !p.transforms {
		return nil
	}
	return fmt.Errorf("crcache: WithPackedObjects: %s has a Transform, but packed objects are the texts of the server, so they cannot be transformed; remove the Transform, or pass the other kinds to WithPackedObjects", what)
}
