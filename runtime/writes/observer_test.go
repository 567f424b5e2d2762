package writes

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// put sends an update of a ConfigMap in namespace "a" to a base URL.
func put(t testing.TB, client http.RoundTripper, base, name string) {
	t.Helper()
	request, err := http.NewRequest("PUT", base+"/api/v1/namespaces/a/configmaps/"+name, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	if got := bodyOf(response); got.err != "<nil>" {
		t.Error(got.err)
	}
}

// echo answers with an object of the name in the URL.
func echo(t testing.TB) http.RoundTripper {
	return answering(func(request *http.Request) (*http.Response, error) {
		name := request.URL.Path[strings.LastIndex(request.URL.Path, "/")+1:]
		return respond(200, "application/json", inJSON(t, object("ConfigMap", name))), nil
	})
}

func TestAttached(t *testing.T) {
	var own Observer
	if own.Attached() {
		t.Error("no client is observed yet")
	}
	own.Transport(echo(t))
	if !own.Attached() {
		t.Error("a client is observed")
	}
}

// TestSubscribe has several subscriptions of one resource, which end one after the other.
func TestSubscribe(t *testing.T) {
	var own Observer
	client := own.Transport(echo(t))
	put(t, client, host, "early")
	first, second, other := &recorder{}, &recorder{}, &recorder{}
	endFirst := own.Subscribe(host, configMaps, first)
	endAgain := own.Subscribe(host, configMaps, first)
	endSecond := own.Subscribe(host, configMaps, second)
	endOther := own.Subscribe(host, pods, other)

	expect := func(want string, wantSecond string) {
		t.Helper()
		if got := first.heard(); got != want {
			t.Errorf("first is told of %q, want %q", got, want)
		}
		if got := second.heard(); got != wantSecond {
			t.Errorf("second is told of %q, want %q", got, wantSecond)
		}
		if got := other.heard(); got != "" {
			t.Errorf("the informer of pods is told of %q", got)
		}
	}
	line := func(name string) string { return fmt.Sprintf("ConfigMap a/%s/ uid-%[1]s 7 body", name) }

	expect("", "")
	put(t, client, host, "one")
	expect(line("one")+"\n"+line("one"), line("one"))
	endFirst()
	endFirst()
	put(t, client, host, "two")
	expect(line("two"), line("two"))
	endAgain()
	put(t, client, host, "three")
	expect("", line("three"))
	endSecond()
	put(t, client, host, "four")
	expect("", "")
	endFirst()
	endOther()
	if len(own.servers) != 0 {
		t.Errorf("%d servers are left", len(own.servers))
	}
	endFirst() // of a server that is gone
	defer own.Subscribe(host, configMaps, second)()
	endOther()
	put(t, client, host, "five")
	expect("", line("five"))
}

// TestServers subscribes at URLs, and writes to others.
func TestServers(t *testing.T) {
	const path = "/api/v1/namespaces/a/configmaps/"
	for _, test := range []struct {
		server, base string
		want         bool
	}{
		{"https://host", "https://host", true},
		{"https://host/", "https://host", true},
		{"https://host:443", "https://host", true},
		{"https://host", "https://host:443", true},
		{"https://host", "https://host:", true},
		{"http://host", "http://HOST:80", true},
		{"https://Host:6443", "https://host:6443", true},
		{"https://[::1]:443", "https://[::1]", true},
		{"https://[::443]", "https://[::443]", true},
		{"https://[::443]", "https://[::]", false},
		{"https://host", "http://host", false},
		{"https://host:443", "http://host:443", false},
		{"http://host:443", "https://host:443", false},
		{"https://host", "https://host:6443", false},
		{"https://host", "https://host.example.com", false},
		{"https://host.example.com", "https://host", false},
		{"https://host/k8s/c-1", "https://host/k8s/c-1", true},
		{"https://host/k8s/c-1/", "https://host/k8s/c-1", true},
		{"https://host/k8s/c-1", "https://host/k8s/c-12", false},
		{"https://host/k8s/c-1", "https://host/k8s/c-2", false},
		{"https://host/k8s/c-1", "https://host", false},
		{"https://host", "https://host/k8s/c-1", false},
		{"https://host/apis/proxy", "https://host/apis/proxy", true},
		{"https://host/apis/g/v1", "https://host/apis/g/v1", true},
		{"https://host/apis/g/v1", "https://host", false},
		{"https://host/a b", "https://host/a%20b", true},
		{"not a URL", "https://host", false},
		{"", "https://host", false},
	} {
		var own Observer
		told := &recorder{}
		end := own.Subscribe(test.server, configMaps, told)
		put(t, own.Transport(echo(t)), test.base, "web")
		if got := told.heard() != ""; got != test.want {
			t.Errorf("the informer of %q is told of a write to %s%sweb: %v", test.server, test.base, path, got)
		}
		end()
	}
}

// TestServersWithOneBeginning has servers at URLs that begin alike. Each hears of its own writes.
func TestServersWithOneBeginning(t *testing.T) {
	var own Observer
	client := own.Transport(echo(t))
	bases := []string{"https://host", "https://host/a", "https://host/a/apis/g/v1", "https://host/a/api"}
	told := make([]recorder, len(bases))
	for i, base := range bases {
		own.Subscribe(base, configMaps, &told[i])
	}
	for i, base := range bases {
		put(t, client, base, "web")
		for k := range told {
			if got := told[k].heard() != ""; got != (i == k) {
				t.Errorf("a write to %s is told to the informer of %s: %v", base, bases[k], got)
			}
		}
	}
}

// informerFunc is an Informer.
type informerFunc func(Write)

func (f informerFunc) Wrote(write Write) { f(write) }

// TestWroteMayCallTheObserver ends and makes subscriptions in Wrote. Those of the write are told
// nevertheless.
func TestWroteMayCallTheObserver(t *testing.T) {
	var own Observer
	client := own.Transport(echo(t))
	late, last := &recorder{}, &recorder{}
	var end, endLast func()
	end = own.Subscribe(host, configMaps, informerFunc(func(Write) {
		end()
		endLast()
		own.Subscribe(host, configMaps, late)
		if !own.Attached() {
			t.Error("not attached")
		}
	}))
	endLast = own.Subscribe(host, configMaps, last)
	put(t, client, host, "web")
	if got := last.heard(); got == "" {
		t.Error("the last informer is not told of the write that it was subscribed to")
	}
	if got := late.heard(); got != "" {
		t.Errorf("the new informer is told of %q", got)
	}
	put(t, client, host, "web")
	if got := last.heard(); got != "" {
		t.Errorf("after the end the last informer is told of %q", got)
	}
	if got := late.heard(); got == "" {
		t.Error("the new informer is told of nothing")
	}
}

func TestPanicReachesTheWriter(t *testing.T) {
	var own Observer
	client := own.Transport(echo(t))
	own.Subscribe(host, configMaps, informerFunc(func(Write) { panic("informer") }))
	func() {
		defer func() {
			if got := recover(); got != "informer" {
				t.Errorf("the writer recovers %v", got)
			}
		}()
		put(t, client, host, "web")
	}()
	own.Subscribe(host, configMaps, &recorder{})() // no lock is held
}

// TestConcurrentUse writes while informers subscribe and end. One that is subscribed all the time
// hears of each write once.
func TestConcurrentUse(t *testing.T) {
	const writers, each = 4, 20
	var own Observer
	all := &recorder{}
	defer own.Subscribe(host, configMaps, all)()
	var running sync.WaitGroup
	for w := range writers {
		client := own.Transport(echo(t))
		running.Go(func() {
			for n := range each {
				put(t, client, host, fmt.Sprintf("%d-%d", w, n))
			}
		})
		running.Go(func() {
			for n := range each {
				base := []string{host, "https://other"}[n%2]
				end := own.Subscribe(base, configMaps, &recorder{})
				own.Attached()
				end()
			}
		})
	}
	running.Wait()
	heard := map[string]int{}
	for line := range strings.SplitSeq(all.heard(), "\n") {
		heard[line]++
	}
	for w := range writers {
		for n := range each {
			line := fmt.Sprintf("ConfigMap a/%d-%d/ uid-%[1]d-%[2]d 7 body", w, n)
			if heard[line] != 1 {
				t.Errorf("%q is told %d times", line, heard[line])
			}
		}
	}
	if len(heard) != writers*each {
		t.Errorf("told of %d writes", len(heard))
	}
	if len(own.servers) != 1 || len(own.servers[0].informers[configMaps]) != 1 {
		t.Error("subscriptions are left")
	}
}
