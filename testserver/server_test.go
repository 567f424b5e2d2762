package testserver_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/typedinformers/informer-gen/testserver"
)

func TestServesObjects(t *testing.T) {
	t.Parallel()
	client := widgets(t, shared)
	before, err := client.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	watcher, err := client.Watch(t.Context(), metav1.ListOptions{ResourceVersion: before.GetResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()

	created := create(t, client, "served")
	event := <-watcher.ResultChan()
	if event.Type != watch.Added || event.Object.(metav1.Object).GetUID() != created.GetUID() {
		t.Errorf("watch says %v of %v, want ADDED of the created object", event.Type, event.Object)
	}
	listed, err := client.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.Items) != len(before.Items)+1 {
		t.Errorf("list has %d objects, want %d", len(listed.Items), len(before.Items)+1)
	}
	if err := client.Delete(t.Context(), "served", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestKubeconfig(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := shared.WriteKubeconfig(path); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		if list.GroupVersion == "example.com/v1" {
			return
		}
	}
	t.Error("discovery does not list example.com/v1")
}

func TestRestartKeepsDataAndAddress(t *testing.T) {
	t.Parallel()
	server := start(t)
	url := server.URL()
	client := widgets(t, server)
	created := create(t, client, "kept")
	watcher, err := client.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()

	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if server.URL() != url {
		t.Errorf("URL is %s, was %s", server.URL(), url)
	}
	for range watcher.ResultChan() {
		// The restart has ended the watch, so the channel closes.
	}
	kept, err := client.Get(t.Context(), "kept", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if kept.GetUID() != created.GetUID() || kept.GetResourceVersion() != created.GetResourceVersion() {
		t.Errorf("object is %v, want %v", kept, created)
	}
}

func TestRestartThatFailsMayBeRepeated(t *testing.T) {
	t.Parallel()
	server, err := testserver.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := server.Restart(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("Restart with a cancelled context returns %v", err)
	}
	if err := server.Compact(t.Context()); !errors.Is(err, testserver.ErrStopped) {
		t.Errorf("Compact of a server that is down returns %v", err)
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Error(err)
	}
	if err := server.Stop(); err != nil {
		t.Error(err)
	}
}

// waits is less than the time after which the server ends a watch itself, and so tells
// a Stop that waits for its clients from one on a slow machine.
const waits = time.Minute

func TestStopWithOpenWatch(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]testserver.Option{"cache": nil, "etcd": {testserver.WithoutWatchCache()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, options...)
			watcher, err := widgets(t, server).Watch(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer watcher.Stop()

			began := time.Now()
			if err := server.Stop(); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > waits {
				t.Errorf("Stop took %v", took)
			} else {
				t.Logf("Stop took %v", took)
			}
			for range watcher.ResultChan() {
			}
			if err := server.Stop(); err != nil {
				t.Errorf("second Stop: %v", err)
			}
			if err := server.Restart(t.Context()); !errors.Is(err, testserver.ErrStopped) {
				t.Errorf("Restart after Stop returns %v", err)
			}
			if _, err := http.Get(server.URL()); err == nil {
				t.Error("the port still answers")
			}
		})
	}
}

func TestStopWithClientsThatDoNothing(t *testing.T) {
	t.Parallel()
	server := start(t)
	const watch = "GET /apis/example.com/v1/widgets?watch=1 HTTP/1.1\r\nHost: test\r\n"
	for _, request := range []string{"", watch, watch + "\r\n"} { // no request, half of one, and one whose answer nobody reads
		client, err := net.Dial("tcp", strings.TrimPrefix(server.URL(), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if _, err := client.Write([]byte(request)); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > waits {
		t.Errorf("Stop took %v", took)
	}
}

func TestStartIsCancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// The delays fall into different stages of a start, the last ones after it.
	for _, delay := range []time.Duration{0, 50 * time.Millisecond, 150 * time.Millisecond, 250 * time.Millisecond, 350 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), delay)
		server, err := testserver.New(ctx, testserver.WithDir(dir))
		cancel()
		switch {
		case err == nil:
			if err := server.Stop(); err != nil {
				t.Error(err)
			}
		case !errors.Is(err, context.DeadlineExceeded):
			t.Errorf("after %v: %v", delay, err)
		}
	}
}

func TestDirInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, err := testserver.New(t.Context(), testserver.WithDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := testserver.New(t.Context(), testserver.WithDir(dir)); !errors.Is(err, testserver.ErrDirInUse) {
		t.Errorf("second server on one directory: %v", err)
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("Stop removed a directory that is not its own: %v", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for want, option := range map[string]testserver.Option{
		"not a loopback address": testserver.WithAddress("0.0.0.0:0"),
		"not HOST:PORT":          testserver.WithAddress("127.0.0.1"),
		"MaxRequestsInFlight":    testserver.WithMaxRequestsInFlight(-1),
		"MinRequestTimeout":      testserver.WithMinRequestTimeout(time.Millisecond),
	} {
		if _, err := testserver.New(t.Context(), option); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New returns %v, want %q in it", err, want)
		}
	}
}

func TestLogOutput(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer // the server serializes its writes, and the test reads after Stop
	server, err := testserver.New(t.Context(), testserver.WithLog(&log))
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"etcd", "Stopped listening"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not mention %q", want)
		}
	}
}

func TestServersAreIndependent(t *testing.T) {
	t.Parallel()
	var servers [2]*testserver.Server
	var group sync.WaitGroup
	for i := range servers {
		group.Go(func() {
			server, err := testserver.New(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() {
				if err := server.Stop(); err != nil {
					t.Error(err)
				}
			})
			servers[i] = server
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	if err := servers[0].InstallCRDs(t.Context(), loadWidgetCRD(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := widgets(t, servers[0]).List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := widgets(t, servers[1]).List(t.Context(), metav1.ListOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the second server answers %v, want 404", err)
	}
}
