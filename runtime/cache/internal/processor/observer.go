package processor

import "github.com/typedinformers/informer-gen/runtime/cache/internal/clock"

// Observer hears of the calls of one Listener's handler. It must not block.
type Observer interface {
	// Begin is called before the first of several calls in a row, and Rest after the last one. End is called after each, with
	// Batch.Received; the next call begins then.
	Begin()
	End(received clock.Stamp)
	Rest()
	// Failed is called after End when the handler panicked with a value, or, if value is nil, ended
	// the goroutine by runtime.Goexit. The handler's stack is still there. If Failed
	// returns, the handler continues with the next notification.
	Failed(n *Notification, value any)
	// Removed is called before the Listener is removed from its Processor, and not if that is stopped. Gone is called once no
	// call follows, which may be before Removed.
	Removed()
	Gone()
}
