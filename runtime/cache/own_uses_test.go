package cache

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// answering is a transport that answers each write with the state that next returns.
type answering struct {
	next func(*http.Request) writes.Write
}

func (a answering) RoundTrip(request *http.Request) (*http.Response, error) {
	write := a.next(request)
	body := write.Body
	if write.Gone {
		body = []byte(`{"kind":"Status","apiVersion":"v1","status":"Success","details":{"name":"` + write.Object.Name + `","uid":"` + string(write.Object.UID) + `"}}`)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)), Request: request}, nil
}

// TestHandlerWrites: a handler writes the object that it hears of, with the client that is observed,
// until the object is deleted.
func TestHandlerWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		own := &writes.Observer{}
		client := &http.Client{Transport: own.Transport(answering{func(request *http.Request) writes.Write {
			last := src.Objects[ObjectName{"a", "one"}]
			if request.Method == http.MethodDelete {
				src.Remove("a", "one")
				return cachetest.Deletion(last)
			}
			return cachetest.ResponseTo(src.Set("a", "one", nil))
		}})}
		send := func(method string) {
			request, err := http.NewRequestWithContext(t.Context(), method, "https://test/apis/test.example.com/v1/namespaces/a/widgets/one", nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
		}
		kind := Kind[object]{Resource: widgets, Namespaced: true, Server: testServer("https://test"), Open: func(string) bodies.OpenFunc { return cachetest.OpenerOf(src) }}
		informers := map[string]*SharedIndexInformer[object]{}
		for _, name := range []string{"first", "second"} { // as of two factories
			s, err := kind.NewInformer(WithReadYourWrites(own), WithWatchErrorHandler(quiet))
			if err != nil {
				t.Fatal(err)
			}
			informers[name] = s
		}
		kind.Server = testServer("https://other")
		other, err := kind.NewInformer(WithReadYourWrites(own), WithWatchErrorHandler(quiet), WithNamespaces("b"))
		if err != nil {
			t.Fatal(err)
		}
		left := 20
		writing := ResourceEventHandlerFuncs[object]{
			AddFunc: func(object, bool) { send(http.MethodPut) },
			UpdateFunc: func(_, _ object) {
				switch left--; {
				case left > 0:
					send(http.MethodPut)
				case left == 0:
					send(http.MethodDelete)
				}
			},
		}
		if _, err := informers["first"].AddEventHandler(writing); err != nil {
			t.Fatal(err)
		}
		h := &historian{t: t, known: map[ObjectName]object{}}
		if h.registration, err = informers["second"].AddEventHandler(h); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*SharedIndexInformer[object]{informers["first"], informers["second"], other} {
			cachetest.Run(t, s.Run)
		}
		synctest.Wait()
		send(http.MethodPut)
		synctest.Wait()
		for range 4 {
			src.Bookmark()
			time.Sleep(time.Minute)
		}
		synctest.Wait()
		if left > 0 {
			t.Errorf("the handler has %d writes left", left)
		}
		for name, s := range informers {
			if status := s.Status(); status.Objects != 0 || status.PendingWrites != 0 {
				t.Errorf("%s: %v, %d pending", name, status, status.PendingWrites)
			}
		}
		if len(h.known) != 0 {
			t.Errorf("a handler knows %v", h.known)
		}
	})
}

// TestWritesFromAnotherText: the response has managedFields, and another order of members, which the
// informer does not read; the event has not. Handlers hear the state once.
func TestWritesFromAnotherText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		transform := func(obj object) (object, error) {
			obj.Labels, obj.Finalizers = nil, nil
			return obj, nil
		}
		s := newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(src) }, WithoutFields("metadata.managedFields"), WithLabelSelector("in=scope"), WithTransform(TransformFunc[object](transform)))
		cachetest.Run(t, s.Run)
		heard, _ := listen(t, s)
		synctest.Wait()
		src.SetSilent(true)
		src.EndWatches(io.EOF)
		synctest.Wait()
		for n := range 5 {
			obj := src.Set("a", "one", map[string]string{"in": "scope"})
			write := cachetest.ResponseTo(obj)
			var body map[string]any
			if err := json.Unmarshal(write.Body, &body); err != nil {
				t.Fatal(err)
			}
			body["metadata"].(map[string]any)["managedFields"] = []any{map[string]any{"manager": "m" + strconv.Itoa(n), "operation": "Update"}}
			write.Body, _ = json.Marshal(body)
			inside(s).own.Wrote(write)
		}
		cachetest.WantLines(t, after(heard), "add a/one@101 initial=false", "update a/one@101->102", "update a/one@102->103", "update a/one@103->104", "update a/one@104->105")
		src.SetSilent(false)
		src.EndWatches(io.EOF)
		time.Sleep(time.Minute)
		cachetest.WantLines(t, after(heard))
		if n := s.Status().PendingWrites; n != 0 {
			t.Errorf("%d writes are pending", n)
		}
	})
}

// TestManyPendingWrites of a stalled watch are bounded, confirmed when it continues, and free their
// memory.
func TestManyPendingWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("12,000 writes")
	}
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		s := followOwn(t, map[string]*cachetest.Source{"": src})
		h := &historian{t: t, known: map[ObjectName]object{}}
		registration, err := s.AddEventHandler(h)
		if err != nil {
			t.Fatal(err)
		}
		h.registration = registration
		synctest.Wait()
		src.SetSilent(true)
		src.EndWatches(io.EOF)
		synctest.Wait()
		const objects = 12_000
		for n := range objects {
			obj := src.Set("a", strconv.Itoa(n), nil)
			inside(s).own.Wrote(cachetest.ResponseTo(obj))
			if n%3 == 0 {
				src.Remove("a", obj.Name)
				inside(s).own.Wrote(cachetest.Deletion(obj))
			}
		}
		synctest.Wait()
		if status := s.Status(); status.PendingWrites > 10_000 || status.PendingWrites < 7_000 || status.LateWrites == 0 || !strings.Contains(status.String(), "left to the watch") {
			t.Errorf("%v, %d writes are pending, %d late", status, status.PendingWrites, status.LateWrites)
		}
		time.Sleep(4 * time.Minute)
		src.SetSilent(false)
		src.EndWatches(io.EOF)
		synctest.Wait()
		for range 5 {
			time.Sleep(time.Minute)
			src.Bookmark()
		}
		synctest.Wait()
		if status := s.Status(); status.PendingWrites != 0 || status.Objects != objects*2/3 || len(h.known) != status.Objects {
			t.Errorf("%v, %d pending; the handler knows %d", status, status.PendingWrites, len(h.known))
		}
	})
}

// TestWritesLeakNothing: an informer that has ended does not stay with the Observer.
func TestWritesLeakNothing(t *testing.T) {
	own := &writes.Observer{}
	before := runtime.NumGoroutine()
	heard := 0
	client := &http.Client{Transport: own.Transport(answering{func(*http.Request) writes.Write { heard++; return writes.Write{Body: []byte("{")} }})}
	kind := Kind[object]{Resource: widgets, Server: testServer("https://test"), Open: func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) }}
	for range 20 {
		s, err := kind.NewInformer(WithReadYourWrites(own), WithWatchErrorHandler(quiet))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { s.Run(ctx); close(ended) }()
		if err := WaitForCacheSync(t.Context(), s); err != nil {
			t.Error(err)
		}
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://test/apis/test.example.com/v1/widgets", strings.NewReader("{}"))
		if response, err := client.Do(request); err == nil {
			_ = response.Body.Close()
		}
		cancel()
		<-ended
		s.Stop()
	}
	if heard != 20 {
		t.Errorf("%d writes", heard)
	}
	if now := runtime.NumGoroutine(); now > before+2 {
		t.Errorf("%d goroutines, %d before", now, before)
	}
}
