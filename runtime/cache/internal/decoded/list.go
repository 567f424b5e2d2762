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

// PageOf returns the items of a typed list. It copies each out of the list's array, so
// that one long-lived object does not keep the whole page alive.
func PageOf[T wire.Object](list runtime.Object) (wire.Page[T], error) {
	listMeta, err := meta.ListAccessor(list)
	if err != nil {
		return wire.Page[T]{}, fmt.Errorf("the client returned a list of type %T without ListMeta: %w", list, err)
	}
	page := wire.Page[T]{
		Items:           make([]wire.Item[T], 0, meta.LenList(list)),
		ResourceVersion: listMeta.GetResourceVersion(),
		Continue:        listMeta.GetContinue(),
	}
	err = meta.EachListItemWithAlloc(list, func(item runtime.Object) error {
		obj, ok := item.(T)
		if !ok {
			return unexpectedType[T](item)
		}
		if _, err := safemeta.NameOf(obj); err != nil {
			return fmt.Errorf("item %d of the client's list: %w", len(page.Items), err)
		}
		page.Items = append(page.Items, wire.Item[T]{Object: obj})
		return nil
	})
	return page, err
}

func unexpectedType[T wire.Object](got runtime.Object) error {
	var want T
	return fmt.Errorf("%w: the client returned a %T instead of a %T", protocol.ErrUnexpectedType, got, want)
}
