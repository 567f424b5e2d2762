package cache

import (
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type ByObject struct{ Transform cache.TransformFunc }

type Options struct {
	DefaultNamespaces map[string]string
	DefaultTransform  cache.TransformFunc
	ByObject          map[client.Object]ByObject
}
