package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// asOperator makes the test binary the operator.
const asOperator = "TEST_AS_OPERATOR"

func TestMain(m *testing.M) {
	if os.Getenv(asOperator) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// operator returns a process that knows no cluster but that of its arguments.
func operator(t *testing.T, args ...string) (cmd *exec.Cmd, output *lines) {
	cmd = exec.CommandContext(t.Context(), os.Args[0], append([]string{"--health-address=127.0.0.1:0", "--debug-address=127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), asOperator+"=1", "HOME="+t.TempDir(), "KUBECONFIG=", "KUBERNETES_SERVICE_HOST=")
	output = &lines{changed: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = output, output
	return cmd, output
}

// lines has the lines that a process has printed.
type lines struct {
	mu      sync.Mutex // guards the fields below
	text    bytes.Buffer
	changed chan struct{} // closed by the next Write
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.changed)
	l.changed = make(chan struct{})
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// await returns the first submatch of pattern as soon as it is there.
func (l *lines) await(t *testing.T, pattern string) string {
	t.Helper()
	for {
		l.mu.Lock()
		match, changed := regexp.MustCompile(pattern).FindStringSubmatch(l.text.String()), l.changed
		l.mu.Unlock()
		if match != nil {
			return match[1]
		}
		select {
		case <-changed:
		case <-time.After(stall):
			t.Fatalf("the operator did not print %s:\n%s", pattern, l)
		}
	}
}

// stall is how long nothing may happen. A slow machine takes long for each step of a
// test, so that a deadline for all of them would be too short there.
const stall = 3 * time.Minute

func TestTerminatesInGoodOrder(t *testing.T) {
	watches := make(chan string, 10)
	server := httptest.NewServer(emptyCluster(watches))
	t.Cleanup(server.Close)

	cmd, output := operator(t, "--kubeconfig="+kubeconfig(t, server.URL))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for seen := map[string]bool{}; len(seen) < 4; {
		select {
		case path := <-watches:
			seen[path] = true
		case <-time.After(stall):
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			t.Fatalf("the operator watches no more than %v:\n%s", seen, output)
		}
	}
	address := output.await(t, `/readyz" address="([^"]+)"`)
	output.await(t, `(Reconciling databases)`)
	if code, answer := get(t, "http://"+address+"/livez"); code != http.StatusOK {
		t.Errorf("/livez is %d: %s", code, answer)
	}
	for began := time.Now(); ; { // the server has answered the watches before the operator knows
		code, answer := get(t, "http://"+address+"/readyz")
		if code == http.StatusOK && strings.Contains(answer, "[+] namespaces") {
			break
		}
		if time.Since(began) > stall {
			t.Fatalf("/readyz is %d:\n%s", code, answer)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM the operator ended with %v, want exit code 0:\n%s", err, output)
	}
}

func get(t *testing.T, url string) (code int, answer string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// TestOneNamespace finds the operator reading no other namespace.
func TestOneNamespace(t *testing.T) {
	watches := make(chan string, 10)
	server := httptest.NewServer(emptyCluster(watches))
	t.Cleanup(server.Close)
	cmd, output := operator(t, "--kubeconfig="+kubeconfig(t, server.URL), "--namespace=team-a")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var seen []string
	for len(seen) < 4 {
		select {
		case path := <-watches:
			seen = append(seen, path)
		case <-time.After(stall):
			t.Errorf("the operator watches no more than %v:\n%s", seen, output)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	const data = "/apis/data.example.com/v1/"
	want := []string{"/api/v1/namespaces?metadata.name=team-a", data + "databaseclasses", data + "namespaces/team-a/databases", data + "namespaces/team-a/databaseservers"}
	if slices.Sort(seen); !slices.Equal(seen, want) {
		t.Errorf("the operator watches %q, want %q", seen, want)
	}
}

// TestFirstSyncTakesTooLong has a right that is missing.
func TestFirstSyncTakesTooLong(t *testing.T) {
	cluster := emptyCluster(make(chan string, 100))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/databaseservers") {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"no role allows it","code":403}`)
			return
		}
		cluster.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	cmd, output := operator(t, "--kubeconfig="+kubeconfig(t, server.URL), "--sync-timeout=1s")
	_ = cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != 1 {
		t.Errorf("the exit code is %d, want 1", got)
	}
	for _, want := range []string{"databaseservers.data.example.com", "Forbidden", "no role allows it", "within 1s (--sync-timeout)"} {
		if !strings.Contains(output.String(), want) {
			t.Errorf("the output does not say %q:\n%s", want, output)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		exit int
		says string
	}{
		"help":          {[]string{"--help"}, 0, "-kubeconfig"},
		"unknown flag":  {[]string{"--kubeconf=x"}, 2, "kubeconf"},
		"argument":      {[]string{"orders"}, 1, `unexpected argument "orders"`},
		"no timeout":    {[]string{"--sync-timeout=0"}, 1, "--sync-timeout=0"},
		"no address":    {[]string{"--kubeconfig=" + kubeconfig(t, "http://cluster.invalid"), "--health-address=nowhere"}, 1, "--health-address"},
		"no page":       {[]string{"--kubeconfig=" + kubeconfig(t, "http://cluster.invalid"), "--debug-address=nowhere"}, 1, "--debug-address"},
		"no workers":    {[]string{"--workers=0"}, 1, "--workers=0"},
		"no shard key":  {[]string{"--shards", "--shard-key=name"}, 1, "--shard-key=name is not owner, namespace or namespace-on-server"},
		"two ways":      {[]string{"--shards", "--leader-elect"}, 1, "exclude each other"},
		"no shards":     {[]string{"--identity=a"}, 1, "need --shards"},
		"half a second": {[]string{"--shards", "--lease-duration=1500ms"}, 1, "--lease-duration=1.5s is not a number of seconds"},
		"no kubeconfig": {[]string{"--kubeconfig=/no/such/file"}, 1, "/no/such/file"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, output := operator(t, c.args...)
			_ = cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != c.exit {
				t.Errorf("the exit code is %d, want %d", got, c.exit)
			}
			if !strings.Contains(output.String(), c.says) {
				t.Errorf("the output does not say %q:\n%s", c.says, output)
			}
		})
	}
}

// emptyCluster serves collections without objects, and sends the path of each
// watch that it opens.
func emptyCluster(watches chan<- string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		query := r.URL.Query()
		switch {
		case query.Get("sendInitialEvents") == "true":
			w.WriteHeader(http.StatusUnprocessableEntity) // as a server does that cannot
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
		case query.Has("watch"):
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			watches <- strings.TrimSuffix(r.URL.Path+"?"+query.Get("fieldSelector"), "?")
			<-r.Context().Done()
		default:
			fmt.Fprint(w, `{"metadata":{"resourceVersion":"1"},"items":[]}`)
		}
	})
}

func kubeconfig(t *testing.T, url string) (file string) {
	file = filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`
apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test}}]
clusters: [{name: test, cluster: {server: %q}}]
`, url)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
