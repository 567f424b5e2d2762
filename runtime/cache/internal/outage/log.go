// Package outage logs that an informer does not follow its server, with the reason and what to do.
// It writes little: a line after a while, another one if the reason changes, and one when the
// informer follows again.
//
//	Part.Note ─▶ how many Reflectors are behind ─▶ 0 to 1: timer, After ─▶ check ─▶ lines
//	(each change                                     1 to 0: "follows again", if a line was written
//	of a phase)
//
// There is a timer only while a Reflector is behind, or a handler is in its initial list, and no
// goroutine but that of a timer that has fired.
package outage

import (
	"sync"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
)

const (
	// After is how long an informer is behind before the log names it, and the shortest time
	// between two checks of it. Many failures pass before that, such as those while an API server
	// restarts.
	After = 10 * time.Second
	// firstRepeat is the shortest time between two lines about one reason whose error has changed.
	// It doubles with each such line up to maxRepeat.
	firstRepeat = time.Minute
	maxRepeat   = time.Hour
)

// State is what a Reflector does.
type State uint8

const (
	// Idle is a Reflector that does not run.
	Idle State = iota
	Behind
	// Trying is behind too, but the server has answered a watch after a failure. The log waits to see
	// whether that one lasts.
	Trying
	Following
)

func (s State) isBehind() bool { return s == Behind || s == Trying }

// Log is that of one informer. Any goroutine may use it.
type Log struct {
	// failures returns the present failures, and about returns what to say if there are none. They
	// are called without a lock.
	failures func() []advice.Failure
	about    func(lasted time.Duration) advice.Advice

	mu     sync.Mutex // guards what follows
	logger klog.Logger
	// behind is the number of Reflectors that are behind, and trying that of those of them that are
	// Trying. since is when behind left 0, and timer is set while a check is due.
	behind, trying int
	since          time.Time
	timer          *time.Timer
	// written has what was logged since then, by the kind of the failure. It is nil if nothing was.
	written map[kind]*written
	// lines wait for the goroutine that has set writing.
	lines    []func(klog.Logger)
	writing  bool
	closed   bool
	handlers handlers
	running  sync.WaitGroup // timers that are set, and the goroutine that writes
}

// kind is a kind of failure. Its zero value is a list that takes long.
type kind struct {
	reason, verb string
	isOthers     bool
}

// written is what was logged about a kind of failure.
type written struct {
	text   string // with which texts to come are compared
	at     time.Time
	repeat time.Duration // how long after at another text is logged
}

// New returns a Log. It writes nothing before Start.
func New(failures func() []advice.Failure, about func(lasted time.Duration) advice.Advice) *Log {
	return &Log{failures: failures, about: about, logger: klog.Background()}
}

// Start sets the logger. It is called before the Reflectors run.
func (l *Log) Start(logger klog.Logger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.logger = logger
}

// Close returns when nothing is being written. Nothing is written afterwards.
func (l *Log) Close() {
	l.mu.Lock()
	l.closed = true
	l.stopTimerLocked(&l.timer)
	l.stopTimerLocked(&l.handlers.timer)
	l.handlers.known = nil
	l.mu.Unlock()
	l.running.Wait()
}

// Lasted returns for how long one of the Reflectors has been behind, or 0.
func (l *Log) Lasted() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.behind == 0 {
		return 0
	}
	return time.Since(l.since)
}

// Part is the part of a Log that belongs to one Reflector.
type Part struct {
	log   *Log
	state func() State
	last  State // guarded by log.mu
}

// Part returns a part. state returns the present state of the Reflector. It is called with a lock
// held and must not use the Log.
func (l *Log) Part(state func() State) *Part { return &Part{log: l, state: state} }

// Note is called after each change of the state, and after each failure.
func (p *Part) Note() {
	l := p.log
	l.mu.Lock()
	defer l.mu.Unlock()
	now := p.state() // under the lock, so that the last call has the last state
	if l.closed {
		return
	}
	before := p.last
	p.last = now
	if l.behind == 0 {
		l.since = time.Now()
	}
	l.trying += count(now == Trying) - count(before == Trying)
	l.behind += count(now.isBehind()) - count(before.isBehind())
	switch {
	case l.behind == 0 && before.isBehind():
		l.endLocked(now == Following)
	case now.isBehind() && l.timer == nil:
		l.startTimerLocked(&l.timer, l.check)
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// endLocked is called when no Reflector is behind any more.
func (l *Log) endLocked(follows bool) {
	l.stopTimerLocked(&l.timer)
	wasWritten := l.written != nil
	l.written = nil
	if wasWritten && follows {
		lasted := time.Since(l.since)
		l.writeLocked(func(logger klog.Logger) {
			logger.Info("Follows the API server again", "after", rounded(lasted))
		})
	}
}

// startTimerLocked sets a timer that calls check without the lock.
func (l *Log) startTimerLocked(set **time.Timer, check func(*time.Timer)) {
	l.running.Add(1)
	var timer *time.Timer
	timer = time.AfterFunc(After, func() {
		defer l.running.Done()
		l.mu.Lock() // which the caller holds until timer is set
		own := timer
		l.mu.Unlock()
		check(own)
	})
	*set = timer
}

// stopTimerLocked stops a timer. If it has fired, it finds that it is not set any more.
func (l *Log) stopTimerLocked(set **time.Timer) {
	if *set != nil && (*set).Stop() {
		l.running.Done()
	}
	*set = nil
}

// check logs what has to be logged of the present failures. A timer calls it.
func (l *Log) check(timer *time.Timer) {
	failures := l.failures()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != timer {
		return // the Log was closed, or the informer has followed meanwhile
	}
	l.timer = nil
	if l.trying == l.behind {
		l.startTimerLocked(&l.timer, l.check)
		return
	}
	lasted := time.Since(l.since)
	var lines []func(klog.Logger)
	if len(failures) == 0 && l.written == nil {
		l.written = map[kind]*written{}
		lines = append(lines, func(logger klog.Logger) { logWithoutFailure(logger, l.about(lasted), lasted) })
	}
	for _, f := range failures {
		if l.isNewLocked(&f) {
			lines = append(lines, func(logger klog.Logger) { logFailure(logger, &f, lasted) })
		}
	}
	l.writeLocked(lines...)
}

// isNewLocked reports whether a failure has to be logged: if it is the first of its kind, or if it
// has another error and the last line is old enough.
func (l *Log) isNewLocked(f *advice.Failure) bool {
	key, now := kind{f.Reason, f.Verb, len(f.Namespaces) > 0 && f.Namespaces[0] == ""}, time.Now()
	text := comparedText(f)
	last := l.written[key]
	if last == nil {
		if l.written == nil {
			l.written = map[kind]*written{}
		}
		l.written[key] = &written{text, now, firstRepeat}
		return true
	}
	if last.text == text || now.Sub(last.at) < last.repeat {
		return false
	}
	*last = written{text, now, min(2*last.repeat, maxRepeat)}
	return true
}

// writeLocked writes lines after those that were passed before. It unlocks the mutex meanwhile,
// because a logger is foreign code.
func (l *Log) writeLocked(lines ...func(klog.Logger)) {
	if l.lines = append(l.lines, lines...); l.writing || len(l.lines) == 0 {
		return
	}
	l.writing = true
	l.running.Add(1)
	defer func() {
		l.writing = false
		l.running.Done()
	}()
	for len(l.lines) > 0 {
		next, logger := l.lines[0], l.logger
		if l.lines = l.lines[1:]; len(l.lines) == 0 {
			l.lines = nil
		}
		func() {
			l.mu.Unlock()
			defer l.mu.Lock()
			next(logger)
		}()
	}
}
