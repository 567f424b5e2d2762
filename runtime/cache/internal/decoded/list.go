// Package decoded reads the lists and watches of typed clients, which have decoded the objects, as the
// pages and events of package wire. It also makes views of objects that a client returns whole.
package decoded

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// PageOf returns the items of a typed list, of any Go type. It copies each out of the list's array, so
// that one long-lived object does not keep the whole page alive.
func PageOf(list runtime.Object) (wire.Page, error) {
	listMeta, err := meta.ListAccessor(list)
	if err != nil {
		return wire.Page{}, fmt.Errorf("the client returned a list of type %T without ListMeta: %w", list, err)
	}
	page := wire.Page{
		Items:           make([]wire.Item, 0, meta.LenList(list)),
		ResourceVersion: listMeta.GetResourceVersion(),
		Continue:        listMeta.GetContinue(),
	}
	err = meta.EachListItemWithAlloc(list, func(item runtime.Object) error {
		obj, ok := item.(wire.Object)
		if !ok {
			return errNoMetadata(item)
		}
		if _, err := safemeta.NameOf(obj); err != nil {
			return fmt.Errorf("item %d of the client's list: %w", len(page.Items), err)
		}
		page.Items = append(page.Items, wire.Item{Object: obj})
		return nil
	})
	return page, err
}

// errNoMetadata is the error of an object of the client that cannot be one of a collection.
func errNoMetadata(got runtime.Object) error {
	return fmt.Errorf("%w: the client returned a %T, which has no metadata", protocol.ErrUnexpectedType, got)
}
