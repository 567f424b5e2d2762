package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/typedinformers/informer-gen/test/shards/activity"
)

// TestRecorder sends what a process sends, and compares what the Log makes of it.
func TestRecorder(t *testing.T) {
	log := activity.NewLog()
	arrived, goOn := make(chan struct{}, 1), make(chan struct{})
	answers := map[string]string{
		RecordsPath + "/p1-1":              `{"metadata":{"name":"p1-1","resourceVersion":"%s"},"data":{"id":"7","what":"%s"}}`,
		dataPath + "shop/databases/orders": `{"metadata":{"name":"orders","resourceVersion":"%s"},"x":"%s"}`,
		dataPath + "shop/databaseservers":  `{"metadata":{"name":"orders-12","resourceVersion":"%s"},"x":"%s"}`,
	}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-goOn
		if code := r.Header.Get("Code"); code != "" {
			w.WriteHeader(http.StatusConflict)
		}
		fmt.Fprintf(w, answers[r.URL.Path], r.Header.Get("Version"), r.Header.Get("What"))
	}))
	defer upstream.Close()
	proxy := httptest.NewServer(&recorder{process: "p1", log: log, target: upstream.URL, transport: http.DefaultTransport})
	defer http.DefaultClient.CloseIdleConnections()
	defer proxy.Close()
	send := func(ctx context.Context, method, path, version, what string, more ...string) error {
		request, err := http.NewRequestWithContext(ctx, method, proxy.URL+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Version", version)
		request.Header.Set("What", what)
		for _, code := range more {
			request.Header.Set("Code", code)
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			response.Body.Close()
		}
		return err
	}
	pass := func(method, path, version, what string, more ...string) {
		t.Helper()
		go func() { <-arrived; goOn <- struct{}{} }()
		if err := send(t.Context(), method, path, version, what, more...); err != nil {
			t.Fatal(err)
		}
	}
	log.Began("p1", 7, "shop/orders", "9", time.Unix(1, 0))
	pass(http.MethodPut, RecordsPath+"/p1-1", "10", "begin")
	pass(http.MethodPatch, dataPath+"shop/databases/orders", "11", "")
	pass(http.MethodGet, dataPath+"shop/databases/orders", "9", "")
	pass(http.MethodPatch, dataPath+"shop/databases/orders", "9", "", "409")
	pass(http.MethodPut, RecordsPath+"/p1-1", "12", "end")
	log.Ended("p1", 7, false, time.Unix(2, 0))
	if s := log.Summary(); s.Writes != 1 {
		t.Errorf("the Log has %v, want one write", s)
	}

	// A write that the process does not wait for counts too.
	ctx, cancel := context.WithCancel(t.Context())
	sent := make(chan error, 1)
	go func() { sent <- send(ctx, http.MethodPost, dataPath+"shop/databaseservers", "20", "") }()
	<-arrived
	cancel()
	if err := <-sent; err == nil {
		t.Error("the process has got an answer")
	}
	goOn <- struct{}{}
	proxy.Close() // waits for the request

	log.Began("p2", 1, "shop/orders", "12", time.Unix(3, 0))
	log.RecordedBegin("p2", 1, 15)
	log.RecordedEnd("p2", 1, 16, time.Unix(4, 0))
	log.Ended("p2", 1, false, time.Unix(4, 0))
	found := log.Check()
	if len(found) != 1 || !strings.Contains(found[0].String(), "shop/orders: p1 worked on it in versions 10 to 20 (work 7), and p2 in 15 to 16") {
		t.Errorf("Check found %v, want the late write", found)
	}
}

// TestRecorderPuts writes records by a PutFunc: the process gets the revision as a resourceVersion.
func TestRecorderPuts(t *testing.T) {
	log := activity.NewLog()
	var keys, values []string
	revision, refused := int64(9), errors.New("etcd does not answer")
	put := func(_ context.Context, key, value string) (int64, error) {
		if refused != nil {
			return 0, refused
		}
		keys, values = append(keys, key), append(values, value)
		revision++
		return revision, nil
	}
	proxy := httptest.NewServer(&recorder{process: "p1", log: log, target: "http://127.0.0.1:0", transport: http.DefaultTransport, put: put})
	defer http.DefaultClient.CloseIdleConnections()
	defer proxy.Close()
	send := func(what string, want int) (answer string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, proxy.URL+RecordsPath+"/p1-1",
			strings.NewReader(`{"metadata":{"name":"p1-1"},"data":{"id":"7","what":"`+what+`"}}`))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != want {
			t.Fatalf("%s: status %d, want %d; %s %v", what, response.StatusCode, want, text, err)
		}
		return string(text)
	}
	log.Began("p1", 7, "shop/orders", "9", time.Unix(1, 0))
	send("begin", http.StatusServiceUnavailable)
	refused = nil
	if answer := send("begin", http.StatusOK); !strings.Contains(answer, `"resourceVersion":"10"`) {
		t.Errorf("the answer is %s, want version 10", answer)
	}
	if last := log.Last(); len(last) != 0 {
		t.Errorf("the last works are %v before an end", last)
	}
	send("end", http.StatusOK)
	log.Ended("p1", 7, false, time.Unix(2, 0))
	if last := log.Last()["shop/orders"]; last.ID != 7 {
		t.Errorf("the last work is %+v, want 7", last)
	}
	if strings.Join(keys, " ") != "/records/p1 /records/p1" || !strings.Contains(values[1], `"end"`) {
		t.Errorf("etcd got %q and %q", keys, values)
	}
	// The record of the beginning has version 10, and that of the end 11.
	log.Began("p2", 1, "shop/orders", "9", time.Now().Add(time.Hour))
	log.RecordedBegin("p2", 1, 11)
	log.RecordedEnd("p2", 1, 12, time.Now().Add(time.Hour))
	if found := log.Check(); len(found) != 0 {
		t.Errorf("Check found %v", found)
	}
}
