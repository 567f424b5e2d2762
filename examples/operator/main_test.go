package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

func operator(t *testing.T, args ...string) (cmd *exec.Cmd, output *bytes.Buffer) {
	cmd = exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asOperator+"=1")
	output = &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = output, output
	return cmd, output
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
	for seen := map[string]bool{}; len(seen) < 2; {
		select {
		case path := <-watches:
			seen[path] = true
		case <-time.After(stall):
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			t.Fatalf("the operator watches no more than %v:\n%s", seen, output)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM the operator ended with %v, want exit code 0:\n%s", err, output)
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
		"no workers":    {[]string{"--workers=0"}, 1, "--workers=0"},
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
			watches <- r.URL.Path
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
