package wire

import (
	"strings"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/protobuf"
)

// codec decodes the objects of one type in one encoding. Nothing above it knows which
// encoding that is.
type codec interface {
	// Decode returns a pointer to a new object. It reports false if it gave up: then
	// Unmarshal has to decode the frame.
	Decode(frame []byte) (obj any, ok bool)
	// Check reports whether Decode would not give up. Of the object it decodes no more than the head, in the types of apimachinery.
	// All other fields are undefined.
	Check(frame []byte) (obj any, ok bool)
	// Unmarshal decodes any frame, slower than Decode.
	Unmarshal(frame []byte) (obj any, err error)
	// ReadHead reads which object a frame has. The frame need not be complete.
	ReadHead(frame []byte) plan.Head
	// ReadVersion reads as little of the frame as possible.
	ReadVersion(frame []byte) plan.Head
	// ReadIdentity is ReadVersion that also reads the UID, for Options.Keep.
	ReadIdentity(frame []byte) plan.Head
	// Cut returns a frame, on which Decode has not given up, without the members of the object that mask leaves out. The caller must
	// not change either. It reports false if it cannot read the frame.
	Cut(frame []byte, mask *fieldmask.Mask) (rest []byte, ok bool)
	// ContentHash is never 0.
	ContentHash(frame []byte) uint64
	// diagnose returns the error for the object in frame. err is the error of Unmarshal. If hide
	// is set, the result has no text of the object.
	diagnose(frame []byte, err error, hide bool) *DecodeError
}

// jsonCodec decodes JSON.
type jsonCodec struct {
	*plan.Plan
	sharer memory.Sharer
}

func (c jsonCodec) Decode(frame []byte) (obj any, ok bool) {
	return c.Plan.Decode(frame, c.sharer)
}

func (jsonCodec) ReadHead(frame []byte) plan.Head    { return plan.ReadHead(frame) }
func (jsonCodec) ReadVersion(frame []byte) plan.Head { return plan.ReadVersion(frame) }
func (jsonCodec) ReadIdentity(frame []byte) plan.Head {
	return plan.ReadIdentity(frame)
}
func (jsonCodec) ContentHash(frame []byte) uint64 { return plan.ContentHash(frame) }

func (c jsonCodec) diagnose(frame []byte, err error, hide bool) *DecodeError {
	fault := c.Fault(frame, err)
	e := describe(c, frame, fault.Err)
	e.Path = fault.Path(hide, maxPathBytes)
	e.hiddenPath, e.hiddenErr = fault.Path(true, maxPathBytes), fault.HiddenErr()
	if hide {
		e.Err = e.hiddenErr
		return e
	}
	e.Err = short(e.Err)
	begin := max(fault.At-shownBytes/2, 0)
	e.Near = strings.ToValidUTF8(string(frame[begin:min(fault.At+shownBytes, len(frame))]), "?")
	return e
}

// protobufCodec decodes protobuf. A frame is the message of an object, without its envelope.
type protobufCodec struct {
	*protobuf.Plan
	sharer memory.Sharer
}

func (c protobufCodec) Decode(frame []byte) (obj any, ok bool) {
	return c.Plan.Decode(frame, c.sharer)
}

func (c protobufCodec) diagnose(frame []byte, err error, hide bool) *DecodeError {
	fault := c.Fault(frame, err)
	e := describe(c, frame, short(fault.Err))
	e.hiddenPath, e.hiddenErr = fault.Path(true, maxPathBytes), short(fault.HiddenErr())
	if e.Path = fault.Path(hide, maxPathBytes); hide {
		e.Err = e.hiddenErr
	}
	return e
}
