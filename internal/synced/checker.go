// Package synced implements the DoneChecker of client-go, which has it since v0.36. It does not name the type, so that both adapters
// also compile with v0.34.
package synced

// Checker is a named channel.
type Checker struct {
	name string
	done <-chan struct{}
}

// New returns a Checker with that name, whose channel is done.
func New(name string, done <-chan struct{}) Checker { return Checker{name, done} }

// Name returns the name of the informer or of the handler.
func (c Checker) Name() string { return c.name }

// Done is closed when it has synced.
func (c Checker) Done() <-chan struct{} { return c.done }

// As returns a Checker as a D: client-go's DoneChecker, or struct{} if client-go has none. It panics if D has other methods. It
// cannot embed a nil D, because no type can embed a type parameter.
func As[D any](checker Checker) D {
	d, ok := any(checker).(D)
	if _, hasNone := any(d).(struct{}); !ok && !hasNone {
		panic("client-go's DoneChecker has methods that this version of informer-gen does not know; upgrade informer-gen")
	}
	return d
}
