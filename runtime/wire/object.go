package wire

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
)

// Object is a pointer to an API type, such as *v1.Foo. Bodies are decoded to it, caches
// hold it, and handlers receive it.
type Object interface {
	metav1.Object
	runtime.Object
}

// typeMeta is the kind of objects whose own texts may lack it: messages in an envelope, and items of a list.
type typeMeta struct {
	metav1.TypeMeta
	// err is the *KindError of a kind that was not wanted.
	err error
}

// set sets the kind of obj if obj has none. It returns m, or nil if obj had a kind already. m may be nil.
func (m *typeMeta) set(obj runtime.Object) *typeMeta {
	if m != nil && safemeta.SetMissingKind(obj, &m.TypeMeta) {
		return m
	}
	return nil
}

// Item is one object of a list or a watch, or the error that it has in place of the object.
type Item struct {
	// Object is nil if Err is not, and in a bookmark.
	Object Object
	// ContentHash is a hash of the text of Object. LIST and WATCH responses of one
	// process have the same hash for the same text. It is 0 if it is not known: without
	// a Cached, and for other sources than a Decoder.
	ContentHash uint64
	// Held reports whether Object is the one that Cached returned.
	Held bool
	// Err names the object that cannot be decoded, and the reason; see
	// Options.SkipUndecodable.
	Err *DecodeError
}

// Page is the response to one LIST request: the whole collection, or a part of it
// if Continue is not empty.
type Page struct {
	// Items includes, with an Err, the objects that were skipped because they cannot
	// be decoded. The slice belongs to the caller.
	Items []Item
	// ResourceVersion is the version of the collection, the same on every page.
	ResourceVersion string
	// Continue is the token for the request of the next page.
	Continue string
	// Shard is the selector in ListMeta.ShardInfo (KEP-5866), or empty: the server has sent only the objects of that shard.
	Shard string
	// Dropped is the number of items that Options.Keep has left out.
	Dropped int
	// First is "namespace/name" of the first object that the server has sent, also if it was left
	// out. It is set only with Options.Keep.
	First string
}

// Event is one change that a watch reports, in the order of the server.
type Event struct {
	// Type is watch.Added, watch.Modified, watch.Deleted or watch.Bookmark, or, if Options.Keep is set, LeftOut or NoLongerKept.
	Type watch.EventType
	// Item has the state after the change, and for watch.Deleted the last state. It is
	// empty for a bookmark.
	Item
	// ResourceVersion is the version that the watch has reached with this event.
	ResourceVersion string
	// InitialEventsEnd marks the bookmark that ends the initial events of a
	// streaming list (KEP-3157): the server has sent all objects of the collection.
	InitialEventsEnd bool
	// Dropped is the number of events before this one that Options.Keep has left out. It is small,
	// because an idle informer keeps the memory of a batch of events.
	Dropped int32
}

const (
	// LeftOut is the Type of an Event that stands only for events that Options.Keep has left out, if no event with an object has
	// arrived after them. It has their number and the version of the last one.
	LeftOut watch.EventType = "LEFT_OUT"
	// NoLongerKept is the Type of an Event of an object that still exists, and that Options.Keep leaves out; see
	// Options.KeepChanges.
	NoLongerKept watch.EventType = "NO_LONGER_KEPT"
)

// Cached returns the object of that name if the cache holds it at that
// resourceVersion and decoded it from a text with that hash: a server may answer with
// other content at the same version. contentHash is never 0. Cached is called from
// several goroutines, and must not keep or change the slices.
type Cached func(namespace, name, resourceVersion []byte, contentHash uint64) (Object, bool)
