package wire

import (
	"fmt"
	"io"
	"math"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/protobuf"
)

// readProtobuf reads a list in protobuf: a magic number, and then an envelope without a
// length. The envelope has the message of the list, which is not held as a whole.
func (r *listReader) readProtobuf() error {
	s := r.source
	r.codec = r.decoder.protobuf()
	switch magic, err := s.bytes(len(protobuf.Magic)); {
	case err != nil:
		return err
	case string(magic) != protobuf.Magic:
		return &SyntaxError{Near: shown(magic), Want: "a list"}
	}
	if err := r.decoder.checkProtobuf(); err != nil {
		return err
	}
	seen := false
	for {
		tag, _, err := s.varint()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = checkTag(tag)
		}
		if err != nil {
			return err
		}
		left := math.MaxInt
		switch {
		case tag == protobuf.RawNumber<<3|2 && r.kind != "Status":
			if seen {
				return &SyntaxError{Near: "a second one", Want: "one list"}
			}
			seen = true
			err = r.readList(&left)
		case tag>>3 <= protobuf.ContentTypeNumber && tag&7 != 2:
			err = &SyntaxError{Near: fmt.Sprintf("a field of type %d", tag&7), Want: "the envelope of a list"}
		case tag>>3 <= protobuf.ContentTypeNumber:
			var content []byte
			if content, err = r.content(&left); err == nil {
				err = r.setEnvelope(tag>>3, content)
			}
		default:
			err = r.skipField(tag, &left)
		}
		if err != nil {
			return err
		}
	}
	if err := r.flush(true); err != nil {
		return err
	}
	if r.kind == "Status" {
		return statusError(r.failure)
	}
	r.listed = seen
	return r.check()
}

// setEnvelope sets a field of the envelope, before the block that has it is left.
func (r *listReader) setEnvelope(number uint64, content []byte) error {
	var e protobuf.Envelope
	if err := e.Set(number, content); err != nil {
		return &SyntaxError{Near: fmt.Sprintf("a field that cannot be read (%v)", err), Want: "the envelope of a list"}
	}
	switch number {
	case protobuf.TypeMetaNumber:
		if e.Kind != nil {
			r.kind = string(e.Kind)
		}
		if e.APIVersion != nil {
			r.apiVersion = string(e.APIVersion)
		}
	case protobuf.RawNumber:
		if err := protobuf.Unmarshal(e.Raw, &r.failure); err != nil {
			return &SyntaxError{Near: fmt.Sprintf("a Status that cannot be read (%v)", err), Want: "a list"}
		}
	}
	return checkContent(&e)
}

// content reads the length and the content of a field. left is the number of bytes of the
// message that are not read.
func (r *listReader) content(left *int) ([]byte, error) {
	size, err := r.length(left)
	if err != nil {
		return nil, err
	}
	return r.source.message(size)
}

// length reads the length of a field, of which it removes the bytes from left.
func (r *listReader) length(left *int) (int, error) {
	size, err := r.varint(left)
	if err != nil {
		return 0, err
	}
	if size > uint64(*left) {
		return 0, &SyntaxError{Near: fmt.Sprintf("a field of %d bytes where %d bytes are left", size, *left), Want: "a list in protobuf"}
	}
	*left -= int(size)
	return int(size), nil
}

// varint reads an integer in the middle of a message.
func (r *listReader) varint(left *int) (uint64, error) {
	v, size, err := r.source.varint()
	if err != nil {
		return 0, cut(err)
	}
	if *left -= size; *left < 0 {
		return 0, &SyntaxError{Near: "a field that does not end in its message", Want: "a list in protobuf"}
	}
	return v, nil
}

// checkTag returns an error for a tag without a valid number. Generated code drops the upper
// bits of a larger one, so it could be that of an item.
func checkTag(tag uint64) error {
	if tag>>3 == 0 || tag > math.MaxUint32 {
		return &SyntaxError{Near: fmt.Sprintf("a field with the number %d", tag>>3), Want: "a list in protobuf"}
	}
	return nil
}

// skipField consumes the value of an unknown field.
func (r *listReader) skipField(tag uint64, left *int) error {
	size, err := 0, error(nil)
	switch tag & 7 {
	case 0:
		_, err = r.varint(left)
	case 1:
		size = 8
	case 2:
		size, err = r.length(left)
		*left += size
	case 5:
		size = 4
	default:
		err = &SyntaxError{Near: fmt.Sprintf("a field of type %d", tag&7), Want: "a list in protobuf"}
	}
	switch {
	case err != nil:
		return err
	case size > *left:
		return &SyntaxError{Near: "a field that does not end in its message", Want: "a list in protobuf"}
	}
	*left -= size
	return r.source.discard(size)
}

// readList reads the message of a list, whose length comes first.
func (r *listReader) readList(outer *int) error {
	if err := r.checkBefore(); err != nil {
		return err // before all of its items are read
	}
	r.setTypeMeta()
	left, err := r.length(outer)
	if err != nil {
		return err
	}
	for left > 0 {
		tag, err := r.varint(&left)
		if err == nil {
			err = checkTag(tag)
		}
		if err != nil {
			return err
		}
		switch tag {
		case protobuf.ItemsNumber<<3 | 2:
			err = r.readItem(&left)
		case protobuf.ListMetaNumber<<3 | 2:
			var content []byte
			if content, err = r.content(&left); err == nil {
				if wrong := protobuf.Unmarshal(content, &r.meta); wrong != nil {
					err = &SyntaxError{Near: fmt.Sprintf("metadata that cannot be read (%v)", wrong), Want: "the metadata of a list"}
				}
			}
		default:
			if tag>>3 <= protobuf.ItemsNumber {
				return &SyntaxError{Near: fmt.Sprintf("a field of type %d", tag&7), Want: "the metadata or an item of a list"}
			}
			err = r.skipField(tag, &left)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readItem reads an item, whose length comes first.
func (r *listReader) readItem(left *int) error {
	frame, err := r.content(left)
	if large, ok := err.(*TooLargeError); ok {
		return r.skip(frame, large)
	}
	if err == nil {
		r.add(frame)
	}
	return err
}
