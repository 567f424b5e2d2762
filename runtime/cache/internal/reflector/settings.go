package reflector

import (
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
)

// Settings are the settings of a Reflector.
type Settings struct {
	// Resource is the resource of the objects, for errors.
	Resource *schema.GroupVersionResource
	// Title names the scope in errors. It is empty if there is no other.
	Title string
	// Source has the objects as the Sink gets them. Fake is set if it is a fake of client-go.
	Source source.Source
	Fake   bool

	Backoffs protocol.Backoffs
	Pace     *protocol.Pace // of all Reflectors of an informer
	// FirstLists limit how many first lists are read at one time, if they are not nil. The Reflector joins them in their order.
	FirstLists [2]chan struct{}
	Observer   Observer
	// Random returns a duration below its argument, which is positive.
	Random func(time.Duration) time.Duration
	// Changes counts the changes of the cache that come from elsewhere. Its number before the request becomes Began of a list.
	Changes *atomic.Uint64
	// Scope is the scope of the deltas.
	Scope frontier.ID
	// KeepsUndecodable is set if the Sink gets events about objects that cannot be decoded.
	KeepsUndecodable bool
	StreamingList    bool
}
