package wire

import (
	"errors"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/protobuf"
)

// Head is the part of an object that Options.Keep decides by. A part that the object does not have is
// empty.
type Head struct {
	Namespace, Name, UID []byte

	// metadata is the encoded metadata of the object.
	metadata   []byte
	isProtobuf bool
	isPartial  bool
}

// IsPartial reports whether only a part of the metadata is known, because the object is larger than
// Options.MaxObjectBytes. Then Controller returns nothing, and the names and the UID are known.
func (h *Head) IsPartial() bool { return h.isPartial }

// Controller returns the UID of the controller in the owner references; empty if there is none. It
// reads the metadata again.
func (h *Head) Controller() []byte {
	if h.isProtobuf {
		return protobuf.Controller(h.metadata)
	}
	return plan.Controller(h.metadata)
}

// ErrNotKept is the reason in the DecodeError of an object that Options.Keep leaves out.
var ErrNotKept = errors.New("Options.Keep leaves it out")

// leavesOut reports whether Options.Keep leaves out the object in frame, and returns its head. An
// object without a name is not left out, because it is an error.
func (d *Decoder) leavesOut(c codec, frame []byte) (h plan.Head, out bool) {
	if d.keep == nil {
		return h, false
	}
	h = c.ReadIdentity(frame)
	return h, len(h.Name) > 0 && !d.keep(Head{h.Namespace, h.Name, h.UID, h.Metadata, h.IsProtobuf, false})
}

// leavesOutLarge is leavesOut for the beginning of an object that is too large. It is not left out if the beginning
// has not all names and the UID.
func (d *Decoder) leavesOutLarge(c codec, begin []byte) (h plan.Head, out bool) {
	if d.keep == nil {
		return h, false
	}
	if h = c.ReadHead(begin); h.IsWhole {
		return d.leavesOut(c, begin)
	}
	if h.Name == nil || h.Namespace == nil || h.UID == nil || h.ResourceVersion == nil {
		return h, false
	}
	return h, !d.keep(Head{Namespace: h.Namespace, Name: h.Name, UID: h.UID, isPartial: true})
}

// leftOut returns the event of an object that is left out. h is its head.
func (d *Decoder) leftOut(kind watch.EventType, h plan.Head) Event {
	version := bounded(h.ResourceVersion)
	if d.keepChanges && kind != watch.Added {
		if state := errorOf(h, ErrNotKept); state.Name != "" {
			return Event{Type: NoLongerKept, Item: Item{Err: state}, ResourceVersion: version}
		}
	}
	return Event{Type: LeftOut, ResourceVersion: version, Dropped: 1}
}

// appendResult appends the result of one event. Events in a row that are left out become one result.
func appendResult(results []result, next result) []result {
	if n := len(results); n > 0 && next.event.Type == LeftOut && results[n-1].event.Type == LeftOut {
		results[n-1].event.addDropped(next.event.Dropped, next.event.ResourceVersion)
		return results
	}
	return append(results, next)
}

// addDropped adds events that were left out. version is the version of the last one.
func (e *Event) addDropped(n int32, version string) {
	e.Dropped += n
	if version != "" {
		e.ResourceVersion = version
	}
}
