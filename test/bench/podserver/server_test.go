package podserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// client is client-go's, with paths below /control/.
type client struct {
	corev1client.PodInterface
	t   *testing.T
	url string
}

// encodings are content types that clients ask for. client-go's default is protobuf.
var encodings = map[string]string{"JSON": "application/json", "protobuf": ""}

func start(t *testing.T, contentType string, options Options) client {
	t.Helper()
	options.Kind = Kinds[report.Pods]
	server, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	core, err := corev1client.NewForConfig(&rest.Config{Host: web.URL, ContentConfig: rest.ContentConfig{ContentType: contentType}})
	if err != nil {
		t.Fatal(err)
	}
	return client{core.Pods(""), t, web.URL}
}

func (c client) list(options metav1.ListOptions) *corev1.PodList {
	c.t.Helper()
	pods, err := c.List(c.t.Context(), options)
	if err != nil {
		c.t.Fatal(err)
	}
	return pods
}

func (c client) control(what string) {
	c.t.Helper()
	response, err := http.Post(c.url+"/control/"+what, "", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		c.t.Fatalf("%s: %s", what, response.Status)
	}
}

// inEncodings runs a test in each encoding, compressed and not.
func inEncodings(t *testing.T, objects int, test func(*testing.T, client)) {
	for name, contentType := range encodings {
		for _, gzip := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, gzip %v", name, gzip), func(t *testing.T) {
				c := start(t, contentType, Options{Objects: objects, Gzip: gzip})
				test(t, c)
				marks := c.marks()
				sent := marks.Requests.Pages + marks.Requests.Streams + marks.Requests.Watches
				if contentType == "" != (marks.Requests.Protobuf == sent) || gzip != (marks.Requests.Gzip > 0) {
					t.Errorf("the client has sent %+v", marks.Requests)
				}
			})
		}
	}
}

func (c client) marks() (m Marks) {
	c.t.Helper()
	response, err := http.Get(c.url + "/control/marks")
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&m); err != nil {
		c.t.Fatal(err)
	}
	return m
}

func TestPages(t *testing.T) { inEncodings(t, 25, testPages) }

func testPages(t *testing.T, c client) {
	seen, token := map[string]bool{}, ""
	for _, want := range []int{10, 10, 5} {
		page := c.list(metav1.ListOptions{Limit: 10, Continue: token})
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
	if whole := c.list(metav1.ListOptions{Limit: 10, ResourceVersion: "0"}); len(whole.Items) != 25 {
		t.Errorf("at version 0 there are %d pods", len(whole.Items))
	}
}

func TestExpiredPage(t *testing.T) { inEncodings(t, 25, testExpiredPage) }

func testExpiredPage(t *testing.T, c client) {
	page := c.list(metav1.ListOptions{Limit: 10})
	c.control("relist?changed=3")
	if _, err := c.List(t.Context(), metav1.ListOptions{Limit: 10, Continue: page.Continue}); !apierrors.IsResourceExpired(err) {
		t.Errorf("the token of an older version: %v", err)
	}
	if _, err := c.List(t.Context(), metav1.ListOptions{Limit: 10, Continue: "x"}); !apierrors.IsBadRequest(err) {
		t.Errorf("an invalid token: %v", err)
	}
}

// watch returns the next event of a new watch each time that it is called.
func (c client) watch(options metav1.ListOptions) (next func() (watch.EventType, *corev1.Pod)) {
	c.t.Helper()
	w, err := c.Watch(c.t.Context(), options)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(w.Stop)
	return func() (watch.EventType, *corev1.Pod) {
		c.t.Helper()
		event := <-w.ResultChan()
		pod, ok := event.Object.(*corev1.Pod)
		if err := apierrors.FromObject(event.Object); !ok && !apierrors.IsResourceExpired(err) {
			c.t.Fatal(err)
		}
		return event.Type, pod
	}
}

// TestRelist watches a streaming list, a relist and updates.
func TestRelist(t *testing.T) { inEncodings(t, 20, testRelist) }

func testRelist(t *testing.T, c client) {
	const objects = 20
	yes := true
	streaming := metav1.ListOptions{SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true}
	all := func(next func() (watch.EventType, *corev1.Pod)) (revised int, version string) {
		t.Helper()
		for range objects {
			kind, pod := next()
			if kind != watch.Added {
				t.Fatal(kind)
			}
			if pod.Labels["revision"] != "1" {
				revised++
			}
		}
		kind, bookmark := next()
		if kind != watch.Bookmark || bookmark.Annotations[metav1.InitialEventsAnnotationKey] != "true" {
			t.Fatalf("%s %v", kind, bookmark.Annotations)
		}
		return revised, bookmark.ResourceVersion
	}
	expectSentinel := func(next func() (watch.EventType, *corev1.Pod), revision string) {
		t.Helper()
		_, name := Name(Sentinel)
		if kind, pod := next(); kind != watch.Modified || pod.Name != name || pod.Labels["revision"] != revision {
			t.Fatalf("%s %s %v", kind, pod.Name, pod.Labels)
		}
	}
	first := c.watch(streaming)
	revised, version := all(first)
	if revised != 0 {
		t.Errorf("%d pods are not in their first revision", revised)
	}
	c.control("relist?changed=2")
	if kind, _ := first(); kind != watch.Error {
		t.Errorf("the open watch gets %s", kind)
	}
	if kind, _ := c.watch(metav1.ListOptions{ResourceVersion: version})(); kind != watch.Error {
		t.Errorf("a watch at an old version gets %s", kind)
	}
	second := c.watch(streaming)
	if revised, _ = all(second); revised != 2 {
		t.Errorf("%d pods have changed", revised)
	}
	expectSentinel(second, "2")
	c.control(fmt.Sprintf("update?count=%d", objects-1))
	for range objects - 1 {
		if kind, _ := second(); kind != watch.Modified {
			t.Error(kind)
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
	server, err := New(Options{Kind: Kinds[report.Pods], Objects: 10})
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	server.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/control/update?count=10", nil))
	if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "cannot be changed") {
		t.Errorf("%d: %s", answer.Code, answer.Body)
	}
}
