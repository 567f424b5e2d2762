package clientgo

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// View is how an adapter shows the objects of an informer to client-go. The zero View shows
// them as they are.
type View struct {
	// Name comes before the names of indexes, so that two views of one informer can have
	// indexes of the same name. A view does not have the indexes of a view with another name.
	// Without a Name, an adapter has all indexes of the informer.
	Name string
	// Object returns another form of an object, of the same name and namespace. It is called for
	// each object that is read or passed to a handler or an index function, from any goroutine. It
	// must not change the object. It returns nil for an object that the view does not have: reads
	// and handlers leave it out, and index functions get nil. If Object is not nil, the adapter has
	// no writes and no transform.
	Object func(obj cache.Object) runtime.Object
}

// shown returns obj as client-go gets it, or nil if the view does not have it.
func (v *View) shown(obj cache.Object) any {
	if v.Object == nil {
		return obj
	}
	return v.other(obj)
}

// other returns the other form of obj, or nil. It is not a part of shown, which the compiler
// inlines.
func (v *View) other(obj cache.Object) any {
	if shown := v.Object(obj); shown != nil {
		return shown
	}
	return nil // and not an any of type runtime.Object
}

// has reports whether the view has an object.
func (v *View) has(obj cache.Object) bool { return v.Object == nil || v.Object(obj) != nil }

// indexName returns the name that an index of the view has in the informer.
func (v *View) indexName(name string) string {
	if v.Name == "" || name == toolscache.NamespaceIndex {
		return name
	}
	return v.Name + "/" + name
}

// ownName returns the name in the view of an index of the informer, and whether it has one.
func (v *View) ownName(indexName string) (string, bool) {
	if v.Name == "" || indexName == toolscache.NamespaceIndex {
		return indexName, true
	}
	return strings.CutPrefix(indexName, v.Name+"/")
}
