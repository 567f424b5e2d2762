package conformance

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/writes"
)

// stage is one run of a scenario: a server, an informer, and the lines so far.
type stage struct {
	*testing.T
	own      writes.Observer   // of write
	writer   http.RoundTripper // of write
	server   server
	informer informer
	other    informer // another one of the same kind, which does not run
	lines    []string

	cancel context.CancelFunc
	done   chan struct{} // closed when Run has returned
}

func newStage(t *testing.T, c config, by implementation, on platform) *stage {
	s := &stage{T: t, server: on.new(t, c)}
	if c.onError == nil {
		c.onError = func(error) {}
	}
	if c.ownWrites {
		c.observer = &s.own
		s.writer = s.own.Transport(s.server) // before the informer is made, which refuses an Observer that sees no client
	}
	s.informer = by.new(s.server, c)
	s.other = by.new(on.new(t, c), c)
	return s
}

// lie returns the server that does what no API server does.
func (s *stage) lie() *fakeServer { return s.server.(*fakeServer) }

// start runs the informer until stop.
func (s *stage) start() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	s.cancel, s.done = cancel, done
	go func() {
		defer close(done)
		s.informer.Run(ctx)
	}()
	synctest.Wait()
}

// stop ends the informer and waits for its end.
func (s *stage) stop() {
	if s.done != nil {
		s.cancel()
		<-s.done
	}
}

// ended says whether Run has returned.
func (s *stage) ended() bool {
	synctest.Wait()
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// pass lets time go by, and what it brings happen.
func (s *stage) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// relist makes the informer list again and find there what change does.
func (s *stage) relist(change func()) {
	expire(s.server, change)
	s.pass(10 * time.Second) // both back off for a second or two
}

// note writes a line.
func (s *stage) note(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// noteRequests writes down what was asked of the server since the last time.
func (s *stage) noteRequests() {
	synctest.Wait()
	s.lines = append(s.lines, s.server.asked()...)
}

// listen adds a handler that writes down what it hears.
func (s *stage) listen(name string, options ...handlerOptions) *recorder {
	r := &recorder{name: name, begin: time.Now()}
	s.register(r, options...)
	return r
}

// register adds a handler. Its registration is kept in the recorder.
func (s *stage) register(r *recorder, options ...handlerOptions) {
	s.Helper()
	var o handlerOptions
	if len(options) > 0 {
		o = options[0]
	}
	var err error
	if r.registration, err = s.informer.AddHandler(r, o); err != nil {
		s.Error(err)
	}
}

// hear waits until nothing more happens and writes down what handlers heard.
func (s *stage) hear(recorders ...*recorder) {
	synctest.Wait()
	for _, r := range recorders {
		s.lines = append(s.lines, r.drain()...)
	}
}

// hearSorted is hear for where the order is nobody's business.
func (s *stage) hearSorted(r *recorder) {
	synctest.Wait()
	s.lines = append(s.lines, slices.Sorted(slices.Values(r.drain()))...)
}

// recorder is a handler that writes down what it hears.
type recorder struct {
	name         string
	registration registration
	begin        time.Time
	timed        bool         // write the time, too
	raw          bool         // write the type that a delete hands over
	hook         func(string) // runs in the handler after a line was written

	mu    sync.Mutex // guards lines
	lines []string
}

func (r *recorder) OnAdd(obj object, initial bool) {
	line := fmt.Sprintf("add %s@%s", keyOf(obj), obj.ResourceVersion)
	if initial {
		line += " initial"
	}
	r.write(line)
}

func (r *recorder) OnUpdate(oldObj, newObj object) {
	r.write(fmt.Sprintf("update %s@%s->%s", keyOf(newObj), oldObj.ResourceVersion, newObj.ResourceVersion))
}

func (r *recorder) OnDelete(obj object, stateUnknown bool, raw any) {
	line := fmt.Sprintf("delete %s@%s", keyOf(obj), obj.ResourceVersion)
	if stateUnknown {
		line += " unknown"
	}
	if r.raw {
		line += fmt.Sprintf(" as %T", raw)
	}
	r.write(line)
}

func (r *recorder) write(line string) {
	line = r.name + ": " + line
	if r.timed {
		line = time.Since(r.begin).String() + " " + line
	}
	r.mu.Lock()
	r.lines = append(r.lines, line)
	r.mu.Unlock()
	if r.hook != nil {
		r.hook(line)
	}
}

// drain returns what was written since it was last called.
func (r *recorder) drain() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	return lines
}
