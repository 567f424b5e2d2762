package mutation

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

type objectValue = metav1.PartialObjectMetadata

var variable objectValue

func panicOf(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

// TestDetectorComparesIdentity gives it objects of one array, of a list that
// a client has decoded, and a variable of the program.
func TestDetectorComparesIdentity(t *testing.T) {
	d := New("widgets")
	array := make([]objectValue, 3)
	objs := []*objectValue{&array[0], &array[1], &array[2], &variable}
	var all []wire.Object
	for _, obj := range objs {
		all = append(all, obj)
	}
	d.Check(Reader, all...)
	if d.Copies() != len(objs) {
		t.Errorf("there are %d copies of %d objects", d.Copies(), len(objs))
	}
	d.Check(Reader, all...)
	for i, obj := range objs {
		obj.Name += "x"
		if value := panicOf(func() { d.Check(Reader, obj) }); !strings.HasSuffix(value, "changed: Name") {
			t.Errorf("a change of object %d is reported as %q", i, value)
		}
	}
	runtime.KeepAlive(array)
}
