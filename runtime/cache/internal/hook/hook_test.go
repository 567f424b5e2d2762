package hook

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// program is a program with hooks, over a status that is a number.
type program struct {
	hooks *Hooks[int]
	// during is called by each hook before it returns.
	during func(line string)

	mu     sync.Mutex // guards the fields below
	status int
	lines  []string
	full   int
}

type dropped int

func (d dropped) Error() string { return fmt.Sprintf("%d dropped", int(d)) }

func newProgram() *program {
	p := &program{during: func(string) {}}
	add := func(line string) {
		p.mu.Lock()
		p.lines = append(p.lines, line)
		p.mu.Unlock()
		p.during(line)
	}
	p.hooks = New(Options[int]{
		OnError:  func(_ context.Context, err error) { add(err.Error()) },
		OnChange: func(_ context.Context, before, now int) { add(fmt.Sprintf("%d to %d", before, now)) },
		Status:   func() int { return p.status },
		Same:     func(before, now int) bool { return before == now },
		Dropped:  func(n int) error { return dropped(n) },
		Full:     func(context.Context) { p.full++ },
		Failed:   func(_ context.Context, hook string, value any) { add(fmt.Sprintf("%s failed: %v", hook, value)) },
	}, 0)
	return p
}

func (p *program) enter(status int) {
	p.status = status
	p.hooks.Changed()
}

func (p *program) fail(i int) { p.hooks.Error(context.Background(), fmt.Errorf("error %d", i)) }

func (p *program) got() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, ", ")
}

func (p *program) expect(t *testing.T, want string) {
	t.Helper()
	if got := p.got(); got != want {
		t.Errorf("the hooks were called with\n%s, want\n%s", got, want)
	}
}

func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram()
		p.during = func(string) { time.Sleep(time.Minute) }
		p.enter(1)
		p.fail(1)
		p.fail(2)
		p.enter(2)
		p.enter(2) // the same
		p.enter(3)
		p.fail(3)
		p.hooks.Close()
		p.expect(t, "0 to 1, error 1, error 2, 1 to 2, 2 to 3, error 3")
		p.fail(4)
		p.enter(4)
		synctest.Wait()
		p.expect(t, "0 to 1, error 1, error 2, 1 to 2, 2 to 3, error 3")
	})
}

// TestNoGoroutineWhileIdle counts the goroutines between two calls.
func TestNoGoroutineWhileIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram()
		p.during = func(string) { time.Sleep(time.Minute) }
		p.fail(1)
		synctest.Wait()
		if n := goroutines(); n != 1 {
			t.Errorf("%d goroutines while a hook runs", n)
		}
		p.during = func(string) {}
		time.Sleep(time.Minute)
		for i := range 3 {
			synctest.Wait()
			if n := goroutines(); n != 0 || p.hooks.running != nil || p.hooks.pending != nil {
				t.Errorf("%d goroutines while it is idle", n)
			}
			p.enter(i)
		}
		p.hooks.Close()
	})
}

// goroutines returns how many goroutines of the bubble call hooks.
func goroutines() (n int) {
	stacks := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if strings.Contains(stack, "synctest bubble") && strings.Contains(stack, "created by github.com/typedinformers/informer-gen/runtime/cache/internal/hook.(*Hooks") {
			n++
		}
	}
	return n
}

// TestBlockedHook has a hook that blocks for an hour while thousands of errors and changes
// come.
func TestBlockedHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram()
		p.during = func(line string) {
			if line == "0 to 1" {
				time.Sleep(time.Hour)
			}
		}
		began := time.Now()
		p.enter(1)
		synctest.Wait()
		const errors = 10_000
		for i := range errors {
			p.fail(i)
			p.enter(i + 2)
			if n := len(p.hooks.pending); n > maxPending {
				t.Fatalf("%d entries wait", n)
			}
		}
		synctest.Wait()
		if took := time.Since(began); took != 0 || p.full != 1 {
			t.Errorf("it took %v, and Full was called %d times", took, p.full)
		}
		p.hooks.Close()
		if took := time.Since(began); took != time.Hour {
			t.Errorf("Close waited for %v", took)
		}
		heard, droppedErrors, last, status := 0, 0, -1, 1
		for _, line := range p.lines[1:] {
			var n, m int
			switch {
			case scan(line, "error %d", &n):
				if n <= last {
					t.Errorf("error %d comes after %d", n, last)
				}
				heard, last = heard+1, n
			case scan(line, "%d dropped", &n):
				droppedErrors += n
			case scan(line, "%d to %d", &n, &m):
				if n != status || m <= n {
					t.Errorf("%s follows a change to %d", line, status)
				}
				status = m
			}
		}
		if heard+droppedErrors != errors || last != errors-1 || status != errors+1 || heard < maxPending/2-1 {
			t.Errorf("%d errors were heard and %d dropped, the last is %d, and the last status %d", heard, droppedErrors, last, status)
		}
		p.during = func(string) {}
	})
}

func scan(line, format string, into ...any) bool {
	n, err := fmt.Sscanf(line, format, into...)
	return err == nil && n == len(into)
}

// TestStatusThatReturnsIsNoChange has a status that is the same again when the hook returns.
func TestStatusThatReturnsIsNoChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram()
		p.during = func(string) { time.Sleep(time.Minute) }
		p.enter(1)
		synctest.Wait()
		for i := range 2 * maxPending {
			p.enter(i)
		}
		for range maxPending {
			p.enter(1)
		}
		p.hooks.Close()
		p.expect(t, "0 to 1")
	})
}

// TestHooksThatFail panic and end their goroutine, and get all that follows.
func TestHooksThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram()
		p.during = func(line string) {
			switch line {
			case "error 1", "0 to 7":
				panic("no " + line)
			case "error 2", "7 to 8":
				runtime.Goexit()
			}
		}
		p.fail(1)
		p.fail(2)
		p.enter(7)
		p.enter(8)
		p.fail(3)
		p.hooks.Close()
		p.expect(t, "error 1, WatchErrorHandler failed: no error 1, error 2, WatchErrorHandler failed: <nil>, "+
			"0 to 7, StatusHandler failed: no 0 to 7, 7 to 8, StatusHandler failed: <nil>, error 3")
	})
}

// TestPanicOfTheHookForDroppedErrors loses no error behind it.
func TestPanicOfTheHookForDroppedErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram()
		p.during = func(line string) {
			switch line {
			case "error 0":
				time.Sleep(time.Minute)
			case "5 dropped":
				panic(line)
			}
		}
		p.fail(0)
		synctest.Wait()
		for i := range maxPending + 5 {
			p.fail(i + 1)
		}
		p.hooks.Close()
		if lines := p.got(); !strings.HasPrefix(lines, "error 0, 5 dropped, WatchErrorHandler failed: 5 dropped, error 6, error 7, ") || len(p.lines) != 3+maxPending {
			t.Errorf("%d calls: %s", len(p.lines), lines)
		}
	})
}

func TestWithoutHooks(t *testing.T) {
	h := New(Options[int]{}, 0)
	h.Changed()
	h.Error(t.Context(), errors.New("an error"))
	if h.pending != nil || h.running != nil {
		t.Error("something is queued for no one")
	}
	h.Close()
	h = nil
	h.SetContext(t.Context())
	h.Changed()
	h.Error(t.Context(), errors.New("an error"))
	h.Close()
}

// TestManyGoroutines queues from several goroutines, with hooks that fail now and then, and
// closes meanwhile.
func TestManyGoroutines(t *testing.T) {
	for range 20 {
		p := newProgram()
		p.during = func(line string) {
			switch rand.IntN(20) {
			case 0:
				panic(line)
			case 1:
				runtime.Goexit()
			case 2:
				runtime.Gosched()
			}
		}
		p.hooks.options.Failed = func(context.Context, string, any) {}
		p.hooks.options.Full = func(context.Context) {}
		status := make(chan int, 1)
		status <- 0
		p.hooks.options.Status = func() int { // under the lock of the hooks
			n := <-status
			status <- n + 1
			return n + 1
		}
		var pushing sync.WaitGroup
		for range 4 {
			pushing.Go(func() {
				for i := range 200 {
					p.fail(i)
					p.hooks.Changed()
				}
			})
		}
		pushing.Wait()
		p.hooks.Close()
		before := 0
		for _, line := range slices.Clone(p.lines) {
			var from, to int
			if scan(line, "%d to %d", &from, &to) {
				if from != before || to <= from {
					t.Fatalf("%s follows a change to %d", line, before)
				}
				before = to
			}
		}
		if before != <-status {
			t.Errorf("the last status is %d", before)
		}
		if p.hooks.running != nil {
			t.Error("a goroutine is left")
		}
	}
}

// TestSlowStatus is read once for all changes that wait.
func TestSlowStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram()
		p.during = func(string) { time.Sleep(time.Minute) }
		read := 0
		p.hooks.options.IsSlow, p.hooks.options.Status = true, func() int { read++; return p.status }
		p.enter(1)
		synctest.Wait()
		p.fail(1)
		p.enter(2)
		for i := range 2 * maxPending {
			p.fail(i)
			p.enter(3)
		}
		p.hooks.Close()
		if got := p.got(); !strings.HasPrefix(got, "0 to 1, ") || strings.Count(got, " to ") != 2 || !strings.Contains(got, "1 to 3") || read != 2 {
			t.Errorf("read %d times, the hooks were called with\n%s", read, got)
		}
	})
}

// TestSlowStatusIsNeverMissed has changes of several goroutines.
func TestSlowStatusIsNeverMissed(t *testing.T) {
	for range 200 {
		var status, heard atomic.Int64
		h := New(Options[int64]{
			OnChange: func(_ context.Context, _, now int64) { heard.Store(now) },
			Status:   status.Load, IsSlow: true,
			Same: func(before, now int64) bool { return before == now },
		}, 0)
		var changing sync.WaitGroup
		for range 4 {
			changing.Go(func() {
				for range 10 {
					status.Add(1)
					h.Changed()
				}
			})
		}
		changing.Wait()
		h.Close()
		if heard.Load() != 40 {
			t.Fatalf("the last status that was heard is %d", heard.Load())
		}
	}
}

// TestObserversLeave one by one. Those that stay are called.
func TestObserversLeave(t *testing.T) {
	var observers Observers
	observers.Changed()
	var calls [3]int
	var remove [3]func()
	for i := range calls {
		remove[i] = observers.Add(func() { calls[i]++ })
	}
	for i := range calls {
		observers.Changed()
		remove[i]()
	}
	observers.Changed()
	if calls != [3]int{1, 2, 3} {
		t.Errorf("the calls are %v", calls)
	}
	defer observers.Add(func() { calls[0]++ })()
	if observers.Changed(); calls[0] != 2 {
		t.Error("one that is added later is not called")
	}
}
