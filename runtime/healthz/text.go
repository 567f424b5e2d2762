package healthz

import (
	"errors"
	"fmt"
	"strings"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// stateOf returns a status in one line, without text of objects and credentials.
func stateOf(s cache.Status) string {
	text := withoutObjects(s).String()
	if s.Err != nil {
		text = printable.WithoutCredentials(text)
	}
	return printable.Text(text)
}

// withoutObjects returns a status whose text has none of an object, because anyone who reaches the
// port of the probe can read it.
func withoutObjects(s cache.Status) cache.Status {
	s.Err = errorWithoutObjects(s.Err, s.Reason)
	undecodable := make([]*cache.DecodeError, 0, len(s.Undecodable))
	for _, state := range s.Undecodable[:min(1, len(s.Undecodable))] { // String has the first one
		without := &cache.DecodeError{Namespace: state.Namespace, Name: state.Name, UID: state.UID, ResourceVersion: state.ResourceVersion, Err: errHidden}
		if known := (*cache.DecodeError)(nil); errors.As(wire.WithoutObjectText(state), &known) && known.Err != nil {
			without = known
		}
		undecodable = append(undecodable, without)
	}
	if n := len(s.Undecodable); n > 0 {
		s.Undecodable = append(undecodable, s.Undecodable[1:]...)
	}
	return s
}

var errHidden = errors.New("the error may have text of the object, so only the log has it")

// errorWithoutObjects returns an error without text of an object.
func errorWithoutObjects(err error, reason cache.Reason) error {
	var panicked *cache.HandlerPanicError
	var object *cache.ObjectError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &panicked):
		return fmt.Errorf("handler %s failed; the log has the panic and the stack", panicked.Handler)
	case wire.WithoutObjectText(err) != nil:
		return wire.WithoutObjectText(err)
	case errors.As(err, &object):
		return &cache.ObjectError{Resource: object.Resource, Object: object.Object, Err: errHidden}
	case reason == cache.Decode:
		return errHidden
	case strings.Contains(err.Error(), "conversion webhook"):
		return errors.New("a conversion webhook failed; the log has its message")
	}
	return err
}
