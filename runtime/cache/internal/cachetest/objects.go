package cachetest

import (
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Object is the kind that tests are about.
type Object = *metav1.PartialObjectMetadata

// Widgets is its resource.
var Widgets = schema.GroupVersionResource{Group: "test.example.com", Version: "v1", Resource: "widgets"}

// Name is the name of an object. A cache.ObjectName and a listed.Name can be assigned to it, and the reverse.
type Name = struct{ Namespace, Name string }

// NameOf returns the name of obj.
func NameOf(obj metav1.Object) Name { return Name{obj.GetNamespace(), obj.GetName()} }

// Key returns the key of obj, namespace/name or name.
func Key(obj metav1.Object) string { return listed.Name(NameOf(obj)).String() }

// Versioned returns an object without a namespace.
func Versioned(name, version, uid, letters string) Object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: name, ResourceVersion: version, UID: types.UID(uid), Labels: map[string]string{"letters": letters},
	}}
}

// Numbered returns an object whose name is a number.
func Numbered(n int) Object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: strconv.Itoa(n)}}
}

// Many makes objects for a store of more than one chunk.
func Many(name, version int, letters string) Object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: fmt.Sprint("ns-", name%7), Name: fmt.Sprint("object-", name), ResourceVersion: fmt.Sprint(version),
		Labels: map[string]string{"letters": letters},
	}}
}

// VersionOf returns the version of obj as a number.
func VersionOf(obj Object) (n int) {
	if _, err := fmt.Sscan(obj.ResourceVersion, &n); err != nil {
		panic(err)
	}
	return n
}

// ByLetters indexes an object under each letter of its label "letters".
func ByLetters(obj Object) []string { return strings.Split(obj.Labels["letters"], "") }

// WireItem returns an object as a source has it.
func WireItem(obj wire.Object) wire.Item { return wire.Item{Object: obj} }

// WireItems returns objects as a source has them.
func WireItems(objs ...Object) []wire.Item {
	items := make([]wire.Item, len(objs))
	for i, obj := range objs {
		items[i].Object = obj
	}
	return items
}

// KeptBatch is the length of a batch whose memory is certainly reused. Slices grow to a size class, so that one of almost
// deltafifo.MaxReuse may have more room than that.
const KeptBatch = deltafifo.MaxReuse / 2
