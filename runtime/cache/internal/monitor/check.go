package monitor

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/difference"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// check counts the objects that the decoder and apimachinery's serializers have both decoded, and logs each field that differs.
type check struct {
	wire.Check
	logger func() klog.Logger

	equal, different atomic.Uint64

	mu     sync.Mutex // guards logged
	logged []string
}

func newCheck(oneIn int, logger func() klog.Logger) *check {
	k := &check{logger: logger}
	k.OneIn, k.Compare = uint64(oneIn), k.compare
	return k
}

// maxLogged is the number of fields that are logged.
const maxLogged = 50

// compare is Check.Compare.
func (k *check) compare(c wire.Compared) {
	var fields []string
	switch {
	case c.Err != nil:
		fields = []string{"the object, which the serializer refuses"} // its error may have contents
	case !reflect.DeepEqual(c.Got, c.Want): // which is faster than to make paths
		fields = difference.Fields(c.Got, c.Want, c.IsView)
	}
	if len(fields) == 0 {
		k.equal.Add(1)
		return
	}
	k.different.Add(1)
	k.mu.Lock()
	defer k.mu.Unlock()
	fields = slices.DeleteFunc(fields, func(field string) bool { return slices.Contains(k.logged, field) })
	fields = fields[:min(len(fields), maxLogged-len(k.logged))]
	if len(fields) == 0 {
		return
	}
	k.logged = append(k.logged, fields...)
	k.logger().Error(nil, "The decoder and apimachinery's serializer read fields of an object differently; set INFORMER_DECODER=reference in the environment of the program, and report it",
		"object", printable.Text(listed.NameOfObject(c.Got).String()), "fields", strings.Join(fields, ", "))
}
