package protobuf

import "errors"

// Magic is the beginning of an object or a list that is not in a frame of its own. After it
// comes a runtime.Unknown
// (https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding).
const Magic = "k8s\x00"

// The numbers of the fields of runtime.Unknown and of its TypeMeta.
const (
	TypeMetaNumber        = 1
	RawNumber             = 2
	ContentEncodingNumber = 3
	ContentTypeNumber     = 4

	apiVersionNumber = 1
	kindNumber       = 2
)

// The numbers of the fields of a list and its metadata, which go-to-protobuf gives to the
// list types of all APIs.
const (
	ListMetaNumber = 1
	ItemsNumber    = 2
)

// Envelope is a runtime.Unknown. Its fields are parts of the message.
type Envelope struct {
	APIVersion, Kind []byte
	// Raw is the message of the object.
	Raw []byte
	// ContentEncoding and ContentType are empty for a message in protobuf that is not
	// compressed.
	ContentEncoding, ContentType []byte
}

var (
	errNoMagic  = errors.New("it does not begin with k8s and a zero byte")
	errCutOff   = errors.New("a field is cut off or has no end")
	errWrongTag = errors.New("a field has the wrong type, or no number")
)

// ReadEnvelope reads the object of an event.
func ReadEnvelope(b []byte) (e Envelope, err error) {
	if len(b) < len(Magic) || string(b[:len(Magic)]) != Magic {
		return e, errNoMagic
	}
	err = delimitedFields(b[len(Magic):], ContentTypeNumber, func(number uint64, content []byte) error {
		return e.Set(number, content)
	})
	return e, err
}

// Set sets the field of that number.
func (e *Envelope) Set(number uint64, content []byte) error {
	switch number {
	case TypeMetaNumber:
		return delimitedFields(content, kindNumber, func(number uint64, content []byte) error {
			switch number {
			case apiVersionNumber:
				e.APIVersion = content
			case kindNumber:
				e.Kind = content
			}
			return nil
		})
	case RawNumber:
		e.Raw = content
	case ContentEncodingNumber:
		e.ContentEncoding = content
	case ContentTypeNumber:
		e.ContentType = content
	}
	return nil
}

// ReadEvent reads a metav1.WatchEvent, the content of a frame of a watch. Both results are
// parts of b.
func ReadEvent(b []byte) (kind, object []byte, err error) {
	err = delimitedFields(b, 2, func(number uint64, content []byte) error {
		switch number {
		case 1:
			kind = content
		case 2:
			return delimitedFields(content, 1, func(number uint64, content []byte) error {
				if number == 1 {
					object = content
				}
				return nil
			})
		}
		return nil
	})
	return kind, object, err
}

// ReadEventBegin is ReadEvent for the beginning of an event that is too large. The object
// is as much of it as there is.
func ReadEventBegin(b []byte) (kind []byte, e Envelope) {
	fields(b, func(number uint64, content []byte, whole bool) bool {
		switch number {
		case 1:
			kind = content
		case 2:
			fields(content, func(number uint64, content []byte, whole bool) bool {
				if number == 1 && len(content) > len(Magic) && string(content[:len(Magic)]) == Magic {
					fields(content[len(Magic):], func(number uint64, content []byte, whole bool) bool {
						_ = e.Set(number, content)
						return true
					})
				}
				return true
			})
		}
		return true
	})
	return kind, e
}

// delimitedFields calls visit for each field of a message. Those up to last have to have a
// length; others are skipped if they have none.
func delimitedFields(message []byte, last uint64, visit func(number uint64, content []byte) error) error {
	for at := 0; at < len(message); {
		tag, value := readTag(message, at)
		if value == gaveUp {
			return errWrongTag
		}
		if tag&7 != delimited {
			if tag>>3 <= last || tag&7 == endGroup {
				return errWrongTag
			}
			if at, _ = skipAny(message, value, tag); at == gaveUp {
				return errCutOff
			}
			continue
		}
		start, end := readContent(message, value)
		if end == gaveUp {
			return errCutOff
		}
		if err := visit(tag>>3, message[start:end:end]); err != nil {
			return err
		}
		at = end
	}
	return nil
}
