package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/progress"
	"github.com/typedinformers/informer-gen/testserver"
)

// manifests are the example's CRDs.
const manifests = "../../examples/operator/config/crd"

// shared is for tests that do not break their server.
var shared *testserver.Server

// TestMain fails if goroutines are left after all servers have stopped.
func TestMain(m *testing.M) {
	code := testserver.Run(m, &shared, testserver.WithCRDs(manifests))
	// The timer of a consistent read from the API server's watch cache sleeps for 3 s, even after
	// the read has returned. Nothing can stop it.
	err := goleak.Find(goleak.IgnoreTopFunction("k8s.io/apiserver/pkg/storage/cacher.(*watchCache).waitUntilFreshLocked.func2"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func install(t *testing.T, server *testserver.Server) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crds, err := testserver.LoadCRDs(manifests)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.InstallCRDs(t.Context(), crds...); err != nil {
		t.Fatal(err)
	}
	return crds
}

func clientOf(t *testing.T, server *testserver.Server) *versioned.Clientset {
	t.Helper()
	client, err := versioned.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// tellLists returns a client, and a channel that hears of each list of databases
// that it asks for: "stream", "list" for one piece, or "page". Lists in one piece fail if
// they are tooLarge. hold is locked while a watch is asked for.
func tellLists(t *testing.T, server *testserver.Server, tooLarge bool, hold sync.Locker) (*versioned.Clientset, <-chan string) {
	t.Helper()
	lists := make(chan string, 100)
	config := server.Config()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			query := request.URL.Query()
			if request.Method == http.MethodGet && path.Base(request.URL.Path) == "databases" {
				switch {
				case query.Has("sendInitialEvents"):
					lists <- "stream"
				case query.Has("watch"):
					hold.Lock()
					defer hold.Unlock() // when the server has answered
				case query.Has("limit"):
					lists <- "page"
				default:
					lists <- "list"
					if tooLarge {
						return &http.Response{StatusCode: http.StatusGatewayTimeout, Body: http.NoBody, Request: request}, nil
					}
				}
			}
			return next.RoundTrip(request)
		})
	})
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client, lists
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// within bounds a wait by a lack of progress, which is what handlers hear and the
// writes that the server accepts.
func within(t *testing.T) context.Context {
	t.Helper()
	return progress.Context(t)
}

// startFactory starts what use asks of a factory, until the test ends.
func startFactory(t *testing.T, client versioned.Interface, use func(informers.SharedInformerFactory), options ...informers.SharedInformerOption) informers.SharedInformerFactory {
	t.Helper()
	factory := informers.NewSharedInformerFactory(client, 0, options...)
	use(factory)
	factory.Start(t.Context())
	t.Cleanup(factory.Shutdown)
	return factory
}

func database(name string, storageGi int32) *datav1.Database {
	return &datav1.Database{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: datav1.DatabaseSpec{ClassName: "small", StorageGi: storageGi}}
}

// log is a typed handler that writes down what it hears, and wakes those who
// wait for something.
type log struct {
	mu      sync.Mutex
	lines   []string
	changed chan struct{}
}

func newLog() *log { return &log{changed: make(chan struct{})} }

func (l *log) handler() cache.ResourceEventHandler[*datav1.Database] {
	return cache.ResourceEventHandlerFuncs[*datav1.Database]{
		AddFunc:    func(db *datav1.Database, initial bool) { l.write("add", db, initial) },
		UpdateFunc: func(_, db *datav1.Database) { l.write("update", db, false) },
		DeleteFunc: func(db *datav1.Database, unknown bool) { l.write("delete", db, unknown) },
	}
}

func (l *log) write(what string, db *datav1.Database, flag bool) {
	progress.Step()
	line := fmt.Sprintf("%s %s %d", what, db.Name, db.Spec.StorageGi)
	if flag {
		line += map[string]string{"add": " initial", "delete": " unknown"}[what]
	}
	l.note(line)
}

// note writes a line.
func (l *log) note(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	close(l.changed)
	l.changed = make(chan struct{})
}

// await waits until the lines are as wanted.
func (l *log) await(t *testing.T, want ...string) {
	t.Helper()
	ctx := within(t)
	for {
		l.mu.Lock()
		got, changed := strings.Join(l.lines, "\n"), l.changed
		l.mu.Unlock()
		if got == strings.Join(want, "\n") {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("heard\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
	}
}

// awaitState waits until the adds and deletes that were heard leave these names.
func (l *log) awaitState(t *testing.T, want ...string) {
	t.Helper()
	ctx := within(t)
	for {
		l.mu.Lock()
		known := map[string]bool{}
		for _, line := range l.lines {
			switch words := strings.Fields(line); words[0] {
			case "add":
				if known[words[1]] {
					t.Errorf("%s was added twice:\n%s", words[1], strings.Join(l.lines, "\n"))
				}
				known[words[1]] = true
			case "delete":
				delete(known, words[1])
			}
		}
		changed := l.changed
		l.mu.Unlock()
		if names := slices.Sorted(maps.Keys(known)); slices.Equal(names, want) {
			return
		} else if ctx.Err() != nil {
			t.Fatalf("known are %v, want %v", names, want)
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}
