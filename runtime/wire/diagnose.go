package wire

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	kjson "sigs.k8s.io/json"

	"github.com/typedinformers/informer-gen/runtime/internal/printable"
)

// unmarshal is the definition of what a text means: it is what apimachinery's JSON
// serializer uses. Names have to match to the letter, of duplicates the last one
// wins, and integers in untyped values stay integers.
func unmarshal(text []byte, into any) error {
	return kjson.UnmarshalCaseSensitivePreserveInts(text, into)
}

const (
	// maxPathBytes is how long DecodeError.Path may be, without the ellipsis.
	maxPathBytes = 200
	// maxErrBytes is how long the text of DecodeError.Err may be.
	maxErrBytes = 500
	// maxNameBytes is how long a name, a namespace, a UID or a version may be that an
	// error holds. A Kubernetes API has names of at most 253 bytes, with few exceptions.
	maxNameBytes = 1024
)

// describe makes an error of err, which is about the object in frame as a whole.
func describe(frame []byte, err error) *DecodeError {
	return errorOf(readMetadata(frame), err)
}

// errorOf makes an error of err, which is about the object with that metadata.
func errorOf(m metadata, err error) *DecodeError {
	return &DecodeError{
		Namespace:       bounded(m.namespace),
		Name:            bounded(m.name),
		UID:             bounded(m.uid),
		ResourceVersion: bounded(m.resourceVersion),
		Err:             err,
	}
}

// bounded returns a name, or "" for one that is too long to be remembered: part of a
// name would be that of another object.
func bounded[T ~string | ~[]byte](name T) string {
	if len(name) > maxNameBytes {
		return ""
	}
	return string(name)
}

// diagnose makes an error of err, with which unmarshal has failed to decode frame to a
// value of type t. err says neither which member nor which element is wrong, so diagnose
// finds it. It leaves the object's text out if hide is set.
func diagnose(frame []byte, t reflect.Type, err error, hide bool) *DecodeError {
	e := describe(frame, err)
	var found fault
	invalid, offset := kjson.SyntaxErrorOffset(err)
	if invalid {
		at := int(offset) - 1
		if at == len(frame)-1 {
			at++ // the end of frame is what is wrong
		}
		found = faultAt(frame, at, shapeOf(t))
	} else {
		found = findFault(frame, t)
	}
	if found.err != nil {
		e.Err = found.err
	}
	e.Path = found.pointer(hide)
	switch {
	case hide && invalid:
		e.Err = fmt.Errorf("byte %d makes the JSON invalid", offset)
	case hide:
		e.Err = found.hiddenError(frame)
	default:
		e.Err = short(e.Err)
		begin := max(found.at-shownBytes/2, 0)
		e.Near = strings.ToValidUTF8(string(frame[begin:min(found.at+shownBytes, len(frame))]), "?")
	}
	return e
}

// short bounds the text of an error, which may repeat all of an object.
func short(err error) error {
	if text := err.Error(); len(text) > maxErrBytes {
		return errors.New(printable.Cut(text, maxErrBytes))
	}
	return err
}

// fault is the part of an object that cannot be decoded.
type fault struct {
	// steps lead to it, the innermost first.
	steps []step
	// at is where it begins, or where the text is no JSON.
	at int
	// typ is the type that it cannot be decoded to; nil if that is not known.
	typ reflect.Type
	err error
}

// step leads to a member or an element.
type step struct {
	// quoted is the name of the member as the text has it, nil for an element.
	quoted []byte
	// isField is set for a field of a Go type, whose name is no text of the object alone.
	isField bool
	index   int
}

// pointer returns where the fault is, as a JSON pointer that is cut. If hide is set, it
// names fields of Go types only: * stands for the other members.
func (f *fault) pointer(hide bool) string {
	var path strings.Builder
	for i := len(f.steps) - 1; i >= 0 && path.Len() <= maxPathBytes; i-- {
		s := &f.steps[i]
		path.WriteByte('/')
		switch {
		case s.quoted == nil:
			path.WriteString(strconv.Itoa(s.index))
		case hide && !s.isField:
			path.WriteByte('*')
		default:
			inner := s.quoted[1:]
			name, _ := appendUnquoted(nil, inner[:min(len(inner)-1, 6*(maxPathBytes+1))], true)
			path.WriteString(pointerEscapes.Replace(strings.ToValidUTF8(string(name), "\ufffd")))
		}
	}
	return printable.Cut(path.String(), maxPathBytes)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901

// hiddenError returns an error without text of the object.
func (f *fault) hiddenError(frame []byte) error {
	kind := "value"
	switch c := peek(frame, f.at); {
	case c == '"':
		kind = "string"
	case c == '{':
		kind = "object"
	case c == '[':
		kind = "array"
	case c == 't', c == 'f':
		kind = "boolean"
	case c == 'n':
		kind = "null"
	case c == '-', '0' <= c && c <= '9':
		kind = "number"
	}
	if f.typ == nil {
		return fmt.Errorf("a JSON %s does not fit", kind)
	}
	return fmt.Errorf("a JSON %s does not fit the Go type %v", kind, f.typ)
}
