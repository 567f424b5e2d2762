package outage

import (
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/internal/leaks"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// lines is the sink of a logger.
type lines struct {
	// during is called before a line is kept, if it is not nil.
	during func()

	mu  sync.Mutex
	all []string
}

func (l *lines) Init(klog.RuntimeInfo)              {}
func (l *lines) Enabled(int) bool                   { return true }
func (l *lines) WithName(string) klog.LogSink       { return l }
func (l *lines) WithValues(...any) klog.LogSink     { return l }
func (l *lines) Info(v int, text string, kv ...any) { l.add(fmt.Sprintf("I%d %s", v, text), kv) }
func (l *lines) Error(err error, text string, kv ...any) {
	l.add(fmt.Sprintf("E %s: %v", text, err), kv)
}

func (l *lines) add(line string, kv []any) {
	if l.during != nil {
		l.during()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for pair := range slices.Chunk(kv, 2) {
		line += fmt.Sprintf(" %v=%v", pair[0], pair[1])
	}
	l.all = append(l.all, line)
}

func (l *lines) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.all
	l.all = nil
	return all
}

// informer has Reflectors whose states a test sets.
type informer struct {
	t     *testing.T
	log   Log
	lines lines
	parts []*Part
	// reading is how long Failures takes.
	reading time.Duration

	mu       sync.Mutex // guards the fields below
	failures []advice.Failure
	late     []Handler
}

func newInformer(t *testing.T, reflectors int) *informer {
	i := &informer{t: t}
	i.log.Informer = i
	for range reflectors {
		i.parts = append(i.parts, &Part{Log: &i.log, Reflector: progress.New(func() {})})
	}
	return i
}

func (i *informer) Failures() []advice.Failure {
	time.Sleep(i.reading)
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.failures)
}

func (i *informer) Logger() klog.Logger { return klog.New(&i.lines) }

func (i *informer) About(time.Duration) advice.Advice { return advice.Advice{Text: "Wait."} }

func (i *informer) LateHandlers() []Handler {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.late)
}

// phases has a phase for each state, without a failure.
var phases = [...]string{Idle: progress.Stopped, NotFollowing: progress.Listing, Trying: progress.Degraded, Following: progress.Watching}

// enter sets the state of a Reflector, and the failures of the informer.
func (i *informer) enter(reflector int, state State, failures ...advice.Failure) {
	i.mu.Lock()
	i.parts[reflector].Reflector.Enter(phases[state], progress.Failure{})
	i.failures = failures
	i.mu.Unlock()
	i.parts[reflector].Note()
}

// wait passes a time, and wants lines that have these texts.
func (i *informer) wait(d time.Duration, want ...string) {
	i.t.Helper()
	time.Sleep(d)
	synctest.Wait()
	got := i.lines.take()
	ok := len(got) == len(want)
	for n := 0; ok && n < len(got); n++ {
		ok = strings.Contains(got[n], want[n])
	}
	if !ok {
		i.t.Errorf("the log has\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func forbidden(text string, namespaces ...string) advice.Failure {
	return advice.Failure{Reason: "Forbidden", Verb: "list", Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Namespaces: namespaces, Err: errors.New(text)}
}

func failure(reason, verb, text string, causes ...error) advice.Failure {
	return advice.Failure{Reason: reason, Verb: verb, Err: errors.Join(append([]error{errors.New(text)}, causes...)...)}
}

func unreachable(text string) advice.Failure { return failure("Unreachable", "watch", text) }

func refused(text string) advice.Failure { return failure("Refused", "watch", text) }

const second = time.Second

func TestLines(t *testing.T) {
	for name, test := range map[string]func(i *informer){
		"a failure that passes at once": func(i *informer) {
			for range 20 {
				i.enter(0, NotFollowing, unreachable("refused"))
				i.wait(9 * second)
				i.enter(0, Following)
				i.wait(9 * second)
			}
			i.wait(time.Hour)
		},
		"a list that takes long": func(i *informer) {
			i.enter(0, NotFollowing)
			i.wait(9 * second)
			i.wait(second, "I0 Does not follow the API server yet for=10s advice=Wait.")
			i.enter(0, NotFollowing)
			i.wait(time.Hour)
			i.enter(0, Following)
			i.wait(0, "I0 Follows the API server again after=1h0m10s")
		},
		"a failure": func(i *informer) {
			i.enter(0, NotFollowing)
			i.wait(4 * second)
			i.enter(0, NotFollowing, forbidden("no"))
			i.wait(6*second, `I0 Does not follow the API server err=no reason=Forbidden for=10s advice=The server does not allow the program to list pods. Add the rule to a ClusterRole, and bind it to the service account of the program with a ClusterRoleBinding. The rule: {apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"]}`)
			for range 360 {
				i.enter(0, NotFollowing, forbidden("no"))
				i.wait(10 * second)
			}
			i.enter(0, NotFollowing)
			i.wait(30 * second)
			i.enter(0, Following)
			i.wait(0, "I0 Follows the API server again after=1h0m40s")
			i.enter(0, NotFollowing, forbidden("no"))
			i.wait(59 * second)
			i.wait(second, "I0 Does not follow the API server err=no reason=Forbidden for=1m0s")
		},
		"another reason": func(i *informer) {
			i.enter(0, NotFollowing, unreachable("refused"))
			i.wait(10*second, "refused reason=Unreachable for=10s")
			i.enter(0, NotFollowing, forbidden("no"))
			i.wait(9 * second)
			i.wait(second, "no reason=Forbidden for=20s")
			for range 100 { // both were logged
				i.enter(0, NotFollowing, unreachable("refused"))
				i.wait(10 * second)
				i.enter(0, NotFollowing, forbidden("no"))
				i.wait(10 * second)
			}
		},
		"another error": func(i *informer) {
			i.enter(0, NotFollowing, refused("read from port 1234: refused"))
			i.wait(10*second, "port 1234: refused")
			i.enter(0, NotFollowing, refused("read from port 4321: refused"))
			i.wait(time.Hour)
			i.enter(0, NotFollowing, refused("read from port 1234: reset"))
			i.wait(10*second, "port 1234: reset")
			written := 0
			for n := range 24 * 60 {
				i.enter(0, NotFollowing, refused(strings.Repeat("x", n)))
				time.Sleep(time.Minute)
				synctest.Wait()
				written += len(i.lines.take())
			}
			if written < 24 || written > 40 {
				i.t.Errorf("%d lines in a day of errors that all differ", written)
			}
		},
		"an outage whose failures differ": func(i *informer) {
			i.enter(0, NotFollowing, unreachable("read from port 1234: refused"))
			i.wait(10*second, "port 1234: refused reason=Unreachable for=10s")
			for n := range 100 {
				failures := []advice.Failure{unreachable("reset"), failure("ServerError", "list", "etcd"), failure("TooManyRequests", "watch", "later"), failure("Expired", "list", "gone"), failure("ClosedEarly", "watch", "short")}
				i.enter(n%3, NotFollowing, failures[n%5:]...)
				i.wait(time.Minute)
			}
			i.enter(1, NotFollowing, failure("Unreachable", "list", "CA", x509.UnknownAuthorityError{}))
			i.wait(10*second, "authority reason=Unreachable")
			i.enter(1, NotFollowing, failure("Unauthorized", "list", "who?"))
			i.wait(10*second, "who? reason=Unauthorized")
			i.enter(1, NotFollowing, failure("Unauthorized", "watch", "who?"))
			i.wait(time.Hour)
			for n := range i.parts {
				i.enter(n, Following)
			}
			i.wait(0, "again after=2h40m")
		},
		"an outage of the informer that has the scopes": func(i *informer) {
			own, source := failure("Unreachable", "watch", "refused"), failure("ServerError", "list", "namespaces: etcd")
			source.IsSource, source.Resource = true, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
			i.enter(0, NotFollowing, source)
			i.wait(10*second, "namespaces: etcd")
			i.enter(1, NotFollowing, own, source)
			i.wait(time.Hour)
			source.Resource = schema.GroupVersionResource{}
			i.enter(1, NotFollowing, own, source)
			i.wait(10*second, "The scopes cannot be set")
		},
		"outages next to a failure that lasts": func(i *informer) {
			i.enter(0, NotFollowing, forbidden("no", "a"))
			i.wait(10*second, "no reason=Forbidden")
			outage := unreachable("refused")
			outage.Namespaces = []string{"b", "c"}
			for range 3 {
				i.enter(1, NotFollowing, outage, forbidden("no", "a"))
				i.enter(2, NotFollowing, outage, forbidden("no", "a"))
				i.wait(10*second, "refused reason=Unreachable")
				i.wait(50 * second)
				i.enter(1, Following, outage, forbidden("no", "a"))
				i.wait(30 * second)
				i.enter(2, Trying, forbidden("no", "a"))
				i.wait(30 * second)
				i.enter(2, Following, forbidden("no", "a"))
				i.enter(0, NotFollowing, forbidden("no", "a"))
				i.wait(10*second, "I0 The API server answers again after=2m10s")
				i.enter(0, NotFollowing, forbidden("no", "a"))
				i.wait(calm)
			}
		},
		"a watch that is reopened": func(i *informer) {
			i.enter(0, NotFollowing, unreachable("refused"))
			i.wait(9 * second)
			i.enter(0, Trying, unreachable("refused"))
			i.wait(9 * second)
			i.enter(0, Following)
			i.wait(time.Minute)
			i.enter(0, NotFollowing, unreachable("refused"))
			i.wait(9 * second)
			i.enter(0, Trying, unreachable("refused"))
			i.wait(6 * second)
			i.enter(0, NotFollowing, unreachable("cut"))
			i.wait(5*second, "cut reason=Unreachable for=20s")
		},
		"several namespaces": func(i *informer) {
			for n := range i.parts {
				i.enter(n, NotFollowing)
			}
			i.enter(2, Following)
			i.enter(0, NotFollowing, forbidden("no", "a", "b"))
			i.wait(10*second, "no reason=Forbidden for=10s namespaces=a, b advice=The server does not allow the program to list pods in 2 namespaces (a, b). Add")
			i.enter(1, NotFollowing, forbidden("no", "a", "b"))
			i.wait(time.Minute)
			i.enter(2, NotFollowing, forbidden("no", "a", "b", "c"))
			i.wait(10*second, "namespaces=a, b, c")
			i.enter(0, Following, forbidden("no", "b", "c"))
			i.enter(1, Following, forbidden("no", "c"))
			i.wait(time.Minute)
			i.enter(2, Following)
			i.wait(0, "again after=2m20s")
		},
		"a new outage while an old one is read": func(i *informer) {
			i.reading = 5 * second
			i.enter(0, NotFollowing, forbidden("no"))
			i.wait(12 * second)
			i.enter(0, Following)
			i.wait(second)
			i.enter(0, NotFollowing, forbidden("no"))
			i.wait(14 * second)
			i.wait(second, "no reason=Forbidden for=15s")
		},
		"two outages while a handler is late": func(i *informer) {
			i.late = []Handler{{ID: 1, Name: "a"}}
			i.log.NoteHandler()
			i.wait(20*second, "handler=a")
			for range 2 {
				i.enter(0, NotFollowing, forbidden("no"))
				i.wait(10*second, "no reason=Forbidden for=10s")
				i.enter(0, Following)
				i.wait(0, "again after=10s")
				i.wait(calm)
			}
		},
		"the end": func(i *informer) {
			i.enter(0, NotFollowing, forbidden("no"))
			i.wait(10*second, "no")
			i.enter(0, Idle)
			i.wait(time.Hour)
			i.enter(0, NotFollowing, forbidden("no"))
			i.wait(9 * second)
			i.log.Close()
			i.enter(0, NotFollowing, forbidden("yes"))
			i.wait(time.Hour)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				i := newInformer(t, 3)
				defer i.log.Close()
				test(i)
			})
		})
	}
}

// TestSlowLogger has a logger that blocks. The lines keep their order, and Close waits for them.
func TestSlowLogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newInformer(t, 1)
		i.lines.during = func() { time.Sleep(time.Minute) }
		i.enter(0, NotFollowing, forbidden("no"))
		time.Sleep(11 * time.Second)
		began := time.Now()
		i.enter(0, Following)
		i.enter(0, NotFollowing, forbidden("no"))
		if waited := time.Since(began); waited > 0 {
			t.Errorf("a Reflector waited %v for the line of another goroutine", waited)
		}
		i.log.Close()
		i.wait(0, "no reason=Forbidden for=10s", "again after=11s")
	})
}

// TestStates has the state that the Log sees in each phase.
func TestStates(t *testing.T) {
	failed := progress.Failure{Verb: "watch", Reason: "ServerError", Err: errors.New("it failed")}
	tracker := progress.New(func() {})
	for _, step := range []struct {
		phase string
		cause progress.Failure
		want  State
	}{
		{progress.Pending, progress.Failure{}, Idle},
		{progress.Listing, progress.Failure{}, NotFollowing},
		{progress.Watching, progress.Failure{}, Following},
		{progress.Degraded, failed, NotFollowing},
		{progress.Degraded, progress.Failure{}, Trying}, // a watch was reopened
		{progress.Watching, progress.Failure{}, Following},
		{progress.Stopped, failed, Idle},
		{progress.Stopped, progress.Failure{}, Idle},
	} {
		tracker.Enter(step.phase, step.cause)
		if got := stateOf(tracker.State()); got != step.want {
			t.Errorf("%s after %q: the log sees %v, want %v", step.phase, step.cause.Reason, got, step.want)
		}
	}
}

func TestLasted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newInformer(t, 2)
		defer i.log.Close()
		check := func(want time.Duration) {
			t.Helper()
			time.Sleep(time.Second)
			if got := i.log.Lasted(); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
		check(0)
		i.enter(0, NotFollowing)
		check(second)
		i.enter(1, Trying)
		i.enter(0, Following)
		check(2 * second)
		i.enter(1, Following)
		check(0)
		i.enter(0, NotFollowing)
		i.log.Close()
		check(0)
	})
}

// TestHealthyInformersKeepNothing looks at the memory after an outage and a late handler.
func TestHealthyInformersKeepNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newInformer(t, 1)
		i.enter(0, NotFollowing, forbidden("no"))
		i.late = []Handler{{ID: 1}}
		i.log.NoteHandler()
		i.wait(20*second, "no", "initial list")
		i.enter(0, Following)
		i.wait(0, "again")
		i.late = nil
		i.log.NoteHandler()
		i.wait(20 * second)
		if i.log.now != nil {
			t.Errorf("the log keeps %+v", i.log.now)
		}
	})
}

// TestConcurrentNotes ends and begins outages from many goroutines, and closes the Log meanwhile.
func TestConcurrentNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newInformer(t, 8)
		var all sync.WaitGroup
		for n := range i.parts {
			all.Go(func() {
				for step := range 200 {
					i.enter(n, State(1+(step/10+(step*step+n)%7/6)%3), forbidden(fmt.Sprint("no", strings.Repeat("x", step%5))))
					time.Sleep(time.Duration(1+(step*7+n)%13) * time.Second)
				}
			})
		}
		time.Sleep(10 * time.Minute)
		i.log.Close()
		reported, again := false, 0
		for _, line := range i.lines.take() {
			follows := strings.Contains(line, "Follows the API server again")
			if follows && !reported {
				t.Errorf("%s after a line that says so too", line)
			}
			reported = !follows
			again += int(count(follows))
		}
		if again == 0 {
			t.Error("no outage has ended")
		}
		all.Wait()
		i.wait(time.Hour)
	})
}

// TestHandlers has handlers that become late at different times.
func TestHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newInformer(t, 1)
		defer i.log.Close()
		set := func(handlers ...Handler) {
			i.mu.Lock()
			i.late = handlers
			i.mu.Unlock()
			i.log.NoteHandler()
		}
		a, b := Handler{ID: 1, Name: "a", Backlog: 3}, Handler{ID: 2, Name: "b"}
		set()
		i.wait(time.Hour)
		set(a)
		i.wait(19 * second)
		set(a, b)
		i.wait(second, "I0 A handler has not returned from its initial list handler=a events=3 advice=A handler should only")
		i.wait(10*second, "handler=b events=0")
		i.wait(time.Hour)
		set(a, b, Handler{ID: 3, Name: "b"})
		i.wait(19 * second)
		i.wait(second, "handler=b")
		set()
		i.wait(time.Hour)
		set(a)
		i.wait(15 * second)
		i.log.Close()
		i.wait(time.Hour)
		i.log.NoteHandler()
		i.wait(time.Hour)
	})
}

// TestFlapping has a watch that is cut again and again, some time after it was opened.
func TestFlapping(t *testing.T) {
	for down, most := range map[time.Duration]int{9 * time.Second: 0, 15 * time.Second: 288, 65 * time.Second: 600, 150 * time.Second: 600, 9 * time.Minute: 600} {
		t.Run(down.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testFlapping(t, down, most) })
		})
	}
}

// testFlapping wants at most so many lines in a day, and at least a third of that.
func testFlapping(t *testing.T, down time.Duration, most int) {
	i := newInformer(t, 1)
	lines := 0
	const up = 5 * time.Second
	for range 24 * time.Hour / (down + up) {
		i.enter(0, NotFollowing, unreachable("no"))
		time.Sleep(down)
		i.enter(0, Following)
		time.Sleep(up)
		synctest.Wait()
		lines += len(i.lines.take())
	}
	if lines > most || lines < most/3 {
		t.Errorf("%d lines in a day, want at most %d", lines, most)
	}
	// One that lasts is named, also when there were others before.
	i.enter(0, NotFollowing, unreachable("no"))
	time.Sleep(11 * time.Minute)
	synctest.Wait()
	if got := i.lines.take(); len(got) != 1 || !strings.Contains(got[0], "no reason=Unreachable for=") {
		t.Errorf("the log has %q", got)
	}
	i.enter(0, Following)
	i.wait(0, "again after=11m0s")
	time.Sleep(calm)
	i.enter(0, NotFollowing, unreachable("no"))
	i.wait(advice.After, "for=10s")
	i.log.Close()
}
