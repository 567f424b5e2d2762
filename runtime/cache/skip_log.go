package cache

import (
	"time"

	"k8s.io/klog/v2"
)

const (
	// maxSkipLines is how many skipped states one informer logs in one skipPeriod.
	maxSkipLines = 10
	skipPeriod   = time.Minute
)

// skipLog logs states that cannot be decoded. It limits how often: everybody who may
// create an object can change it again and again. Only the goroutine of Run uses it.
type skipLog struct {
	// began is when the period began, and lines is how many lines it has had.
	began time.Time
	lines int
	// more is how many states were left out since.
	more int
}

// log logs a state, or counts it.
func (l *skipLog) log(logger klog.Logger, state *DecodeError) {
	if now := time.Now(); now.Sub(l.began) >= skipPeriod {
		l.flush(logger)
		l.began, l.lines = now, 0
	}
	switch l.lines++; {
	case l.lines <= maxSkipLines:
		logger.Error(state, "Skipped an object that cannot be decoded")
		return
	case l.lines == maxSkipLines+1:
		logger.Info("Skipped more objects that cannot be decoded; Status().Undecodable has them all, the log has the next ones in a minute")
	}
	l.more++
}

// flush logs how many states were left out.
func (l *skipLog) flush(logger klog.Logger) {
	if l.more > 0 {
		logger.Info("Skipped more objects that cannot be decoded", "states", l.more)
	}
	l.more = 0
}
