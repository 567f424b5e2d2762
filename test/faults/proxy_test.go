package faults_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/test/faults"
	"github.com/typedinformers/informer-gen/test/progress"
)

const (
	collection = "/apis/example.com/v1/namespaces/a/widgets"
	list       = `{"kind":"WidgetList","items":[{"metadata":{"name":"first"}},{"metadata":{"name":"second"}}]}` + "\n"
	event      = `{"type":"ADDED","object":{"metadata":{"name":"%d"}}}` + "\n"
)

// stage is a server that answers lists and watches, behind a proxy.
type stage struct {
	proxy  *faults.Proxy
	client *http.Client
	events chan int // a watch sends an event for each, and ends with the channel
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{events: make(chan int)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Error("the proxy asks for compression")
		}
		if r.URL.Query().Get("watch") == "" {
			_, _ = io.WriteString(w, list)
			return
		}
		_ = http.NewResponseController(w).Flush()
		for {
			select {
			case n, ok := <-s.events:
				if !ok {
					return
				}
				_, _ = fmt.Fprintf(w, event, n)
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	var err error
	if s.proxy, err = faults.Start(server.URL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.proxy.Stop)
	// A connection for each request: the transport repeats what an old connection does not answer.
	s.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return s
}

// get returns the answer, whose body is closed with the test.
func (s *stage) get(t *testing.T, path string) (*http.Response, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(progress.Context(t), http.MethodGet, s.proxy.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.client.Do(request)
	if err == nil {
		t.Cleanup(func() { _ = response.Body.Close() })
	}
	return response, err
}

func (s *stage) list(t *testing.T) (body string, code int, err error) {
	t.Helper()
	response, err := s.get(t, collection)
	if err != nil {
		return "", 0, err
	}
	all, err := io.ReadAll(response.Body)
	return string(all), response.StatusCode, err
}

func (s *stage) watch(t *testing.T) *bufio.Reader {
	t.Helper()
	response, err := s.get(t, collection+"?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	return bufio.NewReader(response.Body)
}

func (s *stage) send(t *testing.T, n int) {
	t.Helper()
	select {
	case s.events <- n:
		progress.Step()
	case <-progress.Context(t).Done():
		t.Fatal("nobody watches")
	}
}

// listsUnspoiled checks that the fault is over.
func (s *stage) listsUnspoiled(t *testing.T) {
	t.Helper()
	if body, code, err := s.list(t); body != list || code != http.StatusOK || err != nil {
		t.Errorf("after the fault: %d %q %v", code, body, err)
	}
}

func wait(t *testing.T, struck <-chan struct{}) {
	t.Helper()
	select {
	case <-struck:
	case <-progress.Context(t).Done():
		t.Fatal("the fault did not strike")
	}
}

func TestPassesAndCounts(t *testing.T) {
	s := newStage(t)
	s.listsUnspoiled(t)
	lines := s.watch(t)
	for n := range 3 {
		s.send(t, n)
		if line, err := lines.ReadString('\n'); line != fmt.Sprintf(event, n) || err != nil {
			t.Fatalf("the watch says %q, %v", line, err)
		}
	}
	close(s.events)
	if _, err := lines.ReadByte(); err != io.EOF {
		t.Errorf("the end of the watch arrives as %v", err)
	}
	for _, path := range []string{"/apis", "/apis/example.com/v1", collection + "/first", "/api/v1/namespaces", "/api/v1/namespaces/a", "/version"} {
		if _, err := s.get(t, path); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.get(t, collection+"?watch=true&sendInitialEvents=true"); err != nil {
		t.Error(err)
	}
	for match, want := range map[faults.Match]int{faults.Streams: 1, faults.Lists: 2, faults.Watches: 1, faults.Others: 5, faults.Lists | faults.Watches: 3, faults.All: 9} {
		if got := s.proxy.Requests(match); got != want {
			t.Errorf("%d requests are counted of %b, want %d", got, match, want)
		}
	}
	if n := s.proxy.Struck(); n != 0 {
		t.Errorf("%d faults without a rule", n)
	}
}

func TestCut(t *testing.T) {
	s := newStage(t)
	struck := s.proxy.Set(faults.Rule{Times: 1})
	if _, _, err := s.list(t); !errors.Is(err, io.EOF) {
		t.Errorf("the client gets %v", err)
	}
	wait(t, struck)
	s.listsUnspoiled(t)
}

func TestPartOfAList(t *testing.T) {
	for name, test := range map[string]struct {
		fault func(int) faults.Fault
		err   error
	}{
		"truncate":  {faults.Truncate, io.ErrUnexpectedEOF},
		"end early": {faults.EndEarly, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			for _, after := range []int{0, 40, len(list) - 3} {
				struck := s.proxy.Set(faults.Rule{Match: faults.Lists, Fault: test.fault(after), Times: 1})
				body, _, err := s.list(t)
				if !errors.Is(err, test.err) {
					t.Errorf("after %d bytes: %v", after, err)
				}
				if len(body) < after || !strings.HasPrefix(list, body) || json.Valid([]byte(body)) {
					t.Errorf("after %d bytes arrives %q", after, body)
				}
				wait(t, struck)
				s.listsUnspoiled(t)
			}
		})
	}
}

func TestTooShortToTruncate(t *testing.T) {
	s := newStage(t)
	s.proxy.Set(faults.Rule{Fault: faults.Truncate(len(list)), Times: 1})
	s.listsUnspoiled(t)
	if n := s.proxy.Struck(); n != 0 {
		t.Errorf("%d faults are counted and none took place", n)
	}
}

func TestTruncateWatch(t *testing.T) {
	s := newStage(t)
	first := fmt.Sprintf(event, 1)
	struck := s.proxy.Set(faults.Rule{Match: faults.Watches, Fault: faults.Truncate(len(first)), Times: 1})
	s.listsUnspoiled(t)
	lines := s.watch(t)
	s.send(t, 1)
	if line, err := lines.ReadString('\n'); line != first || err != nil {
		t.Errorf("the first event is %q, %v", line, err)
	}
	s.send(t, 2)
	line, err := lines.ReadString('\n')
	if !errors.Is(err, io.ErrUnexpectedEOF) || line == "" || json.Valid([]byte(line)) {
		t.Errorf("the second event is %q, %v", line, err)
	}
	wait(t, struck)
}

func TestGoneEvent(t *testing.T) {
	for _, events := range []int{0, 2} {
		s := newStage(t)
		struck := s.proxy.Set(faults.Rule{Match: faults.Watches, Fault: faults.GoneEvent(events), Times: 1})
		lines := s.watch(t)
		for n := range events {
			s.send(t, n)
			if line, err := lines.ReadString('\n'); line != fmt.Sprintf(event, n) || err != nil {
				t.Fatalf("event %d is %q, %v", n, line, err)
			}
		}
		last, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Type   string
			Object metav1.Status
		}
		if err := json.Unmarshal(last, &got); err != nil || got.Type != "ERROR" || got.Object.Code != http.StatusGone || got.Object.Reason != metav1.StatusReasonExpired {
			t.Errorf("the last event is %s, %v", last, err)
		}
		wait(t, struck)
	}
}

func TestStatus(t *testing.T) {
	for name, test := range map[string]struct {
		fault      faults.Fault
		code       int
		reason     metav1.StatusReason
		retryAfter string
	}{
		"429":       {faults.Status(http.StatusTooManyRequests, 2*time.Second), 429, metav1.StatusReasonTooManyRequests, "2"},
		"429 plain": {faults.Status(http.StatusTooManyRequests, 0), 429, metav1.StatusReasonTooManyRequests, ""},
		"500":       {faults.Status(http.StatusInternalServerError, 0), 500, metav1.StatusReasonInternalError, ""},
		"410":       {faults.Gone(), 410, metav1.StatusReasonExpired, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			struck := s.proxy.Set(faults.Rule{Fault: test.fault, Times: 1})
			response, err := s.get(t, collection)
			if err != nil {
				t.Fatal(err)
			}
			var got metav1.Status
			if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != test.code || int(got.Code) != test.code || got.Reason != test.reason || response.Header.Get("Retry-After") != test.retryAfter {
				t.Errorf("the answer is %s %v %+v", response.Status, response.Header, got)
			}
			wait(t, struck)
			s.listsUnspoiled(t)
		})
	}
}

func TestDelay(t *testing.T) {
	s := newStage(t)
	const delay = 50 * time.Millisecond
	struck := s.proxy.Set(faults.Rule{Fault: faults.Delay(delay), Times: 1})
	began := time.Now()
	s.listsUnspoiled(t)
	if took := time.Since(began); took < delay {
		t.Errorf("the list came after %v", took)
	}
	wait(t, struck)
}

func TestCutAllEndsWhatWaits(t *testing.T) {
	for name, fault := range map[string]faults.Fault{
		"delay":          faults.Delay(time.Hour),
		"stall":          faults.Stall(10),
		"stall at once":  faults.Stall(0),
		"nothing at all": {},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			if name == "nothing at all" {
				lines := s.watch(t)
				s.send(t, 1)
				if _, err := lines.ReadString('\n'); err != nil {
					t.Fatal(err)
				}
				if n := s.proxy.CutAll(); n != 1 {
					t.Errorf("%d answers were cut", n)
				}
				if _, err := lines.ReadByte(); !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("the client gets %v", err)
				}
				return
			}
			struck := s.proxy.Set(faults.Rule{Fault: fault, Times: 1})
			type answer struct {
				body string
				err  error
			}
			answers := make(chan answer, 1)
			go func() {
				body, _, err := s.list(t)
				answers <- answer{body, err}
			}()
			wait(t, struck)
			select {
			case got := <-answers:
				t.Errorf("it does not wait: %+v", got)
			default:
			}
			if n := s.proxy.CutAll(); n != 1 {
				t.Errorf("%d answers were cut", n)
			}
			got := <-answers
			if got.err == nil || len(got.body) > 10 || !strings.HasPrefix(list, got.body) {
				t.Errorf("the client gets %+v", got)
			}
			s.listsUnspoiled(t)
		})
	}
}

func TestRules(t *testing.T) {
	s := newStage(t)
	ofWatches := s.proxy.Set(faults.Rule{Match: faults.Watches, Fault: faults.Gone(), Times: 1})
	first := s.proxy.Set(faults.Rule{Match: faults.Lists, Fault: faults.Status(503, 0), Times: 2})
	rest := s.proxy.Set(faults.Rule{Fault: faults.Status(500, 0)})
	var codes []int
	for range 5 {
		_, code, err := s.list(t)
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, code)
	}
	if fmt.Sprint(codes) != "[503 503 500 500 500]" {
		t.Errorf("answers are %v", codes)
	}
	wait(t, first)
	wait(t, rest)
	select {
	case <-ofWatches:
		t.Error("a rule for watches struck a list")
	default:
	}
	if n := s.proxy.Struck(); n != 5 {
		t.Errorf("%d faults are counted", n)
	}
	s.proxy.Clear()
	s.listsUnspoiled(t)
}

func TestServerIsDown(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	proxy, err := faults.Start(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Stop()
	server.Close()
	// It answers what it cannot pass on, and spoils only what the server answers well.
	struck := proxy.Set(faults.Rule{Fault: faults.Truncate(0), Times: 1})
	s := &stage{proxy: proxy, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	response, err := s.get(t, collection)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusBadGateway || err != nil || !bytes.Contains(body, []byte(`"kind":"Status"`)) {
		t.Errorf("a server that is down: %s %s %v", response.Status, body, err)
	}
	select {
	case <-struck:
		t.Error("it counts a fault that is not its own")
	default:
	}
}

func TestStop(t *testing.T) {
	s := newStage(t)
	lines := s.watch(t)
	s.proxy.Stop()
	if _, err := lines.ReadByte(); err == nil || err == io.EOF {
		t.Errorf("the open watch ends with %v", err)
	}
	if _, _, err := s.list(t); err == nil {
		t.Error("it answers after Stop")
	}
	s.proxy.Stop()
}

func TestStartChecksTarget(t *testing.T) {
	for _, target := range []string{"", "127.0.0.1:80", "https://127.0.0.1:80", "http://"} {
		if proxy, err := faults.Start(target); err == nil {
			proxy.Stop()
			t.Errorf("target %q is taken", target)
		}
	}
}
