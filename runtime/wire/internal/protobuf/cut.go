package protobuf

import (
	"encoding/binary"
	"reflect"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// Cut returns a message without the fields that omit leaves out, which has their names in JSON. The bytes of all others stay as they
// are, apart from the lengths of messages in which something was left out. It reports false if it cannot read the message.
//
// The message is one that Decode has not given up on. In others, an entry of a map may go on in what comes after it, as the methods of
// generated code read it.
func (p *Plan) Cut(message []byte, omit plan.Omission) (rest []byte, ok bool) {
	return cut(message, p.whole, omit)
}

// cut returns a message of a struct type without what omit leaves out. It reports false if it cannot read the message.
func cut(message []byte, of reflect.Type, omit plan.Omission) (rest []byte, ok bool) {
	within := map[uint64]plan.Omission{}
	types := map[uint64]reflect.Type{}
	for _, f := range taggedFields(of) {
		if inner, omitted := omit[f.name]; omitted {
			within[f.number], types[f.number] = inner, f.typ
		}
	}
	rest = make([]byte, 0, len(message))
	for at := 0; at < len(message); {
		tag, value := readTag(message, at)
		if value == gaveUp {
			return nil, false
		}
		end, _ := skipAny(message, value, tag)
		if end == gaveUp {
			return nil, false
		}
		inner, omitted := within[tag>>3]
		switch {
		case omitted && inner == nil:
		case !omitted, tag&7 != delimited:
			rest = append(rest, message[at:end]...)
		default:
			start, _ := readContent(message, value)
			if rest, ok = appendCut(rest, message[at:value], message[start:end], types[tag>>3], inner); !ok {
				return nil, false
			}
		}
		at = end
	}
	return rest, true
}

// appendCut appends the field of a message or of an entry of a map, without what omit leaves out. tag are the bytes of its tag.
func appendCut(rest, tag, content []byte, of reflect.Type, omit plan.Omission) ([]byte, bool) {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() == reflect.Map {
		key, ok := keyOf(content)
		if _, omitted := omit[key]; omitted || !ok {
			return rest, ok
		}
	} else {
		var ok bool
		if content, ok = cut(content, of, omit); !ok {
			return rest, false
		}
	}
	rest = append(rest, tag...)
	rest = binary.AppendUvarint(rest, uint64(len(content)))
	return append(rest, content...), true
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
