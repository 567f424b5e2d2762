package memory

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// side is one of the runtimes.
type side interface {
	// informer makes an informer that reads from s, with count indexes, and a handler
	// for each counter.
	informer(s *source, count int, counters []*counter) (instance, error)
	// cacheOf makes a cache of these objects, without an informer. It is for its size.
	cacheOf(pods []*corev1.Pod, count int) (any, error)
}

// instance is an informer of one side, and what reads its cache. Reads return how
// many objects they got; their loops are a side's own, so that no call through an
// interface is measured.
type instance interface {
	// run returns when the informer has ended with ctx.
	run(ctx context.Context)
	// get reads count objects, from place first on, in strides.
	get(names []cache.ObjectName, first, count int) error
	listNamespace(namespace string) (int, error)
	listAll() (int, error)
	byNode(node string) (int, error)
	// read returns all objects, those of a namespace, and for each index those with a
	// value, by the name of the query.
	read(namespace string, values map[string]string) (map[string][]*corev1.Pod, error)
}

var errOther = errors.New("another object was found than the one that was looked for")
