package cache

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Object is a pointer to an API type, such as *v1.Foo. It is a type argument itself, of SharedInformer,
// ResourceEventHandler and Store, in programs that know only at run time with which kinds they work.
type Object = wire.Object

// ObjectName identifies an object among those of one resource. Namespace is
// empty for cluster-scoped objects. It is comparable and serves as the key of
// maps and of typed work queues. A plain conversion makes one of client-go's cache.ObjectName
// or of a types.NamespacedName, and the reverse: cache.ObjectName(request.NamespacedName).
type ObjectName struct {
	Namespace string
	Name      string
}

// MetaObjectToName returns the name of obj.
func MetaObjectToName(obj metav1.Object) ObjectName {
	return ObjectName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// String returns "namespace/name", or "name" where there is no namespace. It is
// the inverse of ParseObjectName.
func (n ObjectName) String() string { return listed.Name(n).String() }

// ParseObjectName parses the result of ObjectName.String.
func ParseObjectName(key string) (ObjectName, error) {
	namespace, name, err := SplitMetaNamespaceKey(key)
	return ObjectName{Namespace: namespace, Name: name}, err
}

// MetaNamespaceKeyFunc returns the key of obj, "namespace/name" or "name", for
// work queues of strings.
func MetaNamespaceKeyFunc(obj metav1.Object) string {
	return MetaObjectToName(obj).String()
}

// SplitMetaNamespaceKey returns the namespace and the name in a key of
// MetaNamespaceKeyFunc. The namespace of a cluster-scoped object is empty.
func SplitMetaNamespaceKey(key string) (namespace, name string, err error) {
	first, rest, namespaced := strings.Cut(key, "/")
	switch {
	case !namespaced && first != "":
		return "", first, nil
	case namespaced && first != "" && rest != "" && !strings.Contains(rest, "/"):
		return first, rest, nil
	}
	return "", "", fmt.Errorf("key %q is neither \"name\" nor \"namespace/name\"", key)
}
