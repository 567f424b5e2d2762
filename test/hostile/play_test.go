package hostile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/faults/history"
)

// play is an informer that follows a server, and what is watched of both.
type play struct {
	t        *testing.T
	server   *server
	link     *link
	factory  informers.SharedInformerFactory
	informer *cache.SharedIndexInformer[*datav1.Database]
	handlers []*handler
	trust    trust
	before   uint64 // bytes that were live
	checked  int    // requests that were looked at
	began    time.Time
	lines    []string // what was done
	stop     chan struct{}
	writing  chan struct{} // closed when the writer has ended; nil without one
}

type handler struct {
	recorder     *history.Recorder[*datav1.Database]
	registration cache.ResourceEventHandlerRegistration
}

// newPlay makes a factory as generated code does, with one handler, that follows s.
// It is not started.
func newPlay(t *testing.T, s *server, l *link, trusted trust, options ...informers.SharedInformerOption) *play {
	t.Helper()
	p := &play{t: t, server: s, link: l, trust: trusted, before: liveBytes(), began: time.Now()}
	p.factory = informers.NewSharedInformerFactory(l.clientset(t), 0, options...)
	p.informer = p.factory.Data().V1().Databases().Informer()
	p.join()
	return p
}

func (p *play) start() { p.factory.Start(context.Background()) }

func (p *play) join() {
	p.t.Helper()
	h := &handler{recorder: history.NewRecorder[*datav1.Database](p.informer.GetStore())}
	switch p.trust {
	case noVersions:
		h.recorder.IgnoreVersions()
	case noUIDs:
		h.recorder.AllowReplays()
	}
	var err error
	if h.registration, err = p.informer.AddEventHandler(h.recorder); err != nil {
		p.t.Error(err)
	}
	p.handlers = append(p.handlers, h)
}

func (p *play) leave() {
	last := len(p.handlers) - 1
	if last == 0 {
		return
	}
	h := p.handlers[last]
	if err := p.informer.RemoveEventHandler(h.registration); err != nil {
		p.t.Error(err)
	}
	h.recorder.Leave()
	p.handlers = p.handlers[:last]
}

// note remembers a step, for the report of a failure.
func (p *play) note(format string, args ...any) {
	p.lines = append(p.lines, fmt.Sprintf("%8s  ", time.Since(p.began).Round(time.Millisecond))+fmt.Sprintf(format, args...))
}

// advance lets time pass in a bubble, and checks what must hold each second.
func (p *play) advance(d time.Duration) error {
	for d > 0 {
		tick := min(time.Second, d)
		if d > 30*time.Second {
			tick = 3 * time.Second
		}
		time.Sleep(tick)
		d -= tick
		synctest.Wait()
		if err := p.check(); err != nil {
			return err
		}
	}
	return nil
}

// check returns the first invariant that does not hold at this moment.
func (p *play) check() error {
	if err := p.rates(); err != nil {
		return err
	}
	if err := p.checkStatus(); err != nil {
		return err
	}
	return p.checkHistories()
}

// converge lets time pass until the informer has the truth.
func (p *play) converge(patience time.Duration) error {
	for end := time.Now().Add(patience); ; {
		err := p.checkTruth()
		if err == nil {
			return nil
		}
		if !time.Now().Before(end) {
			return fmt.Errorf("after %s of a sane server: %w", patience, err)
		}
		if err := p.advance(time.Second); err != nil {
			return err
		}
	}
}

// close ends the play in a bubble, and checks that nothing is left of the informer.
func (p *play) close() error {
	p.stopWriting()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.factory.Shutdown()
	}()
	var err error
	select {
	case <-ended:
		synctest.Wait()
		if left := leftover(); left != "" {
			err = fmt.Errorf("goroutines are left after Shutdown:\n%s", left)
		}
	case <-time.After(time.Minute):
		err = fmt.Errorf("Shutdown does not return:\n%s", leftover())
	}
	p.link.close()
	p.server.serving.Wait()
	<-ended
	return err
}

func (p *play) startWriting(perSecond int, kinds ...watch.EventType) {
	p.stopWriting()
	stop, done := make(chan struct{}), make(chan struct{})
	p.stop, p.writing = stop, done
	go func() {
		defer close(done)
		p.server.write(kinds, perSecond, stop)
	}()
}

func (p *play) stopWriting() {
	if p.writing != nil {
		close(p.stop)
		<-p.writing
		p.writing = nil
	}
}

// report fails the test, with what happened.
func (p *play) report(err error) {
	p.t.Helper()
	if err == nil {
		return
	}
	p.t.Errorf("%v\n\nat %s the status is %+v\n\nsteps:\n%s\n\nlast requests:\n%s", err, time.Since(p.began), p.informer.Status(), strings.Join(p.lines, "\n"), p.server.lastRequests(40))
}

// scriptOf returns the script of a seed.
func scriptOf(seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 11))
	script := make([]byte, 20+random.IntN(60))
	for i := range script {
		script[i] = byte(random.Uint32())
	}
	return script
}

const (
	// calm is how many of the steps are no faults.
	calm = 24
	// newDefault is the step that changes the content of versions.
	newDefault = 9
)

// trust is what the history of a handler proves.
type trust int

const (
	allOfIt    trust = iota
	noVersions       // versions of states need not grow
	noUIDs           // nor does an object end for good
)

// trustIn returns what can be trusted in spite of the faults of a script.
func trustIn(script []byte) (t trust) {
	for ; len(script) >= 3; script = script[3:] {
		step := int(script[0]) % (calm + len(faults))
		switch {
		case step >= calm && faults[step-calm].replays:
			return noUIDs
		case step >= calm && faults[step-calm].loose || step == newDefault:
			t = noVersions
		}
	}
	return t
}

// maxScript bounds a play: a longer one tells no more, and takes its time.
const maxScript = 120

// playScript plays a script in a bubble. Three bytes make one step: what, its argument,
// and for how long.
func playScript(t *testing.T, script []byte) {
	s := newServer(uint64(len(script)))
	p := newPlay(t, s, inMemory(s, len(script)%4 >= 2), trustIn(script))
	if len(script)%2 == 1 {
		s.noStream = true
	}
	for n := range len(script) % 31 {
		s.collection.set(n)
	}
	p.start()
	err := p.perform(script)
	if err == nil {
		err = p.recover()
	}
	p.report(err)
	if err := p.close(); err != nil {
		t.Error(err)
	}
}

func (p *play) perform(script []byte) error {
	for ; len(script) >= 3; script = script[3:] {
		p.step(int(script[0])%(calm+len(faults)), script[1])
		lasts := pause(script[2])
		if p.writing != nil {
			lasts = min(lasts, maxWriting)
		}
		if err := p.advance(lasts); err != nil {
			return err
		}
	}
	return nil
}

// maxWriting bounds a step beside a writer: each of its events takes real time.
const maxWriting = 20 * time.Second

// pause is how long a step lasts: up to a minute, or up to ten minutes, or no time.
func pause(b byte) time.Duration {
	switch {
	case b < 40:
		return 0
	case b > 240:
		return time.Duration(b-240) * 40 * time.Second
	}
	return time.Duration(b-40) * 300 * time.Millisecond
}

func (p *play) step(step int, arg byte) {
	s := p.server
	if step >= calm {
		f := &faults[step-calm]
		odds := []int{1, 1, 2, 10}[arg>>6]
		p.note("fault %q, argument %d, one request of %d", f.name, arg&63, odds)
		s.set(f, arg&63, odds)
		return
	}
	p.note("step %d, argument %d", step, arg)
	switch step {
	case 0, 1:
		s.set(nil, 0, 0)
	case 2, 3:
		s.collection.set(int(arg % 16))
	case 4:
		s.collection.remove(int(arg % 16))
	case 5:
		if s.collection.remove(int(arg % 16)) {
			s.collection.set(int(arg % 16))
		}
	case 6:
		for n := range int(arg) {
			s.collection.set(100 + n)
		}
	case 7:
		for n := range int(arg) {
			s.collection.remove(100 + n)
		}
	case 8:
		s.collection.forget()
	case newDefault:
		s.collection.setDefault(int(arg % 4))
		s.mu.Lock()
		s.lied = true
		s.mu.Unlock()
	case 10:
		s.collection.bookmark()
	case 11, 12:
		s.endWatches(sanely)
	case 13:
		s.endWatches(abruptly)
	case 14:
		s.endWatches(asExpired)
	case 15:
		p.link.drop()
	case 16:
		p.startWriting(1+int(arg%32), watch.Modified)
	case 17:
		p.startWriting(1+int(arg%4), watch.Added)
	case 18:
		p.startWriting(1+int(arg%32), watch.Added, watch.Modified, watch.Deleted)
	case 19:
		p.stopWriting()
	case 20:
		p.join()
	case 21:
		p.leave()
	case 22:
		s.mu.Lock()
		s.pageSize = int(arg % 8)
		s.mu.Unlock()
	case 23:
		s.mu.Lock()
		s.noStream = arg%2 == 0
		s.mu.Unlock()
	}
}

const (
	// promptly is how soon an informer is right again when it only has to ask: the
	// longest wait after an object that did not decode, and a list.
	promptly = 65 * time.Second
	// afterRetryAfter is for a server that asked for a wait of more than five minutes.
	afterRetryAfter = 10 * time.Minute
	// afterSilence is for a watch that nothing ends but its own timeout.
	afterSilence = 15 * time.Minute
)

// recover heals the server, and waits for the truth.
func (p *play) recover() error {
	p.stopWriting()
	patience := promptly
	for _, line := range p.lines {
		if strings.Contains(line, "refused") {
			patience = max(patience, afterRetryAfter)
		}
		if strings.Contains(line, "hanging") {
			patience = afterSilence + afterRetryAfter
		}
	}
	p.note("heal")
	p.server.heal(false)
	if err := p.converge(patience); err != nil {
		return err
	}
	p.note("right")
	if live := max(liveBytes(), p.server.peak); live > p.before+maxLive {
		return fmt.Errorf("%d MB are live, %d MB were before", live>>20, p.before>>20)
	}
	// A watch ends in good order, another follows: all stays right.
	if err := p.advance(11 * time.Minute); err != nil {
		return err
	}
	return p.converge(grace)
}
