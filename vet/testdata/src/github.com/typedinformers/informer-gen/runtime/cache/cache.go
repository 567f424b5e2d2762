// Package cache has what the analyzers know of the package.
package cache

import (
	"context"
	"iter"

	"k8s.io/apimachinery/pkg/labels"
)

type Object interface{ GetName() string }

type Lister[T Object] struct{}

func (l *Lister[T]) Get(name string) (t T, err error)           { return t, nil }
func (l *Lister[T]) List(selector labels.Selector) ([]T, error) { return nil, nil }

type Indexer[T Object] struct{}

func (x *Indexer[T]) All() iter.Seq[T] { return nil }

type ResourceEventHandler[T Object] interface {
	OnAdd(obj T, isInInitialList bool)
}

type ResourceEventHandlerFuncs[T Object] struct {
	AddFunc    func(obj T, isInInitialList bool)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj T, finalStateUnknown bool)
}

func (r ResourceEventHandlerFuncs[T]) OnAdd(obj T, isInInitialList bool) {}

type SharedIndexInformer[T Object] struct{}

func (s *SharedIndexInformer[T]) AddEventHandler(handler ResourceEventHandler[T]) (any, error) {
	return nil, nil
}
func (s *SharedIndexInformer[T]) SetTransform(transform TransformFunc[T]) error { return nil }
func (s *SharedIndexInformer[T]) GetIndexer() *Indexer[T]                       { return nil }
func (s *SharedIndexInformer[T]) Run(ctx context.Context)                       {}

type TransformFunc[T Object] func(obj T) (T, error)

type SharedInformerOption func()

func WithTransform[T Object](transform TransformFunc[T]) SharedInformerOption { return nil }
