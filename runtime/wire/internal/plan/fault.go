package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	kjson "sigs.k8s.io/json"

	"github.com/typedinformers/informer-gen/internal/printable"
)

// Fault is the part of a text that cannot be decoded.
type Fault struct {
	// At is the index of its first byte, or of the byte that makes the JSON invalid.
	At int
	// Err is the reason, never nil.
	Err error

	text []byte
	// invalid is one plus the index of the byte that makes the JSON invalid; 0 if it is
	// valid.
	invalid int64
	// steps lead to it, the innermost first.
	steps []step
	// typ is the type that it cannot be decoded to; nil if that is not known.
	typ reflect.Type
}

// step leads to a member or an element.
type step struct {
	// quoted is the name of the member as it is written, nil for an element.
	quoted []byte
	// isField is set for a field of a Go type. Its name is not text of the object alone.
	isField bool
	index   int
}

// Fault returns the part of text that is wrong. err is what Unmarshal returned for it,
// which says neither which member nor which element that is.
func (p *Plan) Fault(text []byte, err error) Fault {
	var found Fault
	isInvalid, offset := kjson.SyntaxErrorOffset(err)
	if isInvalid {
		at := int(offset) - 1
		if at == len(text)-1 {
			at++ // the text ends too early
		}
		found = faultAt(text, at, shapeOf(p.typ))
		found.invalid = offset
	} else {
		found = findFault(text, p.typ)
	}
	if found.text = text; found.Err == nil {
		found.Err = err
	}
	return found
}

// Path returns where the fault is, as a JSON pointer (RFC 6901). A pointer of more than
// limit bytes is cut. If hide is set, it has no text of the object: * stands for a member
// that is no field of a Go type.
func (f *Fault) Path(hide bool, limit int) string {
	var path strings.Builder
	for i := len(f.steps) - 1; i >= 0 && path.Len() <= limit; i-- {
		s := &f.steps[i]
		path.WriteByte('/')
		switch {
		case s.quoted == nil:
			path.WriteString(strconv.Itoa(s.index))
		case hide && !s.isField:
			path.WriteByte('*')
		default:
			var buffer []byte
			name, _ := unquoted(&buffer, s.quoted[:min(len(s.quoted), 1+6*(limit+1))], 1, true)
			path.WriteString(pointerEscapes.Replace(strings.ToValidUTF8(string(name), "\ufffd")))
		}
	}
	return printable.Cut(path.String(), limit)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// HiddenErr returns an error without text of the object.
func (f *Fault) HiddenErr() error {
	if f.invalid > 0 {
		return fmt.Errorf("byte %d makes the JSON invalid", f.invalid)
	}
	kind := "value"
	switch c := peek(f.text, f.At); {
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

// faultAt returns the fault of a text that is valid JSON up to text[offset]: the innermost
// value that this byte is in. s is the shape of the type that the text was decoded to.
func faultAt(text []byte, offset int, s *shape) Fault {
	offset = max(0, min(offset, len(text)))
	var open []container
	for at := 0; at < offset; at++ {
		switch top := len(open) - 1; text[at] {
		case '{', '[':
			open = append(open, container{isArray: text[at] == '['})
		case '}', ']':
			if open = open[:max(top, 0)]; top > 0 {
				open[top-1].name = nil
			}
		case ',':
			if top >= 0 {
				open[top].index++
				open[top].name = nil
			}
		case '"':
			end, closed, _ := textEnd(text, at+1)
			if closed && top >= 0 && !open[top].isArray && open[top].name == nil {
				open[top].name = text[at:end]
			}
			at = min(end, offset) - 1
		}
	}
	found := Fault{At: offset}
	for i := range open {
		c := &open[i]
		if !c.isArray && c.name == nil {
			break
		}
		next := step{quoted: c.name, index: c.index}
		s, next.isField = s.inner(c.name)
		found.steps = append(found.steps, next)
	}
	slices.Reverse(found.steps)
	return found
}

// container is an object or array that has not ended.
type container struct {
	isArray bool
	// name is the name of the open member, nil if none is open.
	name  []byte
	index int
}
