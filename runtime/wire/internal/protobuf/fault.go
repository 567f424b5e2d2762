package protobuf

import (
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/runtime/internal/printable"
)

// Fault is the field of a message that cannot be decoded.
type Fault struct {
	// Err is the reason, never nil. It has no text of the object.
	Err   error
	steps []step
}

// Fault returns the field of message that is wrong. err is what Unmarshal returned for it,
// which does not say where the field is.
func (p *Plan) Fault(message []byte, err error) Fault {
	w := walker{}
	if w.message(message, p.whole, 0) {
		return Fault{Err: err}
	}
	return Fault{Err: w.err, steps: w.steps}
}

// Path returns where the fault is, as a JSON pointer (RFC 6901). A pointer of more than
// limit bytes is cut. If hide is set, it has no text of the object: * stands for the key of
// a map.
func (f *Fault) Path(hide bool, limit int) string {
	var path strings.Builder
	for i := 0; i < len(f.steps) && path.Len() <= limit; i++ {
		switch s := &f.steps[i]; {
		case s.index >= 0:
			path.WriteString("/" + strconv.Itoa(s.index))
		case s.key == nil && s.name == "":
			// The members of the field are those of the struct.
		case s.key == nil:
			path.WriteString("/" + s.name)
		case hide:
			path.WriteString("/*")
		default:
			key := strings.ToValidUTF8(string(s.key[:min(len(s.key), limit)]), "\ufffd")
			path.WriteString("/" + pointerEscapes.Replace(key))
		}
	}
	return printable.Cut(path.String(), limit)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")
