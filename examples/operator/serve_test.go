package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes/scheme"

	"github.com/typedinformers/informer-gen/apitest"
)

// TestServes runs the operator in a cluster that has a class and does not let it list servers, and
// reads everything that it serves.
func TestServes(t *testing.T) {
	cluster := emptyCluster(make(chan string, 100))
	const class = `{"metadata":{"resourceVersion":"4711"},"items":[{"apiVersion":"data.example.com/v1","kind":"DatabaseClass","metadata":{"name":"small","uid":"1","resourceVersion":"4700"},"spec":{"maxStorageGi":100}}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch isWatch := r.URL.Query().Has("watch"); {
		case strings.HasSuffix(r.URL.Path, "/databaseservers"):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"databaseservers.data.example.com is forbidden: User \"robot\" cannot list resource \"databaseservers\" in API group \"data.example.com\" at the cluster scope","code":403}`)
		case strings.HasSuffix(r.URL.Path, "/databaseclasses") && !isWatch:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, class)
		default:
			cluster.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	cmd, output := operator(t, "--kubeconfig="+kubeconfig(t, server.URL), "--sync-timeout=1h")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	probes := "http://" + output.await(t, `Serving /livez, /metrics, /readyz" address="([^"]+)"`)
	debug := "http://" + output.await(t, `Serving /debug/informers" address="([^"]+)"`)
	for _, c := range []struct {
		url  string
		code int
		says []string
	}{
		{probes + "/livez", http.StatusOK, []string{"live"}}, // a restart would not help
		{probes + "/readyz", http.StatusServiceUnavailable, []string{
			"not ready: 1 of 4 informers",
			"[-] databaseservers.data.example.com", `User "robot" cannot list`, `verbs: ["list", "watch"]`,
			"[+] databaseclasses.data.example.com", "1 object at version 4711",
		}},
		{probes + "/metrics", http.StatusOK, []string{
			`informer_objects{group="data.example.com",name="database-operator",resource="databaseclasses",version="v1"} 1`,
			`informer_store_resource_version{group="data.example.com",name="database-operator",resource="databaseclasses",version="v1"} 4711`,
			`informer_failing{group="data.example.com",name="database-operator",reason="Forbidden",resource="databaseservers",version="v1"} 1`,
			`handler="enqueue-owner"`,
			"process_open_fds", "go_goroutines",
		}},
		{debug + "/debug/informers", http.StatusOK, []string{"1 of 4 informers does not follow the server", "databaseservers", "Forbidden", "databaseclasses", "kubectl auth can-i list databaseservers.data.example.com"}},
	} {
		await(t, c.url, func(code int, answer string) error {
			if code != c.code {
				return fmt.Errorf("%d, want %d", code, c.code)
			}
			for _, want := range c.says {
				if !strings.Contains(answer, want) {
					return fmt.Errorf("no %q in it", want)
				}
			}
			return nil
		})
	}
	// The page is not at the address that the kubelet reaches, and nothing can be written.
	if code, _ := get(t, probes+"/debug/informers"); code != http.StatusNotFound {
		t.Errorf("%s/debug/informers is %d", probes, code)
	}
	response, err := http.Post(debug+"/debug/informers", "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a POST is answered with %d", response.StatusCode)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM the operator ended with %v, want exit code 0:\n%s", err, output)
	}
}

// await reads a URL until accept returns nil.
func await(t *testing.T, url string, accept func(code int, answer string) error) {
	t.Helper()
	for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
		code, answer := get(t, url)
		err := accept(code, answer)
		if err == nil {
			return
		}
		if time.Since(began) > stall {
			t.Fatalf("%s: %v:\n%s", url, err, answer)
		}
	}
}

// TestAddressesByDefault: the page shows names of objects, so the network does not reach it.
func TestAddressesByDefault(t *testing.T) {
	o, err := parse(nil)
	if err != nil || o.healthAddress != ":8081" || o.debugAddress != "localhost:8082" {
		t.Errorf("the addresses are %q and %q, %v", o.healthAddress, o.debugAddress, err)
	}
	stop, err := serve(t.Context(), page("", nil))
	if err != nil {
		t.Fatal(err)
	}
	stop()
}

// TestLive lets a leader lose its Lease while a write hangs: the process still counts as the leader,
// so only a restart helps.
func TestLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.Start(t, apitest.WithScheme(scheme.Scheme))
		leader := stand(t, server, "leader", time.Hour)
		code := func() int {
			response := httptest.NewRecorder()
			live(leader.watchdog).ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/livez", nil))
			return response.Code
		}
		if got := code(); got != http.StatusOK {
			t.Errorf("before the election /livez is %d", got)
		}
		time.Sleep(time.Minute)
		if got := code(); got != http.StatusOK {
			t.Errorf("/livez of the leader is %d", got)
		}
		server.On("*", "leases").Fail(errors.New("no route to host"))
		time.Sleep(time.Minute)
		if got := code(); got != http.StatusServiceUnavailable {
			t.Errorf("/livez of a leader without a Lease is %d", got)
		}
		<-leader.over
	})
}
