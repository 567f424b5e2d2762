package protobuf

import (
	"encoding/binary"
	"reflect"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
)

// Cut returns a message without the fields that mask leaves out, which has their names in JSON. The bytes of all others stay as they
// are, apart from the lengths of messages in which something was left out. It reports false if it cannot read the message.
//
// The message is one that Decode has not given up on. In others, an entry of a map may go on in the bytes after it, as the methods of
// generated code read it.
func (p *Plan) Cut(message []byte, mask *fieldmask.Mask) (rest []byte, ok bool) {
	return cut(make([]byte, 0, len(message)), message, p.whole, mask)
}

// cut appends the part of a message of a struct type that mask keeps. It reports false if it cannot read the message.
func cut(rest, message []byte, of reflect.Type, mask *fieldmask.Mask) (_ []byte, ok bool) {
	known := walkedFields(of)
	for at := 0; at < len(message); {
		tag, value := readTag(message, at)
		if value == gaveUp {
			return nil, false
		}
		end, _ := skipAny(message, value, tag)
		if end == gaveUp {
			return nil, false
		}
		inner := mask.At("")
		f, isKnown := known[tag>>3]
		if isKnown {
			inner = maskOf(&f, mask)
		}
		switch {
		case inner.KeepsNothing():
		case inner == nil, !isKnown, tag&7 != delimited, ownMethod(f.typ):
			rest = append(rest, message[at:end]...)
		default:
			start, _ := readContent(message, value)
			if rest, ok = appendCut(rest, message[at:value], message[start:end], f.typ, inner); !ok {
				return nil, false
			}
		}
		at = end
	}
	return rest, true
}

// appendCut appends the part that mask keeps of the field of a message, or of an entry of a map. tag are the bytes of its tag.
func appendCut(rest, tag, content []byte, of reflect.Type, mask *fieldmask.Mask) ([]byte, bool) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	inner, ok := content, true
	if of.Kind() == reflect.Map {
		key, isRead := keyOf(content)
		if mask = mask.At(key); mask.KeepsNothing() || !isRead {
			return rest, isRead
		}
		if mask != nil {
			inner, ok = cutEntry(content, of.Elem(), mask)
		}
	} else {
		inner, ok = cut(make([]byte, 0, len(content)), content, of, mask)
	}
	if !ok {
		return nil, false
	}
	rest = append(rest, tag...)
	rest = binary.AppendUvarint(rest, uint64(len(inner)))
	return append(rest, inner...), true
}

// cutEntry returns the part that mask keeps of the value in an entry of a map.
func cutEntry(entry []byte, of reflect.Type, mask *fieldmask.Mask) (rest []byte, ok bool) {
	rest = make([]byte, 0, len(entry))
	for at := 0; at < len(entry); {
		tag, value := readTag(entry, at) // keyOf has read it
		end, _ := skipAny(entry, value, tag)
		if tag == valueTag|delimited {
			start, _ := readContent(entry, value)
			if rest, ok = appendCut(rest, entry[at:value], entry[start:end], of, mask); !ok {
				return nil, false
			}
		} else {
			rest = append(rest, entry[at:end]...)
		}
		at = end
	}
	return rest, true
}

// keyOf returns the key of an entry of a map whose keys are strings: its field 1, the last one if there are several.
func keyOf(entry []byte) (key string, ok bool) {
	for at := 0; at < len(entry); {
		tag, value := readTag(entry, at)
		if value == gaveUp {
			return "", false
		}
		end, _ := skipAny(entry, value, tag)
		if end == gaveUp {
			return "", false
		}
		if tag == 1<<3|delimited {
			start, _ := readContent(entry, value)
			key = string(entry[start:end])
		}
		at = end
	}
	return key, true
}
