package cache

import (
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

var (
	// ErrStopped is wrapped if a handler is added to an informer that has stopped. It is
	// also the cause if WaitForCacheSync waits for such an informer. Reads of the cache return
	// it after Stop or the last Release, which empty the cache: then an object that is missing
	// was not deleted.
	ErrStopped = errors.New("informer has stopped")
	// ErrNoIndex is wrapped by reads of an index that was never added, or was removed.
	ErrNoIndex = indexer.ErrNoIndex
)

// DecodeError names an object that cannot be decoded, the path in it, and the reason.
type DecodeError = wire.DecodeError

// OptionError is a mistake in the options of a factory or an informer.
type OptionError struct {
	// Option is the name of the function, such as WithNamespaces.
	Option string
	// Object is the Go type of the kind, such as *v1.Foo. It is empty for all kinds of a factory.
	Object string
	Err    error
}

// Error names the option and the kind, and says what to write instead.
func (e *OptionError) Error() string {
	if e.Object == "" {
		return fmt.Sprintf("cache.%s: %v", e.Option, e.Err)
	}
	return fmt.Sprintf("cache.%s for %s: %v", e.Option, e.Object, e.Err)
}

// Unwrap returns the reason.
func (e *OptionError) Unwrap() error { return e.Err }

// ObjectError is an error about one object that was read from the server, but cannot be
// stored in the cache.
type ObjectError struct {
	Resource schema.GroupVersionResource
	Object   ObjectName
	Err      error
}

// Error names the resource, the object and the reason.
func (e *ObjectError) Error() string {
	return fmt.Sprintf("%s %s: %v", e.Resource.GroupResource(), printable.Text(e.Object.String()), e.Err)
}

// Unwrap returns the reason.
func (e *ObjectError) Unwrap() error { return e.Err }

// Is makes the error match protocol.ErrObject.
func (e *ObjectError) Is(target error) bool { return target == protocol.ErrObject }

// HandlerPanicError reports a handler or a hook that panicked, or that ended its goroutine.
type HandlerPanicError struct {
	// Handler is its name: that of WithHandlerName, or its Go type. A hook has the name of
	// its type, such as StatusHandler.
	Handler string
	// Object is the name of the object that the handler was called with. It is empty for a
	// hook.
	Object ObjectName
	// Value is the value of the panic as text. Stack is the stack of the handler.
	Value string
	Stack []byte
	// Exited is set if the handler did not panic, but called runtime.Goexit, as t.Fatal
	// of a test does. Value is empty then.
	Exited bool
}

// Error names the handler, the object and the value.
func (e *HandlerPanicError) Error() string {
	object := ""
	if e.Object != (ObjectName{}) {
		object = " on " + printable.Text(e.Object.String())
	}
	if e.Exited {
		return fmt.Sprintf("handler %s called runtime.Goexit%s", e.Handler, object)
	}
	return fmt.Sprintf("handler %s panicked%s: %s", e.Handler, object, e.Value)
}

func optionError(option string, object reflect.Type, format string, args ...any) *OptionError {
	e := &OptionError{Option: option, Err: fmt.Errorf(format, args...)}
	if object != nil {
		e.Object = object.String()
	}
	return e
}

// followedError is the error of an informer whose objects are the scopes of another one.
type followedError struct {
	resource schema.GroupVersionResource
	// namespaces are those that the informer is limited to.
	namespaces []string
	verb       string
	err        error
}

func (e *followedError) Error() string { return e.err.Error() }

func (e *followedError) Unwrap() error { return e.err }

// ScopesError is the Err of a Status while the scopes of the informer cannot be set; see SetScopesError. The informer keeps those
// that it has.
type ScopesError struct {
	// Err is the error of SetScopesError.
	Err error
}

// Error returns the text of Err after "scopes: ".
func (e *ScopesError) Error() string { return "scopes: " + e.Err.Error() }

// Unwrap returns Err.
func (e *ScopesError) Unwrap() error { return e.Err }
