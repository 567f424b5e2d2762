package wire

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// Object is a pointer to an API type, such as *v1.Foo: what a body is decoded to,
// a cache holds, and a handler is told of.
type Object interface {
	comparable
	metav1.Object
	runtime.Object
}

// Page is what one LIST request answers: the whole collection, or a part of it
// if Continue is not empty.
type Page[T Object] struct {
	Items []T
	// ResourceVersion is the version of the collection, the same on every page.
	ResourceVersion string
	// Continue is the token that asks for the next page.
	Continue string
	// Undecodable are the objects that are not among Items because they cannot be
	// decoded; see Options.SkipUndecodable.
	Undecodable []*DecodeError
	// Held says of each of Items whether it is what Cached returned; nil if none is.
	Held []bool
	// ContentHashes are the hashes of the texts of Items, as Event.ContentHash is; nil
	// if they are not known.
	ContentHashes []uint64
}

// Event is one change that a watch reports, in the order of the server.
type Event[T Object] struct {
	// Type is watch.Added, watch.Modified, watch.Deleted or watch.Bookmark.
	Type watch.EventType
	// Object is the state after the change, and for watch.Deleted the last state.
	// It is nil for a bookmark, and if Undecodable is not.
	Object T
	// ResourceVersion is the version that the watch has reached with this event.
	ResourceVersion string
	// InitialEventsEnd marks the bookmark that ends the initial events of a
	// streaming list (KEP-3157): all that was there has been sent.
	InitialEventsEnd bool
	// Undecodable says of which object the event is and why it cannot be decoded;
	// see Options.SkipUndecodable.
	Undecodable *DecodeError
	// Held says that Object is what Cached returned.
	Held bool
	// ContentHash is a hash of the text of Object, the same for a LIST and a WATCH of one
	// process. It is 0 if it is not known: without a Cached, and for other sources than
	// a Decoder.
	ContentHash uint64
}

// Cached returns the object of that name if the cache holds it at that
// resourceVersion and made it of a text with that hash: a server may answer with other
// content at the same version. contentHash is never 0. Cached is called from several
// goroutines, and must not keep or change the slices.
type Cached[T Object] func(namespace, name, resourceVersion []byte, contentHash uint64) (T, bool)
