package listed

import (
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

const (
	// MaxLines is the number of skipped states that one SkipLog logs in one Period.
	MaxLines = 10
	Period   = time.Minute
)

// SkipLog logs states that cannot be decoded. It limits their number: a user who may
// create an object can change it again and again. Only one goroutine may use it. The zero value is ready
// for use.
type SkipLog struct {
	// began is the start of the period, and lines is the number of states in it.
	began time.Time
	lines int
	// more is the number of states that were not logged since.
	more int
}

// Log logs a state, or counts it.
func (l *SkipLog) Log(logger klog.Logger, state *wire.DecodeError) {
	if now := time.Now(); now.Sub(l.began) >= Period {
		l.Flush(logger)
		l.began, l.lines = now, 0
	}
	switch l.lines++; {
	case l.lines <= MaxLines:
		// It is no error of the logger, for which zap would add a stack of the runtime.
		logger.Info("Skipped an object that cannot be decoded", "err", state)
		return
	case l.lines == MaxLines+1:
		logger.Info("Skipped more objects that cannot be decoded; Status().Undecodable lists all of them; logging resumes in a minute")
	}
	l.more++
}

// Flush logs the number of states that were not logged.
func (l *SkipLog) Flush(logger klog.Logger) {
	if l.more > 0 {
		logger.Info("Skipped more objects that cannot be decoded", "states", l.more)
	}
	l.more = 0
}
