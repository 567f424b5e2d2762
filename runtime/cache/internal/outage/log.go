// Package outage logs that an informer does not follow its server, with the reason and what to do.
// It writes little: a line after a while, another one if the reason changes, and one when the
// informer follows again. All failures of the server are one outage, with one line, whatever their
// reasons are. Outages that follow each other quickly have fewer lines.
//
//	Part.Note ─▶ how many Reflectors do not follow ─▶ 0 to 1: timer ─▶ check ─▶ lines
//	(each change                                       1 to 0: "follows again", if a line was written
//	of a phase)
//
// There is a timer only while a Reflector does not follow, or a handler is in its initial list, and no
// goroutine but that of a timer that has fired.
package outage

import (
	"sync"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
)

const (
	// firstRepeat is the shortest time between two lines about one reason whose error has changed.
	// It doubles with each such line up to maxRepeat.
	firstRepeat = time.Minute
	maxRepeat   = time.Hour
	// calm is how long after the end of a logged outage the next one is logged later: otherwise a
	// watch that is cut each time that it is opened would fill the log. It is logged after
	// firstRepeat, which doubles with each one that is, up to maxLogged of them.
	calm      = 10 * time.Minute
	maxLogged = 4
)

// State is the state of a Reflector.
type State uint8

const (
	// Idle is a Reflector that does not run.
	Idle State = iota
	// NotFollowing is a Reflector whose list or watch is not open, or has failed.
	NotFollowing
	// Trying does not follow either, but the server has answered a watch after a failure. The log waits to see
	// whether that one lasts.
	Trying
	Following
)

// stateOf returns the State of a Reflector, which has made some progress.
func stateOf(p progress.State) State {
	switch {
	case p.Phase == progress.Watching:
		return Following
	case p.Trying:
		return Trying
	case p.Phase == progress.Listing || p.Phase == progress.Degraded:
		return NotFollowing
	}
	return Idle
}

// isOutage reports whether a Reflector in the state runs and does not follow the server.
func (s State) isOutage() bool { return s == NotFollowing || s == Trying }

// Informer is an informer as a Log reads it. Its methods are called without a lock.
type Informer interface {
	// Failures returns the present failures.
	Failures() []advice.Failure
	// About returns what to say if the informer does not follow without a failure.
	About(lasted time.Duration) advice.Advice
	// LateHandlers returns the handlers that have not returned from their initial list.
	LateHandlers() []Handler
	// Logger returns where lines are written.
	Logger() klog.Logger
}

// Log belongs to one informer. Any goroutine may use it.
type Log struct {
	// Informer is set before the first call of Note and NoteHandler.
	Informer Informer

	mu sync.Mutex // guards the fields below
	// notFollowing is the number of Reflectors in an outage. Of these, trying are in the state Trying. following
	// is the number of Reflectors in the state Following.
	notFollowing, trying int32
	following            int32
	closed               bool
	// logged is the number of outages that were logged in a row, each within calm after the one before.
	logged uint8
	// ended is when the last outage ended that was logged; 0 if there was none.
	ended clock.Stamp
	// now is nil while the informer is healthy: a program may have thousands.
	now *outage
}

// outage is the state of a Log that has something to do.
type outage struct {
	// since is when Log.notFollowing left 0, and timer is set while a check is due.
	since clock.Stamp
	timer *time.Timer
	// written has the lines that were logged since then, by the kind of the failure. It is nil if nothing was.
	written map[kind]*written
	// lines wait for the goroutine that has set writing.
	lines    []func(klog.Logger)
	writing  bool
	handlers handlers
	running  sync.WaitGroup // timers that are set, and the goroutine that writes
}

// written is a line that was logged about a kind of failure.
type written struct {
	text   string // with which texts to come are compared
	at     time.Time
	repeat time.Duration // how long after at another text is logged
}

// Close returns when nothing is being written. Nothing is written afterwards.
func (l *Log) Close() {
	l.mu.Lock()
	l.closed = true
	now := l.now
	if now != nil {
		now.stop(&now.timer)
		now.stop(&now.handlers.timer)
	}
	l.mu.Unlock()
	if now != nil {
		now.running.Wait()
	}
}

// Lasted returns for how long one of the Reflectors has not followed, or 0. It is 0 after Close.
func (l *Log) Lasted() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.notFollowing == 0 || l.closed {
		return 0
	}
	return clock.Now().Since(l.now.since)
}

// outageLocked returns the outage, which it begins if there is none.
func (l *Log) outageLocked() *outage {
	if l.now == nil {
		l.now = &outage{}
	}
	return l.now
}

// forgetLocked releases the memory of an outage that is over.
func (l *Log) forgetLocked() {
	if o := l.now; o != nil && l.notFollowing == 0 && o.timer == nil && o.handlers.timer == nil && o.handlers.known == nil && !o.writing {
		l.now = nil
	}
}

// Part is the part of a Log that belongs to one Reflector.
type Part struct {
	// Log does not change, nor does Reflector, which tells how far the Reflector is.
	Log       *Log
	Reflector *progress.Tracker
	last      State // guarded by Log.mu
}

// Note is called after each change of the state, and after each failure.
func (p *Part) Note() {
	l := p.Log
	l.mu.Lock()
	defer l.mu.Unlock()
	now := stateOf(p.Reflector.State()) // under the lock, so that the last call has the last state
	if l.closed {
		return
	}
	before := p.last
	p.last = now
	if l.notFollowing == 0 && now.isOutage() {
		l.outageLocked().since = clock.Now()
	}
	l.trying += count(now == Trying) - count(before == Trying)
	l.following += count(now == Following) - count(before == Following)
	l.notFollowing += count(now.isOutage()) - count(before.isOutage())
	switch {
	case l.notFollowing == 0 && before.isOutage():
		l.endLocked(now == Following)
	case l.notFollowing > 0 && l.now.timer == nil && (now.isOutage() || l.now.isLoggedOutage()):
		l.startLocked(&l.now.timer, l.check)
	}
}

func count(is bool) int32 {
	if is {
		return 1
	}
	return 0
}

// endLocked is called when all Reflectors follow or have ended.
func (l *Log) endLocked(follows bool) {
	o := l.now
	o.stop(&o.timer)
	wasWritten := o.written != nil
	o.written = nil
	if wasWritten && follows {
		l.ended = clock.Now()
		lasted := l.ended.Since(o.since)
		o.lines = append(o.lines, func(logger klog.Logger) { logRecovered(logger, lasted) })
	}
	l.writeLocked(o)
}

// startLocked sets a timer of the outage, which calls check without the lock.
func (l *Log) startLocked(set **time.Timer, check func(*time.Timer)) {
	o := l.now
	o.running.Add(1)
	var timer *time.Timer
	timer = time.AfterFunc(advice.After, func() {
		defer o.running.Done()
		l.mu.Lock() // which the caller holds until timer is set
		own := timer
		l.mu.Unlock()
		check(own)
	})
	*set = timer
}

// stop stops a timer. If it has fired, it finds that it is not set any more.
func (o *outage) stop(set **time.Timer) {
	if *set != nil && (*set).Stop() {
		o.running.Done()
	}
	*set = nil
}

// check logs the present failures that have lasted long enough. A timer calls it.
func (l *Log) check(timer *time.Timer) {
	failures := l.Informer.Failures()
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.now
	if o == nil || o.timer != timer {
		return // the Log was closed, or the informer has followed meanwhile
	}
	o.timer = nil
	now := clock.Now()
	lasted := now.Since(o.since)
	isFirst, isCalm := o.written == nil, l.ended == 0 || now.Since(l.ended) >= calm
	isLater := isFirst && !isCalm && lasted < firstRepeat<<(l.logged-1)
	if l.trying == l.notFollowing || isLater {
		l.startLocked(&o.timer, l.check)
		return
	}
	if isFirst && isCalm {
		l.logged = 0
	}
	if isFirst {
		l.logged = min(l.logged+1, maxLogged)
	}
	if len(failures) == 0 && o.written == nil {
		o.written = map[kind]*written{}
		o.lines = append(o.lines, func(logger klog.Logger) { logWithoutFailure(logger, l.Informer.About(lasted), lasted) })
	}
	if o.isLoggedOutage() && l.serverAnswersLocked(failures) {
		w := o.written[kind{isOutage: true}]
		lasted := time.Since(w.at) + advice.After
		w.text, w.at = answered, time.Now()
		o.lines = append(o.lines, func(logger klog.Logger) { logAnswered(logger, lasted) })
	}
	for _, f := range failures {
		if o.isNew(&f) {
			o.lines = append(o.lines, func(logger klog.Logger) { logFailure(logger, &f, lasted) })
		}
	}
	l.writeLocked(o)
}

// isLoggedOutage reports whether a line says that the server has failed, and none that it answers again.
func (o *outage) isLoggedOutage() bool {
	w := o.written[kind{isOutage: true}]
	return w != nil && w.text != answered
}

// serverAnswersLocked reports whether some Reflectors follow, and all others fail although the server answers.
func (l *Log) serverAnswersLocked(failures []advice.Failure) bool {
	failing := 0
	for i := range failures {
		if kindOf(&failures[i]).isOutage {
			return false
		}
		failing += max(1, len(failures[i].Namespaces))
	}
	return l.following > 0 && failing >= int(l.notFollowing)
}

// isNew reports whether a failure has to be logged: if it is the first of its kind, or if it has
// another error and the last line is old enough.
func (o *outage) isNew(f *advice.Failure) bool {
	key, now := kindOf(f), time.Now()
	text := comparedText(f)
	last := o.written[key]
	if last == nil {
		if o.written == nil {
			o.written = map[kind]*written{}
		}
		o.written[key] = &written{text, now, firstRepeat}
		return true
	}
	isCalm := last.text == answered && now.Sub(last.at) >= calm
	if last.text == text || !isCalm && now.Sub(last.at) < last.repeat {
		return false
	}
	repeat := min(2*last.repeat, maxRepeat)
	if isCalm {
		repeat = firstRepeat
	}
	*last = written{text, now, repeat}
	return true
}

// writeLocked writes the lines of o, in the order in which they were added. It unlocks the mutex
// meanwhile, because a logger is foreign code.
func (l *Log) writeLocked(o *outage) {
	defer l.forgetLocked()
	if o.writing || len(o.lines) == 0 {
		return
	}
	o.writing = true
	o.running.Add(1)
	defer func() {
		o.writing = false
		o.running.Done()
	}()
	for len(o.lines) > 0 {
		next := o.lines[0]
		o.lines = o.lines[1:]
		func() {
			l.mu.Unlock()
			defer l.mu.Lock()
			next(l.Informer.Logger())
		}()
	}
	o.lines = nil
}
