package cache

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
)

// object and widgets are the kind that these tests are about.
type object = cachetest.Object

var widgets = cachetest.Widgets

type gvr = schema.GroupVersionResource

// quiet is the WatchErrorHandler of tests that fail on purpose.
func quiet(context.Context, gvr, error) {}

// listWatchOf returns the source of a Kind.
func listWatchOf[T Object](of cachetest.Lister[T]) ListerWatcher[T] {
	return ListerWatcher[T]{cachetest.SourceOf(of), source.IsFake(of)}
}

// inside returns the machine of an informer.
func inside[T Object](s *SharedIndexInformer[T]) *sharedInformer { return s.machine.(*sharedInformer) }

// machineOf returns the machine of a cache.
func machineOf[T Object](x *Indexer[T]) *indexer.Indexer { return x.machine.(*indexer.Indexer) }
