package apitest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typedinformers/informer-gen/apitest"
)

const configMaps = "/api/v1/namespaces/a/configmaps"

// send sends a request. It returns the code, the message of a Status and the error of the connection.
func send(t *testing.T, server http.RoundTripper, method, path, body string) (code int, message string, err error) {
	t.Helper()
	return sendWith(t.Context(), t, server, method, path, body)
}

func sendWith(ctx context.Context, t *testing.T, server http.RoundTripper, method, path, body string) (int, string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, "http://server"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.RoundTrip(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	var status struct{ Message string }
	_ = json.Unmarshal(content, &status) // an object has no message
	return response.StatusCode, status.Message, err
}

func TestFaultsAnswer(t *testing.T) {
	create := `{"metadata":{"name":"one"}}`
	for _, test := range []struct {
		fault              func(*apitest.Server) *apitest.Fault
		method, path, body string
		code               int
		message            string
	}{
		{func(s *apitest.Server) *apitest.Fault { return s.On("update", "configmaps").Once().Conflict() }, "PUT", configMaps + "/one", create, 409,
			`Operation cannot be fulfilled on configmaps "one": the object has been modified; please apply your changes to the latest version and try again`},
		{func(s *apitest.Server) *apitest.Fault {
			return s.On("create", "configmaps").Named("one").Once().AlreadyExists()
		}, "POST", configMaps, create, 409, `configmaps "one" already exists`},
		{func(s *apitest.Server) *apitest.Fault { return s.On("get", "configmaps").Once().NotFound() }, "GET", configMaps + "/one", "", 404, `configmaps "one" not found`},
		{func(s *apitest.Server) *apitest.Fault { return s.On("list", "configmaps").In("a").Once().Forbidden() }, "GET", configMaps, "", 403,
			`configmaps is forbidden: User "apitest" cannot list resource "configmaps" in API group "" in the namespace "a"`},
		{func(s *apitest.Server) *apitest.Fault { return s.On("get", "nodes/status").Once().Forbidden() }, "GET", "/api/v1/nodes/n/status", "", 403,
			`nodes "n" is forbidden: User "apitest" cannot get resource "nodes/status" in API group "" at the cluster scope`},
		{func(s *apitest.Server) *apitest.Fault { return s.On("get", "/version").Once().Forbidden() }, "GET", "/version", "", 403, `forbidden: User "apitest" cannot get path "/version"`},
		{func(s *apitest.Server) *apitest.Fault {
			return s.On("get", "widgets.example.com").Once().Unauthorized()
		}, "GET", widgets + "/one", "", 401, "Unauthorized"},
		{func(s *apitest.Server) *apitest.Fault { return s.On("list", "widgets").Once().Expired() }, "GET", widgets, "", 410, "The resourceVersion for the provided list is too old."},
		{func(s *apitest.Server) *apitest.Fault { return s.On("*", "*").Once().TooManyRequests(time.Second) }, "GET", widgets, "", 429, "Too many requests, please try again later."},
		{func(s *apitest.Server) *apitest.Fault { return s.On("delete", "widgets").Once().Unavailable(0) }, "DELETE", widgets + "/one", "", 503, "the server is currently unable to handle the request"},
		{func(s *apitest.Server) *apitest.Fault {
			return s.On("deletecollection", "widgets").Once().InternalError()
		}, "DELETE", widgets, "", 500, "Internal error occurred: apitest: a fault on deletecollection widgets"},
		{func(s *apitest.Server) *apitest.Fault { return s.On("patch", "*").Once().Timeout() }, "PATCH", widgets + "/one", "{}", 504, "Timeout: request did not complete within the allotted timeout"},
		{func(s *apitest.Server) *apitest.Fault {
			return s.On("get", "widgets").Once().Fail(fmt.Errorf("wrapped: %w", apierrors.NewResourceExpired("gone")))
		}, "GET", widgets + "/one", "", 410, "gone"},
	} {
		server := apitest.Start(t, apitest.WithKinds(widget))
		fault := test.fault(server)
		for i := range 2 {
			code, message, err := send(t, server, test.method, test.path, test.body)
			if err != nil || i == 0 && (code != test.code || message != test.message) {
				t.Errorf("%s: %d %q %v, want %d %q", fault, code, message, err, test.code, test.message)
			}
		}
		if fired := fault.Fired(); fired != 1 {
			t.Errorf("%s: fired %d times", fault, fired)
		}
	}
}

func TestFaultsSelect(t *testing.T) {
	type request struct{ method, path, agent string }
	all := []request{
		{"GET", configMaps + "/one", ""},
		{"GET", "/api/v1/namespaces/b/configmaps/one", ""},
		{"GET", configMaps + "/two", "operator/v1"},
		{"GET", configMaps, ""},
		{"GET", configMaps + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1", ""},
		{"GET", "/apis/example.com/v1/namespaces/a/widgets/one", ""},
		{"GET", "/apis/example.com/v1/namespaces/a/widgets/one/status", ""},
		{"GET", "/apis/events.k8s.io/v1/namespaces/a/events/one", ""},
		{"GET", "/api/v1/namespaces/a/events/one", ""},
		{"GET", "/apis", ""},
	}
	for _, test := range []struct {
		on   func(*apitest.Server) apitest.Match
		want []int
	}{
		{func(s *apitest.Server) apitest.Match { return s.On("get", "configmaps") }, []int{0, 1, 2}},
		{func(s *apitest.Server) apitest.Match { return s.On("get", "configmaps").In("a") }, []int{0, 2}},
		{func(s *apitest.Server) apitest.Match { return s.On("get", "configmaps").In("a").Named("one") }, []int{0}},
		{func(s *apitest.Server) apitest.Match { return s.On("list", "configmaps") }, []int{3, 4}},
		{func(s *apitest.Server) apitest.Match { return s.On("watch", "configmaps") }, []int{4}},
		{func(s *apitest.Server) apitest.Match { return s.On("*", "configmaps").Skip(1).Times(2) }, []int{1, 2}},
		{func(s *apitest.Server) apitest.Match { return s.On("get", "widgets") }, []int{5}},
		{func(s *apitest.Server) apitest.Match { return s.On("get", "widgets/status") }, []int{6}},
		{func(s *apitest.Server) apitest.Match { return s.On("get", "widgets/*") }, []int{5, 6}},
		{func(s *apitest.Server) apitest.Match { return s.On("*", "events") }, []int{7, 8}},
		{func(s *apitest.Server) apitest.Match { return s.On("*", "events.events.k8s.io") }, []int{7}},
		{func(s *apitest.Server) apitest.Match { return s.On("get", "/apis") }, []int{9}},
		{func(s *apitest.Server) apitest.Match {
			return s.On("*", "*").Where(func(r *http.Request) bool { return r.UserAgent() == "operator/v1" })
		}, []int{2}},
	} {
		server := apitest.Start(t, apitest.WithKinds(widget))
		fault := test.on(server).Fail(errors.New("struck"))
		var struck []int
		for i, r := range all {
			request, err := http.NewRequestWithContext(t.Context(), r.method, "http://server"+r.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("User-Agent", r.agent)
			response, err := server.RoundTrip(request)
			if err != nil {
				struck = append(struck, i)
				continue
			}
			response.Body.Close()
		}
		if !slices.Equal(struck, test.want) {
			t.Errorf("%s: struck %v, want %v", fault, struck, test.want)
		}
	}
}

func TestFaultsFollowEachOther(t *testing.T) {
	server := apitest.Start(t)
	server.On("get", "configmaps").Once().Unavailable(0)
	server.On("get", "configmaps").Once().Conflict()
	always := server.On("get", "configmaps").InternalError()
	var codes []int
	for i := range 5 {
		if i == 4 {
			always.Remove()
		}
		code, _, _ := send(t, server, "GET", configMaps+"/one", "")
		codes = append(codes, code)
	}
	if want := []int{503, 409, 500, 500, 404}; !slices.Equal(codes, want) {
		t.Errorf("codes %v, want %v", codes, want)
	}
}

func TestFaultsOfTheConnection(t *testing.T) {
	server := apitest.Start(t)
	server.On("create", "configmaps").Once().Disconnect()
	server.On("create", "configmaps").Once().LoseResponse()
	server.On("get", "configmaps").Once().Truncate(10)
	body := `{"metadata":{"name":"one"}}`
	if _, _, err := send(t, server, "POST", configMaps, body); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("disconnected: %v", err)
	}
	if code, _, _ := send(t, server, "GET", configMaps+"/two", ""); code != 0 && code != 404 {
		t.Errorf("before: %d", code)
	}
	if _, _, err := send(t, server, "POST", configMaps, body); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("response lost: %v", err)
	}
	if code, _, err := send(t, server, "POST", configMaps, body); code != 409 || err != nil {
		t.Errorf("after the lost response: %d %v, want 409, because the object was created", code, err)
	}
	server.On("get", "configmaps").Once().Truncate(10)
	if _, _, err := send(t, server, "GET", configMaps+"/one", ""); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("truncated: %v", err)
	}
}

func TestFaultsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.Start(t)
		start := time.Now()
		server.On("list", "configmaps").Once().Delay(3 * time.Second)
		server.On("list", "configmaps").Once().After(2 * time.Second).Forbidden()
		if code, _, _ := send(t, server, "GET", configMaps, ""); code != 200 || time.Since(start) != 3*time.Second {
			t.Errorf("delayed: %d after %s", code, time.Since(start))
		}
		if code, _, _ := send(t, server, "GET", configMaps, ""); code != 403 || time.Since(start) != 5*time.Second {
			t.Errorf("refused: %d after %s", code, time.Since(start))
		}
		server.On("get", "configmaps").Hang()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, _, err := sendWith(ctx, t, server, "GET", configMaps+"/one", ""); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 65*time.Second {
			t.Errorf("hangs: %v after %s", err, time.Since(start))
		}
		go func() {
			time.Sleep(time.Hour)
			server.Close()
		}()
		if _, _, err := send(t, server, "GET", configMaps+"/one", ""); err == nil || time.Since(start) != time.Hour+65*time.Second {
			t.Errorf("closed: %v after %s", err, time.Since(start))
		}
	})
}

// watcher reads a watch. Its lines are the types and names of the events.
type watcher struct {
	lines chan string
	err   error // set before lines is closed
	body  io.Closer
}

func startWatch(t *testing.T, server http.RoundTripper, query string) *watcher {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), "GET", "http://server"+configMaps+"?watch=1"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.RoundTrip(request)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("watch: %v %v", response, err)
	}
	w := &watcher{lines: make(chan string, 100), body: response.Body}
	t.Cleanup(func() { response.Body.Close() })
	go func() {
		defer close(w.lines)
		reader := bufio.NewReader(response.Body)
		for {
			line, err := reader.ReadBytes('\n')
			if err != nil {
				w.err = err
				return
			}
			var event struct {
				Type   string
				Object struct {
					Metadata struct{ Name string }
					Message  string
				}
			}
			if err := json.Unmarshal(line, &event); err != nil {
				w.err = err
				return
			}
			w.lines <- event.Type + " " + event.Object.Metadata.Name + event.Object.Message
		}
	}()
	return w
}

// seen returns the events that have come, when the server has nothing more to say.
func (w *watcher) seen() string {
	synctest.Wait()
	var lines []string
	for {
		select {
		case line, ok := <-w.lines:
			if !ok {
				return strings.Join(append(lines, w.err.Error()), ", ")
			}
			lines = append(lines, line)
		default:
			return strings.Join(lines, ", ")
		}
	}
}

func TestFaultsOfWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.Start(t)
		create := func(name string) {
			t.Helper()
			if code, message, err := send(t, server, "POST", configMaps, `{"metadata":{"name":"`+name+`"}}`); code != 201 {
				t.Fatal(code, message, err)
			}
		}
		check := func(what string, w *watcher, want string) {
			t.Helper()
			if got := w.seen(); got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}
		server.On("watch", "configmaps").Once().CutAfter(2)
		cut, whole := startWatch(t, server, ""), startWatch(t, server, "")
		create("one")
		create("two")
		create("three")
		check("cut", cut, "ADDED one, ADDED two, unexpected EOF")
		check("whole", whole, "ADDED one, ADDED two, ADDED three")

		lag := server.LagWatches("configmaps", 2*time.Second)
		create("four")
		time.Sleep(time.Second)
		create("five")
		check("before the lag", whole, "")
		time.Sleep(time.Second)
		check("after the lag of the first", whole, "ADDED four")
		time.Sleep(time.Second)
		check("after the lag of the second", whole, "ADDED five")
		lag.Remove()
		hold := server.HoldWatches("configmaps")
		create("six")
		time.Sleep(time.Hour / 2)
		check("held", whole, "")
		hold.Remove()
		check("released", whole, "ADDED six")

		server.CutWatches("secrets")
		check("another cut", whole, "")
		server.CutWatches("configmaps")
		check("cut now", whole, "unexpected EOF")
		server.On("watch", "configmaps").Once().Expired()
		check("expired", startWatch(t, server, "&resourceVersion=3"), "ERROR too old resource version: 3 (7), EOF")

		server.Restart()
		check("before the restart", startWatch(t, server, "&resourceVersion=3"), "ERROR too old resource version: 3 (7), EOF")
		if err := server.RestoreTo("4"); err != nil {
			t.Fatal(err)
		}
		restored := startWatch(t, server, "&resourceVersion=4")
		create("four-again")
		check("restored", restored, "ADDED four-again")
		if code, _, _ := send(t, server, "GET", configMaps+"/four", ""); code != 404 {
			t.Errorf("after RestoreTo an object written later answers %d", code)
		}
		if err := server.RestoreTo("99"); err == nil {
			t.Error("RestoreTo accepts a version of the future")
		}
	})
}

// recorder is a test that keeps its errors.
type recorder struct {
	testing.TB
	errors []string
}

func (*recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestCheckFaults(t *testing.T) {
	server, err := apitest.New()
	if err != nil {
		t.Fatal(err)
	}
	server.On("get", "configmaps").Times(2).Conflict()
	server.On("update", "databases/status").In("a").Skip(1).Conflict()
	server.On("list", "configmaps").Optional().Hang()
	server.HoldWatches("configmaps")
	if _, _, err := send(t, server, "GET", configMaps+"/one", ""); err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	server.CheckFaults(r)
	want := []string{
		`only 1 requests met the fault On("get", "configmaps").Times(2).Conflict()`,
		`no request met the fault On("update", "databases/status").In("a").Skip(1).Conflict(); 0 matched it`,
		`no request met the fault HoldWatches("configmaps")`,
	}
	for i, text := range want {
		if i >= len(r.errors) || !strings.Contains(r.errors[i], text) {
			t.Fatalf("errors:\n%s\nwant:\n%s", strings.Join(r.errors, "\n"), strings.Join(want, "\n"))
		}
	}
	if len(r.errors) != len(want) {
		t.Errorf("errors: %s", strings.Join(r.errors, "\n"))
	}
}

func TestOnPanics(t *testing.T) {
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, `"updte" is not a verb`) {
			t.Errorf("panic: %s", text)
		}
	}()
	apitest.Start(t).On("updte", "databases")
}
