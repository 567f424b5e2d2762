package protobuf

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// Fault is the field of a message that cannot be decoded.
type Fault struct {
	// Err is the reason, never nil. See HiddenErr.
	Err   error
	steps []step
	// isOfView is set if the message can be decoded, but the object does not fit the view.
	// Then view is the fault of its text in JSON, or nil if it has none.
	isOfView bool
	view     *plan.Fault
}

// Fault returns the field of message that is wrong. err is what Unmarshal returned for it,
// which does not say where the field is.
func (p *Plan) Fault(message []byte, err error) Fault {
	w := walker{}
	switch {
	case !w.message(message, p.whole, 0):
		return Fault{Err: w.err, steps: w.steps}
	case p.typ == p.whole:
		return Fault{Err: err}
	}
	return p.faultOfView(message, err)
}

// faultOfView returns the fault of a message that can be decoded, but not as a view.
func (p *Plan) faultOfView(message []byte, err error) Fault {
	f := Fault{Err: err, isOfView: true}
	whole, wrong := p.unmarshalWhole(message)
	if wrong != nil {
		return f
	}
	if text, wrong := json.Marshal(whole); wrong == nil {
		view := p.json.Fault(text, err)
		f.Err, f.view = view.Err, &view
	}
	return f
}

// HiddenErr returns an error without text of the object. Only the reason that a view has may
// have such a text.
func (f *Fault) HiddenErr() error {
	switch {
	case !f.isOfView:
		return f.Err
	case f.view == nil:
		return errNoText
	}
	return f.view.HiddenErr()
}

var errNoText = errors.New("the object cannot be written as JSON, which the Go type of the objects needs")

// Path returns where the fault is, as a JSON pointer (RFC 6901). A pointer of more than
// limit bytes is cut. If hide is set, it has no text of the object: * stands for the key of
// a map.
func (f *Fault) Path(hide bool, limit int) string {
	if f.view != nil {
		return f.view.Path(hide, limit)
	}
	var path strings.Builder
	for i := 0; i < len(f.steps) && path.Len() <= limit; i++ {
		switch s := &f.steps[i]; {
		case s.index >= 0:
			path.WriteString("/" + strconv.Itoa(s.index))
		case s.key == nil && s.name == "":
			// The members of the field are members of the struct.
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
