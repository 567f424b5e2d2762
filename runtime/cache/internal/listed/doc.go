// Package listed holds the objects that a Reflector has listed, and those that it could not decode: the
// collection while it is being read, and the set of the undecodable objects. It also logs
// those objects, with a limit.
package listed

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Name identifies an object among those of one resource. Namespace is empty for
// cluster-scoped objects.
type Name struct{ Namespace, Name string }

// String returns "namespace/name", or "name" where there is no namespace.
func (n Name) String() string {
	if n.Namespace == "" {
		return n.Name
	}
	return n.Namespace + "/" + n.Name
}

// NameOf returns the name of the object that an item is about.
func NameOf(item *wire.Item) Name {
	if item.Err != nil {
		return nameOfState(item.Err)
	}
	return NameOfObject(item.Object)
}

// NameOfObject returns the name of an object.
func NameOfObject(obj wire.Object) Name {
	return Name{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

func nameOfState(state *wire.DecodeError) Name {
	return Name{Namespace: state.Namespace, Name: state.Name}
}

// IdentityOf returns the UID and the version of the state that an item is about.
func IdentityOf(item *wire.Item) (uid types.UID, resourceVersion string) {
	if item.Err != nil {
		return types.UID(item.Err.UID), item.Err.ResourceVersion
	}
	return item.Object.GetUID(), item.Object.GetResourceVersion()
}
