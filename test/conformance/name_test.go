package conformance

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
	theircache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// TestNamesConvert converts a name to the types of client-go and apimachinery, and back. It
// compiles only while their fields are the same.
func TestNamesConvert(t *testing.T) {
	for _, name := range []cache.ObjectName{{Namespace: "team-a", Name: "web"}, {Name: "node-7"}} {
		theirs, namespaced := theircache.ObjectName(name), types.NamespacedName(name)
		if theirs.String() != name.String() || namespaced.Namespace != name.Namespace || namespaced.Name != name.Name {
			t.Errorf("%v became %v and %v", name, theirs, namespaced)
		}
		if cache.ObjectName(theirs) != name || cache.ObjectName(namespaced) != name {
			t.Errorf("%v and %v did not become %v again", theirs, namespaced, name)
		}
	}
}
