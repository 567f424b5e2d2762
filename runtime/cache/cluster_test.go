package cache

import (
	"fmt"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/fieldselector"
)

// newOfCluster returns an informer of the widgets of a cluster, which it reads over bodies.
func newOfCluster(c *cachetest.Cluster, form func(accept string) string, options ...SharedInformerOption) *SharedIndexInformer[object] {
	c.Helper()
	kind := Kind[object]{Resource: widgets, Namespaced: true, Open: func(namespace string) bodies.OpenFunc { return c.Open(namespace, form) }}
	s, err := kind.NewInformer(append(options, WithWatchErrorHandler(quiet))...)
	if err != nil {
		c.Fatal(err)
	}
	return s
}

// color is selectable.
const color fieldselector.Field[object, string] = "spec.color"

// selected returns the options of an informer of the objects that a selector has.
func selected(s cachetest.Selector) (options []SharedInformerOption) {
	if s.ByLabel {
		options = append(options, WithLabelSelector(cachetest.LettersSelector))
	}
	if s.ByField {
		options = append(options, WithFieldSelector(color.IsNot("red")))
	}
	return options
}

func teams(from, to int) (scopes []Scope) {
	for i := from; i < to; i++ {
		scopes = append(scopes, Scope{Namespace: fmt.Sprintf("team-%02d", i)})
	}
	return scopes
}
