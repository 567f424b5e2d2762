package status

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
)

// ObjectError is an error about one object that was read from the server, but cannot be
// stored in the cache.
type ObjectError struct {
	Resource schema.GroupVersionResource
	// Namespace is empty for cluster-scoped objects.
	Namespace, Name string
	Err             error
}

// Error names the resource, the object and the reason.
func (e *ObjectError) Error() string {
	return fmt.Sprintf("%s %s: %v", e.Resource.GroupResource(), named(e.Namespace, e.Name), e.Err)
}

// Unwrap returns the reason.
func (e *ObjectError) Unwrap() error { return e.Err }

// Is makes the error match protocol.ErrObject.
func (e *ObjectError) Is(target error) bool { return target == protocol.ErrObject }

// HandlerPanicError reports a handler or a hook that panicked, or that ended its goroutine.
type HandlerPanicError struct {
	// Handler is the name given by WithHandlerName, or the Go type of the handler. A hook has the name of
	// its type, such as StatusHandler.
	Handler string
	// Namespace and Name identify the object that the handler was called with. They are empty for a
	// hook.
	Namespace, Name string
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
	if e.Name != "" {
		object = " on " + named(e.Namespace, e.Name)
	}
	if e.Exited {
		return fmt.Sprintf("handler %s called runtime.Goexit%s", e.Handler, object)
	}
	return fmt.Sprintf("handler %s panicked%s: %s", e.Handler, object, e.Value)
}

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

// DroppedErrors is passed to a WatchErrorHandler that had not returned for long, in place
// of the errors that were dropped meanwhile.
type DroppedErrors struct{ Errors int }

// Error returns the number of the errors.
func (e *DroppedErrors) Error() string {
	return human.Plural(e.Errors, "error") + " dropped, because the WatchErrorHandler or StatusHandler had not returned"
}

// named names an object in a text.
func named(namespace, name string) string {
	return printable.Text(listed.Name{Namespace: namespace, Name: name}.String())
}
