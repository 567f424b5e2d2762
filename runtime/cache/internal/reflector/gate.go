package reflector

import (
	"errors"
	"fmt"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// gate is where each object enters a cache: all that a server or a client has sent come through it, and only those of the Go
// type and of the scope go on.
type gate struct {
	*Settings
	// trim drops from objects of a client what our decoder does not decode. It is nil for our decoder.
	trim func(wire.Object)
}

// excludes reports whether the scope does not have what an item is about. A server may ignore field selectors, as fakes do.
func (g *gate) excludes(item *wire.Item) bool {
	if !g.Rule.HasTerms() { // nearly always
		return false
	}
	name := listed.NameOf(item)
	return g.Rule.Excludes(name.Namespace, name.Name)
}

// admit transforms the object of an item. isListed is set for one of a list.
func (g *gate) admit(item *wire.Item, isListed bool) (err error) {
	if g.Namespace != "" {
		if name := listed.NameOf(item); name.Namespace != g.Namespace {
			// No relist of this namespace would remove it from the cache.
			return g.ObjectError(name, fmt.Errorf("the server sent the object for namespace %s", g.Namespace))
		}
	}
	if item.Err == nil && !item.Held { // a held object is the result of the transform
		if item.Object, err = g.object(item.Object); err == nil {
			g.pack(item, isListed)
		}
	}
	return err
}

// pack gives an object of a client the form of the cache, if that has packed objects. A decoder has packed its objects.
func (g *gate) pack(item *wire.Item, isListed bool) {
	if packing := store.PackingOf(&g.Form); packing != nil {
		item.Object = packing.Keep(item.Object, isListed)
	}
}

// object returns obj after the transform, without the parts that options leave out.
func (g *gate) object(obj wire.Object) (wire.Object, error) {
	if !g.Form.Accepts(obj) {
		return nil, g.ObjectError(listed.NameOfObject(obj), source.UnexpectedType(obj, g.Form.Type()))
	}
	if g.trim != nil {
		g.trim(obj)
	}
	if g.Transform == nil {
		return obj, nil
	}
	name := listed.NameOfObject(obj) // before the transform may change it
	result, err := g.Transform(obj)
	if err == nil && result == nil {
		err = errors.New("the function returned neither an object nor an error")
	}
	if err == nil && listed.NameOfObject(result) != name {
		err = errors.New("the function changed the name or the namespace of the object")
	}
	if err != nil {
		return result, g.ObjectError(name, fmt.Errorf("transform: %w", err))
	}
	return result, nil
}
