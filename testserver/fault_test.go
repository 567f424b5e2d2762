package testserver_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/testserver"
)

func TestCompactExpiresOldVersions(t *testing.T) {
	t.Parallel()
	server := start(t, testserver.WithoutWatchCache())
	client := widgets(t, server)
	for i := range 3 {
		create(t, client, fmt.Sprintf("w%d", i))
	}
	page, err := client.List(t.Context(), metav1.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // once more, from a compact_rev_key that exists
		if err := server.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	_, err = client.List(t.Context(), metav1.ListOptions{Limit: 1, Continue: page.GetContinue()})
	if !apierrors.IsResourceExpired(err) {
		t.Errorf("continuing an old list returns %v, want 410 Expired", err)
	}
	// Nothing was written since, and even so the version of the newest object is too old.
	watcher, err := client.Watch(t.Context(), metav1.ListOptions{ResourceVersion: page.GetResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	event := <-watcher.ResultChan()
	if status := apierrors.FromObject(event.Object); event.Type != watch.Error || !(apierrors.IsGone(status) || apierrors.IsResourceExpired(status)) {
		t.Errorf("watching from an old version says %v %v, want ERROR with 410", event.Type, event.Object)
	}
	if _, err := client.List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("a new list after compaction: %v", err)
	}
}

func TestMinRequestTimeoutEndsWatches(t *testing.T) {
	t.Parallel()
	server := start(t, testserver.WithMinRequestTimeout(time.Second))
	watcher, err := widgets(t, server).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	for range watcher.ResultChan() {
		// Ends when the server ends the watch.
	}
}

func TestMaxRequestsInFlight(t *testing.T) {
	t.Parallel()
	server := start(t, testserver.WithMaxRequestsInFlight(1))
	// A request that holds its place until it is told to go on would need a slow handler inside the server:
	// so many at once that some must meet.
	answers := make(chan int)
	const requests = 64
	for range requests {
		go func() {
			response, err := http.Get(server.URL() + "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
			if err != nil {
				answers <- 0
				return
			}
			_ = response.Body.Close()
			answers <- response.StatusCode
		}()
	}
	seen := map[int]int{}
	for range requests {
		seen[<-answers]++
	}
	if seen[http.StatusTooManyRequests] == 0 || seen[http.StatusOK] == 0 {
		t.Errorf("answers by status: %v, want some 200 and some 429", seen)
	}
}
