package cache

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
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

func optionError(option string, object reflect.Type, format string, args ...any) *OptionError {
	e := &OptionError{Option: option, Err: fmt.Errorf(format, args...)}
	if object != nil {
		e.Object = object.String()
	}
	return e
}
