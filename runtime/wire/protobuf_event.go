package wire

import (
	"encoding/binary"
	"fmt"
	"math"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/protobuf"
)

// typeMetaOf returns the kind in an envelope. Nearly always it equals the one of the last event, so
// that its strings are shared.
func (d *Decoder) typeMetaOf(e protobuf.Envelope) *typeMeta {
	last := d.typeMeta.Load()
	if last != nil && last.Kind == string(e.Kind) && last.APIVersion == string(e.APIVersion) {
		return last
	}
	m := &typeMeta{TypeMeta: metav1.TypeMeta{Kind: string(e.Kind), APIVersion: string(e.APIVersion)}}
	m.err = d.checkTypeMeta(m.APIVersion, m.Kind, "")
	if m.err == nil {
		d.typeMeta.Store(m)
	}
	return m
}

// readEnvelope reads the envelope of one object.
func readEnvelope(b []byte) (protobuf.Envelope, error) {
	e, err := protobuf.ReadEnvelope(b)
	if err != nil {
		return e, &SyntaxError{Near: fmt.Sprintf("an object in protobuf that cannot be read (%v)", err), Want: "the envelope of an object"}
	}
	return e, checkContent(&e)
}

// checkContent returns an error for an envelope of another encoding.
func checkContent(e *protobuf.Envelope) error {
	if len(e.ContentEncoding) > 0 || len(e.ContentType) > 0 && string(e.ContentType) != runtime.ContentTypeProtobuf {
		return &SyntaxError{Near: fmt.Sprintf("content of the type %q with the encoding %q", shown(e.ContentType), shown(e.ContentEncoding)), Want: "a message in protobuf"}
	}
	return nil
}

// checkProtobuf returns an error if objects cannot be decoded from protobuf.
func (d *Decoder) checkProtobuf() error {
	if !d.protobuf().CanUnmarshal() {
		return &SyntaxError{Near: protobuf.Magic, Want: wantJSON}
	}
	return nil
}

// nextOfProtobuf returns a frame: the message of an event. Four bytes before it have its
// length.
func (s *Stream) nextOfProtobuf() ([]byte, error) {
	if _, err := s.source.first(); err != nil {
		return nil, err
	}
	if err := s.decoder.checkProtobuf(); err != nil {
		return nil, err
	}
	length, err := s.source.bytes(4)
	if err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(length)
	if int64(size) > math.MaxInt {
		return nil, &SyntaxError{Near: fmt.Sprintf("a frame of %d bytes", size), Want: "an event"}
	}
	return s.source.message(int(size))
}

// appendProtobuf appends the result of the event in frame.
func (d *Decoder) appendProtobuf(results []result, frame []byte) []result {
	event, err := d.protobufEvent(frame)
	return appendResult(results, result{event, d.withoutText(err)})
}

// protobufEvent decodes a frame.
func (d *Decoder) protobufEvent(frame []byte) (event Event, err error) {
	name, object, err := protobuf.ReadEvent(frame)
	if err != nil {
		return event, &SyntaxError{Near: fmt.Sprintf("a frame that cannot be read (%v)", err), Want: "an event"}
	}
	e, err := readEnvelope(object)
	if err != nil {
		return event, err
	}
	switch kind := eventType(name); {
	case isChange(kind):
		c, meta := d.protobuf(), d.typeMetaOf(e)
		if meta.err != nil {
			return event, describe(c, e.Raw, meta.err)
		}
		if h, out := d.leavesOut(c, e.Raw); out {
			return d.leftOut(kind, h), nil
		}
		return d.change(kind, d.object(c, e.Raw, howToDecode{mayBeHeld: kind == watch.Added, meta: meta}))
	case kind == watch.Bookmark:
		return protobufBookmark(e.Raw)
	case kind == watch.Error:
		return event, protobufFailure(string(e.Kind), e.Raw)
	default:
		return event, &SyntaxError{Near: fmt.Sprintf("an event of type %q", shown(string(kind))), Want: "an event of a known type"}
	}
}

// protobufBookmark reads the metadata of a bookmark. Its kind does not matter.
func protobufBookmark(message []byte) (Event, error) {
	var mark metav1.PartialObjectMetadata
	if err := protobuf.Unmarshal(message, &mark); err != nil {
		return Event{}, &SyntaxError{Near: fmt.Sprintf("an object that cannot be read (%v)", err), Want: "the object of a bookmark"}
	}
	return Event{
		Type:             watch.Bookmark,
		ResourceVersion:  mark.ResourceVersion,
		InitialEventsEnd: mark.Annotations[metav1.InitialEventsAnnotationKey] == "true",
	}, nil
}

// protobufFailure returns the error of a Status.
func protobufFailure(kind string, message []byte) error {
	var status metav1.Status
	if err := protobuf.Unmarshal(message, &status); err != nil {
		return &SyntaxError{Near: fmt.Sprintf("a Status that cannot be read (%v)", err), Want: "the Status of an error"}
	}
	if isEmpty(&status) && kind != "Status" || kind != "" && kind != "Status" {
		return &SyntaxError{Near: fmt.Sprintf("an object of kind %q", shown(kind)), Want: "the Status of an error"}
	}
	return statusError(status)
}

// skipLargeProtobuf returns the event of a frame that is too large. begin is the beginning of
// the frame. If it does not have the type and the name of the object, the error is large.
func (d *Decoder) skipLargeProtobuf(begin []byte, large *TooLargeError) (Event, error) {
	kind, e := protobuf.ReadEventBegin(begin)
	if h, out := d.leavesOutLarge(d.protobuf(), e.Raw); out && isChange(eventType(kind)) {
		return d.leftOut(eventType(kind), h), nil
	}
	return d.largeChange(eventType(kind), d.headOf(&e), large)
}

// headOf returns the head of the object in an envelope, which need not be complete.
func (d *Decoder) headOf(e *protobuf.Envelope) plan.Head {
	h := d.protobuf().ReadHead(e.Raw)
	h.Kind, h.APIVersion = e.Kind, e.APIVersion
	return h
}
