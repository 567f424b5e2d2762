package hostile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// server answers for one collection, sanely or as the fault in force has it.
type server struct {
	collection *collection
	random     *rand.Rand     // guarded by mu
	serving    sync.WaitGroup // one for each request that is answered

	mu    sync.Mutex // guards the fields below
	fault *fault     // in force; nil is a sane server
	arg   byte       // of fault
	// onlyPage is the number of the page that fault is for, from 1; 0 for all requests.
	onlyPage int
	odds     int // one request of so many meets the fault
	pageSize int // largest page, whatever the client asks for; 0 for what it asks for
	noStream bool
	// lied is set once an answer can be made up for by another list only.
	lied     bool
	calls    map[*call]struct{} // under way
	requests []*request
	// lastEnd is when a watch that followed the collection ended, in good order or cut.
	lastEnd time.Time
	// handedOut are the tokens of the list that is under way, and seen its objects.
	handedOut map[string]*token
	seen      map[cache.ObjectName]bool
	serial    int // of tokens
	stormed   bool
	peak      uint64        // most bytes that were live while a bomb was sent
	asked     chan struct{} // closed and replaced at each request
}

// token is a continue token that the server handed out.
type token struct {
	asked    []*request // those that brought it back
	answered bool       // one of them was answered well
	progress bool       // the page that had it brought something new
}

func newServer(seed uint64) *server {
	return &server{
		collection: newCollection(),
		random:     rand.New(rand.NewPCG(seed, 7)),
		calls:      map[*call]struct{}{},
		handedOut:  map[string]*token{},
		seen:       map[cache.ObjectName]bool{},
		asked:      make(chan struct{}),
	}
}

// request is what the server remembers of a request.
type request struct {
	at   time.Time
	verb verb
	url  string
	// counted is false for a page of a list that makes progress, and for the failures
	// before the page came through.
	counted bool
	// failed is set for an answer that is an error to the client.
	failed bool
	fault  string
}

func (r *request) String() string {
	text := fmt.Sprintf("%s %-6s %-16s", r.at.Format("15:04:05.000"), r.verb, r.fault)
	if !r.counted {
		text += " not counted"
	}
	if r.failed {
		text += " failed"
	}
	return text + " " + r.url
}

type verb string

const (
	list   verb = "list"
	page   verb = "page"
	watchV verb = "watch"
	stream verb = "stream"
)

// ending is how the server ends an answer that is under way.
type ending int

const (
	sanely    ending = iota // as if its time were over
	abruptly                // with its connection or stream
	asExpired               // with an ERROR event of 410, where events are expected
)

// call is one request while it is answered.
type call struct {
	*server
	w       http.ResponseWriter
	r       *http.Request
	out     output
	request *request
	verb    verb
	arg     byte
	fault   *fault
	limit   int
	token   string
	version string
	timeout time.Duration
	cut     chan ending // receives at most one
	// answered is set when the client has a status of 200 for a watch, and following
	// when it has no initial events before it any more.
	answered, following bool
	opened              time.Time
	events              int
	// silent is set for a call that no heal ends: its connection is broken without a word.
	silent bool
}

// storm is how many requests a minute are met with a delay: in virtual time, a client
// that never waits would never let a second pass.
const storm = 300

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.serving.Add(1)
	defer s.serving.Done()
	c := s.begin(w, r)
	defer s.end(c)
	if s.isStorm() {
		select {
		case <-time.After(time.Second):
		case <-r.Context().Done():
			return
		}
	}
	switch {
	case c.fault != nil:
		c.fault.serve(c)
	case c.verb == list || c.verb == page:
		c.serveList(listTweak{})
	default:
		c.serveWatch(watchTweak{})
	}
}

func (s *server) begin(w http.ResponseWriter, r *http.Request) *call {
	query := r.URL.Query()
	c := &call{server: s, w: w, r: r, verb: list, token: query.Get("continue"), version: query.Get("resourceVersion"), cut: make(chan ending, 1)}
	c.out = output{w: w}
	c.limit, _ = strconv.Atoi(query.Get("limit"))
	seconds, _ := strconv.Atoi(query.Get("timeoutSeconds"))
	c.timeout = time.Duration(seconds) * time.Second
	switch {
	case query.Get("watch") == "" && c.token != "":
		c.verb = page
	case query.Get("watch") != "" && query.Get("sendInitialEvents") == "true":
		c.verb = stream
	case query.Get("watch") != "":
		c.verb = watchV
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.fault; f != nil && f.on[c.verb] && (!f.whole || c.limit == 0) && (s.onlyPage == 0 || s.onlyPage == s.pageLocked(c)) && s.random.IntN(max(1, s.odds)) == 0 {
		c.fault, c.arg = f, s.arg
		s.lied = s.lied || f.lies
	}
	s.calls[c] = struct{}{}
	c.request = s.noteLocked(c)
	return c
}

// pageLocked is the number of the page that c asks for.
func (s *server) pageLocked(c *call) int {
	if c.verb != page {
		return 1
	}
	return 1 + len(s.handedOut)
}

// noteLocked counts a request. Hops of a redirect are those of one request.
func (s *server) noteLocked(c *call) *request {
	if c.r.Header.Get("Referer") != "" && len(s.requests) > 0 {
		r := s.requests[len(s.requests)-1]
		if c.fault == nil {
			r.failed = false // it comes through in the end
		}
		return r
	}
	r := &request{at: time.Now(), verb: c.verb, url: c.r.URL.RawQuery, counted: true}
	if c.fault != nil {
		r.fault, r.failed = c.fault.name, c.fault.fails
	}
	switch t := s.handedOut[c.token]; {
	case c.verb == list:
		clear(s.handedOut)
		clear(s.seen)
	case c.verb == page && t != nil:
		t.asked = append(t.asked, r)
		r.failed = r.failed || t.answered // it leads in a circle
		r.counted = r.failed || len(t.asked) > 1 || !t.progress
	}
	s.requests = append(s.requests, r)
	close(s.asked)
	s.asked = make(chan struct{})
	return r
}

func (s *server) end(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, c)
	if c.following {
		s.lastEnd = time.Now()
	}
	if t := s.handedOut[c.token]; c.verb == page && t != nil && !c.request.failed {
		t.answered = true
		for _, r := range t.asked {
			r.counted = r.counted && !r.failed && !t.progress
		}
	}
}

// isStorm reports whether there are so many requests that time has to be let pass.
func (s *server) isStorm() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.requests)
	hit := n > storm && time.Since(s.requests[n-storm].at) < time.Minute
	s.stormed = s.stormed || hit
	return hit
}

// fail notes that the answer is an error to the client.
func (c *call) fail() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.request.failed, c.request.counted = true, true
}

// excuse takes fail back.
func (c *call) excuse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.request.failed = false
}

// ofUse is how long a watch has to last that is no error, however it ends.
const ofUse = 10 * time.Second

// abort cuts the connection, or over HTTP/2 the stream.
func (c *call) abort() { panic(http.ErrAbortHandler) }

// hang waits until the client gives up, or the server ends it.
func (c *call) hang() {
	select {
	case <-c.r.Context().Done():
	case <-c.cut:
		c.abort()
	}
}

// wait lets some time pass, unless the call ends before.
func (c *call) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.r.Context().Done():
	case <-c.cut:
	}
}

// set puts a fault in force, nil for none.
func (s *server) set(f *fault, arg byte, odds int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.arg, s.odds, s.onlyPage = f, arg, odds, 0
}

// use puts the fault of that name in force for each request that it can answer.
func (s *server) use(name string, arg byte) { s.set(faultOf(name), arg, 1) }

// useOnPage is use for one page of each list, and for nothing else.
func (s *server) useOnPage(name string, arg byte, number int) {
	s.use(name, arg)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onlyPage = number
}

// endWatches ends all watches that were answered.
func (s *server) endWatches(how ending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLocked(how, func(c *call) bool { return c.answered })
}

func (s *server) endLocked(how ending, which func(*call) bool) {
	for c := range s.calls {
		if !c.silent && which(c) {
			select {
			case c.cut <- how:
			default: // it is ended already
			}
		}
	}
}

// heal makes the server sane. What was asked for before and hangs goes on to hang,
// unless sever is set.
func (s *server) heal(sever bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.pageSize, s.noStream = nil, 0, false
	for c := range s.calls {
		c.silent = c.silent && !sever
	}
	if s.lied {
		s.collection.bookmark() // a client that has reached the present has to list as well
		s.collection.forget()
		s.endLocked(asExpired, func(c *call) bool { return c.answered })
	}
	s.endLocked(abruptly, func(c *call) bool { return c.fault != nil || !c.answered })
}

// following reports whether a client has an open watch that was answered, or had one
// within grace: one that ended is resumed at once.
func (s *server) following(grace time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.calls {
		if c.following {
			return true
		}
	}
	return !s.lastEnd.IsZero() && time.Since(s.lastEnd) <= grace
}

// count returns how many requests there were since a time that which selects.
func (s *server) count(since time.Time, which func(*request) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if !r.at.Before(since) && which(r) {
			n++
		}
	}
	return n
}

// awaitFault blocks until a request that is still to come meets the fault in force.
func (s *server) awaitFault(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for from := len(s.requests); ; {
		for _, r := range s.requests[from:] {
			if r.fault != "" {
				return nil
			}
		}
		asked := s.asked
		s.mu.Unlock()
		select {
		case <-asked:
		case <-ctx.Done():
		}
		s.mu.Lock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// last returns the newest request of a verb.
func (s *server) last(v verb) *request {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range slices.Backward(s.requests) {
		if r.verb == v {
			return r
		}
	}
	return &request{}
}

// lastRequests returns the newest n, one a line.
func (s *server) lastRequests(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, r := range s.requests[max(0, len(s.requests)-n):] {
		lines = append(lines, r.String())
	}
	return strings.Join(lines, "\n")
}

// write changes the collection at a rate until stop is closed.
func (s *server) write(kinds []watch.EventType, perSecond int, stop <-chan struct{}) {
	tick := time.NewTicker(time.Second / time.Duration(perSecond))
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		switch kinds[n%len(kinds)] {
		case watch.Added:
			s.collection.set(1000 + n)
		case watch.Modified:
			s.collection.set(n % 10)
		case watch.Deleted:
			if !s.collection.remove(1000 + n - 5) {
				s.collection.remove(n % 10)
			}
		}
	}
}
