package testserver_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/typedinformers/informer-gen/testserver"
)

// tests stand for the tests of a package.
type tests func() int

func (f tests) Run() int { return f() }

func TestRun(t *testing.T) {
	t.Parallel()
	var server *testserver.Server
	code := testserver.Run(tests(func() int {
		response, err := http.Get(server.URL() + "/apis/example.com/v1/widgets")
		if err != nil {
			t.Error(err)
			return 1
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("the CRD is answered %s", response.Status)
		}
		return 7
	}), &server, testserver.WithCRDs("testdata"))
	if code != 7 {
		t.Errorf("Run returns %d, and the tests 7", code)
	}
	if err := server.Restart(t.Context()); !errors.Is(err, testserver.ErrStopped) {
		t.Errorf("after Run a restart returns %v", err)
	}
}

func TestRunWithoutServer(t *testing.T) {
	t.Parallel()
	var server *testserver.Server
	code := testserver.Run(tests(func() int {
		t.Error("the tests run without a server")
		return 0
	}), &server, testserver.WithCRDs("missing"))
	if code != 1 || server != nil {
		t.Errorf("Run returns %d and the server %v", code, server)
	}
}

// TestNothingIsLeft starts and stops servers, and counts what they leave. Other tests do not run meanwhile.
func TestNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	startAndStop := func() {
		server, err := testserver.New(t.Context(), testserver.WithCRDs("testdata"))
		if err != nil {
			t.Fatal(err)
		}
		config, err := clientcmd.BuildConfigFromFlags("", server.Kubeconfig())
		if err != nil || config.Host != server.URL() {
			t.Errorf("the kubeconfig leads to %v, want %s: %v", config, server.URL(), err)
		}
		if err := server.Restart(t.Context()); err != nil {
			t.Error(err)
		}
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	}
	startAndStop() // opens what stays open in each process
	files := openFiles(t)
	startAndStop()
	if now := openFiles(t); len(now) > len(files) {
		t.Errorf("open files were %q, and are %q", files, now)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("the temporary directory has %v, %v", left, err)
	}
}

// openFiles are the files of this process, if the system lists them.
func openFiles(t *testing.T) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, entry := range entries {
		if target, err := os.Readlink(filepath.Join("/proc/self/fd", entry.Name())); err == nil {
			files = append(files, target)
		}
	}
	return files
}
