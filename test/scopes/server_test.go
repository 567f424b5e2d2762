package scopes

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// isServer makes the test binary the server.
const isServer = "INFORMER_TEST_SCOPES_SERVER"

// streamsOfAServer is how many requests one connection to a kube-apiserver has at one time.
const streamsOfAServer = 100

// access is what a client of the server needs.
type access struct {
	URL string
	CA  []byte
}

// counts are what the server has counted.
type counts struct {
	// Connections are open now.
	Connections int64
	// Lists are the requests.
	Lists int64
}

// serve serves ConfigMaps until the standard input ends. Each namespace has the same ones.
func serve() {
	s := &server{watches: map[*watcher]bool{}}
	s.changed.L = &s.mu
	server := httptest.NewUnstartedServer(s)
	server.EnableHTTP2 = true
	server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: streamsOfAServer}
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.connections.Add(1)
		case http.StateClosed:
			s.connections.Add(-1)
		}
	}
	server.StartTLS()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := json.NewEncoder(os.Stdout).Encode(access{server.URL, ca}); err != nil {
		panic(err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// server is the handler.
type server struct {
	connections, lists atomic.Int64

	mu      sync.Mutex // guards the fields below
	watches map[*watcher]bool
	changed sync.Cond // of watches
	version int
}

// watcher is an open watch.
type watcher struct {
	namespace string
	send      chan []byte
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	switch {
	case r.URL.Path == "/counts":
		_ = json.NewEncoder(w).Encode(counts{s.connections.Load(), s.lists.Load()})
	case r.URL.Path == "/await":
		s.await(r.URL.Query().Get("watches"))
	case r.URL.Path == "/update":
		s.update()
	case len(parts) != 6 || parts[5] != "configmaps":
		http.NotFound(w, r)
	case r.URL.Query().Get("watch") == "":
		s.list(w, parts[4])
	default:
		s.watch(w, r, parts[4])
	}
}

// objectOf returns the only object of a namespace.
func (s *server) objectOf(namespace string, version int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "settings", UID: "1", ResourceVersion: fmt.Sprint(version)},
		Data:       map[string]string{"version": fmt.Sprint(version)},
	}
}

func (s *server) list(w http.ResponseWriter, namespace string) {
	s.lists.Add(1)
	s.mu.Lock()
	version := s.version + 1
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(corev1.ConfigMapList{
		TypeMeta: metav1.TypeMeta{Kind: "ConfigMapList", APIVersion: "v1"},
		ListMeta: metav1.ListMeta{ResourceVersion: fmt.Sprint(version)},
		Items:    []corev1.ConfigMap{*s.objectOf(namespace, version)},
	})
}

func (s *server) watch(w http.ResponseWriter, r *http.Request, namespace string) {
	if r.URL.Query().Get("sendInitialEvents") == "true" {
		http.Error(w, "streaming lists are not supported", http.StatusBadRequest)
		return
	}
	watching := &watcher{namespace, make(chan []byte, 16)}
	s.mu.Lock()
	s.watches[watching] = true
	s.changed.Broadcast()
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watches, watching)
		s.changed.Broadcast()
	}()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	flusher := w.(http.Flusher)
	flusher.Flush()
	for {
		select {
		case event := <-watching.send:
			_, _ = w.Write(event)
			flusher.Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// await returns when n watches are open.
func (s *server) await(n string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for strconv.Itoa(len(s.watches)) != n {
		s.changed.Wait()
	}
}

// update sends each watch an update of its object.
func (s *server) update() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	for w := range s.watches {
		object, err := json.Marshal(s.objectOf(w.namespace, s.version+1))
		if err != nil {
			panic(err)
		}
		w.send <- []byte(`{"type":"MODIFIED","object":` + string(object) + "}\n")
	}
}

// start starts the server, until the test ends.
func start(t *testing.T) access {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), isServer+"=1")
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = command.Wait() // its exit code does not matter
	})
	var server access
	if err := json.NewDecoder(stdout).Decode(&server); err != nil {
		t.Fatal(err)
	}
	return server
}

// connect returns a client as programs make them. Its connections are closed when the test ends.
func (a access) connect(t *testing.T) kubernetes.Interface {
	t.Helper()
	config := &rest.Config{Host: a.URL, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: a.CA}}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	clientset, err := kubernetes.NewForConfigAndClient(config, client)
	if err != nil {
		t.Fatal(err)
	}
	return clientset
}

// ask sends a request for the test itself.
func ask(t *testing.T, client kubernetes.Interface, path string, answer any) {
	t.Helper()
	body, err := client.CoreV1().RESTClient().Get().RequestURI(path).DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if answer != nil {
		if err := json.Unmarshal(body, answer); err != nil {
			t.Fatal(err)
		}
	}
}
