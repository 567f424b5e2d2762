package kubetest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/typedinformers/informer-gen/test/progress"
)

// edits change the project's main.go, which uses our cache, for another cache.
var edits = map[string]func(t *testing.T, text string) string{
	"controller-runtime": func(t *testing.T, text string) string {
		before := regexp.MustCompile(`(?m)^.*\bcrcache\b.*\n`).ReplaceAllLiteralString(text, "")
		if n := strings.Count(text, "\n") - strings.Count(before, "\n"); n != 2 {
			t.Fatalf("%d lines of main.go name our cache, want the import and one line", n)
		}
		return before
	},
	"informer-gen": func(_ *testing.T, text string) string { return text },
	"read-your-writes": func(t *testing.T, text string) string {
		for _, edit := range []struct{ old, new string }{
			{"\tmgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(),", "\tconfig, own := ctrl.GetConfigOrDie(), &writes.Observer{}\n\tconfig.Wrap(own.Transport)\n\tmgr, err := ctrl.NewManager(config,"},
			{"crcache.New,", "crcache.NewFunc(crcache.WithReadYourWrites(own)),"},
			{"\twebv1 \"", "\t\"github.com/typedinformers/informer-gen/runtime/writes\"\n\twebv1 \""},
		} {
			if n := strings.Count(text, edit.old); n != 1 {
				t.Fatalf("main.go has %d times %q, want it once", n, edit.old)
			}
			text = strings.Replace(text, edit.old, edit.new, 1)
		}
		return text
	},
}

// buildManagers compiles the project for each cache.
func buildManagers(t *testing.T) map[string]string {
	t.Helper()
	file, err := filepath.Abs(project + "/cmd/main.go")
	if err != nil {
		t.Fatal(err)
	}
	text := readFile(t, file)
	binaries := map[string]string{}
	for _, cache := range caches {
		dir := t.TempDir()
		overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: filepath.Join(dir, "main.go")}})
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "main.go"), edits[cache](t, text))
		writeFile(t, filepath.Join(dir, "overlay.json"), string(overlay))
		binaries[cache] = filepath.Join(dir, "manager")
		build := exec.CommandContext(t.Context(), "go", "build", "-overlay="+filepath.Join(dir, "overlay.json"), "-o", binaries[cache], "./cmd")
		build.Dir = project
		if output, err := build.CombinedOutput(); err != nil {
			t.Fatalf("cannot build the project for %s: %v\n%s", cache, err, output)
		}
		progress.Step()
	}
	return binaries
}

// start starts the manager. The returned func stops it.
func (p *play) start(t *testing.T, args ...string) (stop func()) {
	t.Helper()
	command := exec.Command(p.binary, append([]string{"--kubeconfig=" + p.kubeconfig, "--health-probe-bind-address=0"}, args...)...)
	output, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.manager.read(output)
	}()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		_ = command.Process.Signal(syscall.SIGTERM)
		<-read
		if err := command.Wait(); err != nil {
			t.Errorf("the manager ended with %v", err)
		}
	}
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Logf("log of the manager:\n%s", strings.Join(p.manager.lines, "\n"))
		}
	})
	return stop
}

// managerLog is what the manager has logged.
type managerLog struct {
	mu       sync.Mutex // guards the fields below
	lines    []string
	outcomes map[string][]string // of each object, without repetitions
	counts   map[string]int      // of the reconciles of each object
	more     chan struct{}       // closed by the next line; may be nil
}

func (m *managerLog) read(output io.Reader) {
	for scanner := bufio.NewScanner(output); scanner.Scan(); {
		var line struct{ Controller, Namespace, Name, Outcome string }
		_ = json.Unmarshal(scanner.Bytes(), &line) // client-go logs some lines as text
		m.add(scanner.Text(), line.Controller+" "+line.Namespace+"/"+line.Name, line.Outcome)
	}
}

func (m *managerLog) add(line, object, outcome string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines = append(m.lines, line)
	if outcome != "" {
		progress.Step()
		if m.counts == nil {
			m.counts, m.outcomes = map[string]int{}, map[string][]string{}
		}
		m.counts[object]++
		m.outcomes[object] = slices.Compact(append(m.outcomes[object], outcome))
	}
	if m.more != nil {
		close(m.more)
		m.more = nil
	}
}

// await tries a condition after each line of the log until it holds. The controllers log what
// they have written.
func (m *managerLog) await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for ctx := within(t); ; {
		m.mu.Lock()
		if m.more == nil {
			m.more = make(chan struct{})
		}
		more := m.more
		m.mu.Unlock()
		if condition() {
			progress.Step()
			return
		}
		select {
		case <-more:
		case <-ctx.Done():
			t.Fatalf("waited in vain until %s: %v", what, context.Cause(ctx))
		}
	}
}

// logged reports whether a line has the text.
func (m *managerLog) logged(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.lines, func(line string) bool {
		return strings.Contains(strings.ReplaceAll(line, `\"`, `"`), text)
	})
}

// reconciles returns how often an object was reconciled.
func (m *managerLog) reconciles(object string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts[object]
}
