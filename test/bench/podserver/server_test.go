package podserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func start(t *testing.T, objects int) string {
	t.Helper()
	server, err := New(objects)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	return web.URL
}

func list(t *testing.T, server, query string) (code int, pods corev1.PodList) {
	t.Helper()
	response, err := http.Get(server + "/api/v1/pods?" + query)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&pods); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, pods
}

func control(t *testing.T, server, what string) {
	t.Helper()
	response, err := http.Post(server+"/control/"+what, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", what, response.Status)
	}
}

func TestPages(t *testing.T) {
	server := start(t, 25)
	seen, token := map[string]bool{}, ""
	for _, want := range []int{10, 10, 5} {
		_, page := list(t, server, "limit=10&continue="+url.QueryEscape(token))
		if len(page.Items) != want {
			t.Errorf("a page has %d pods instead of %d", len(page.Items), want)
		}
		for _, pod := range page.Items {
			seen[pod.Namespace+"/"+pod.Name+string(pod.UID)+pod.ResourceVersion] = true
		}
		if rest := 25 - len(seen); rest > 0 && (page.RemainingItemCount == nil || *page.RemainingItemCount != int64(rest)) {
			t.Errorf("%v pods remain, and not %d", page.RemainingItemCount, rest)
		}
		token = page.Continue
	}
	if len(seen) != 25 || token != "" {
		t.Errorf("%d pods, and %q to continue", len(seen), token)
	}
	// From its cache, the API server does not answer in pages.
	if _, whole := list(t, server, "limit=10&resourceVersion=0"); len(whole.Items) != 25 {
		t.Errorf("at version 0 there are %d pods", len(whole.Items))
	}
}

func TestExpiredPage(t *testing.T) {
	server := start(t, 25)
	_, page := list(t, server, "limit=10")
	control(t, server, "relist?changed=3")
	if code, _ := list(t, server, "limit=10&continue="+url.QueryEscape(page.Continue)); code != http.StatusGone {
		t.Errorf("the token of an older version answers %d", code)
	}
	if code, _ := list(t, server, "limit=10&continue=x"); code != http.StatusBadRequest {
		t.Errorf("a token that is none answers %d", code)
	}
}

// events reads a watch.
type events struct {
	t    *testing.T
	body io.ReadCloser
	text *bufio.Reader
}

func watchPods(t *testing.T, server, query string) *events {
	t.Helper()
	response, err := http.Get(server + "/api/v1/pods?watch=true&" + query)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return &events{t, response.Body, bufio.NewReader(response.Body)}
}

// next returns the kind of the next event, and its object.
func (e *events) next() (string, *corev1.Pod) {
	e.t.Helper()
	line, err := e.text.ReadBytes('\n')
	if err != nil {
		e.t.Fatal(err)
	}
	var event struct {
		Type   string
		Object json.RawMessage
	}
	pod := &corev1.Pod{}
	if err := json.Unmarshal(line, &event); err != nil {
		e.t.Fatal(err)
	}
	if event.Type == "ERROR" {
		var status metav1.Status
		if err := json.Unmarshal(event.Object, &status); err != nil || status.Kind != "Status" || status.Code != http.StatusGone || status.Reason != metav1.StatusReasonExpired {
			e.t.Fatalf("%v, %+v", err, status)
		}
	} else if err := json.Unmarshal(event.Object, pod); err != nil {
		e.t.Fatal(err)
	}
	return event.Type, pod
}

// TestRelist is what a client sees of a streaming list, of a relist and of updates.
func TestRelist(t *testing.T) {
	const objects = 20
	server := start(t, objects)
	query := "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	all := func(e *events) (revised int, version string) {
		t.Helper()
		for range objects {
			kind, pod := e.next()
			if kind != "ADDED" || pod.Kind != "Pod" {
				t.Fatalf("%s %s", kind, pod.Kind)
			}
			if pod.Labels["revision"] != "1" {
				revised++
			}
		}
		kind, bookmark := e.next()
		if kind != "BOOKMARK" || bookmark.Annotations[metav1.InitialEventsAnnotationKey] != "true" {
			t.Fatalf("%s %v", kind, bookmark.Annotations)
		}
		return revised, bookmark.ResourceVersion
	}
	expectSentinel := func(e *events, revision string) {
		t.Helper()
		_, name := Name(Sentinel)
		if kind, pod := e.next(); kind != "MODIFIED" || pod.Name != name || pod.Labels["revision"] != revision {
			t.Fatalf("%s %s %v", kind, pod.Name, pod.Labels)
		}
	}
	first := watchPods(t, server, query)
	revised, version := all(first)
	if revised != 0 {
		t.Errorf("%d pods are not in their first revision", revised)
	}
	control(t, server, "relist?changed=2")
	if kind, _ := first.next(); kind != "ERROR" {
		t.Errorf("the open watch gets %s", kind)
	}
	if kind, _ := watchPods(t, server, "resourceVersion="+version).next(); kind != "ERROR" {
		t.Errorf("a watch at an old version gets %s", kind)
	}
	second := watchPods(t, server, query)
	if revised, _ = all(second); revised != 2 {
		t.Errorf("%d pods have changed", revised)
	}
	expectSentinel(second, "2")
	control(t, server, fmt.Sprintf("update?count=%d", objects-1))
	for range objects - 1 {
		if kind, _ := second.next(); kind != "MODIFIED" {
			t.Errorf("%s", kind)
		}
	}
	expectSentinel(second, "3")
}

func TestNames(t *testing.T) {
	const pods = 10_000
	names := map[string]bool{}
	for i := range pods {
		namespace, name := Name(i)
		names[namespace+"/"+name] = true
	}
	if len(names) != pods {
		t.Errorf("%d pods have %d names", pods, len(names))
	}
}

func TestChangeTooMany(t *testing.T) {
	response, err := http.Post(start(t, 10)+"/control/update?count=10", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "cannot be changed") {
		t.Errorf("%s: %s", response.Status, text)
	}
}
