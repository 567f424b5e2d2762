package mutate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	// So that go test runs the tests again when the generator has changed.
	_ "github.com/typedinformers/informer-gen/generator"
)

// tool is the generator, built once for each process.
var tool string

func TestMain(m *testing.M) {
	os.Exit(withTool(m.Run))
}

func withTool(run func() int) int {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	tool = filepath.Join(dir, "informer-gen")
	build := exec.Command("go", "build", "-o", tool, "github.com/typedinformers/informer-gen/cmd/informer-gen")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		log.Fatalf("%v: %s", err, out)
	}
	return run()
}

// The limits of a run.
const (
	maxProcessor = 10 * time.Second
	maxMemory    = 1 << 30
)

// outcome is what a run of the generator comes to.
type outcome struct {
	accepted bool
	// checked reports whether the output was type-checked.
	checked bool
	stderr  string
}

// generate runs the generator in dir, and fails the test if it breaks a promise.
func generate(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	before := snapshot(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // for one that waits for something
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "GOPROXY=off", "GOWORK=off")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	text := output.String()
	state := cmd.ProcessState
	switch used := state.UserTime() + state.SystemTime(); {
	case state.ExitCode() > 1 || state.ExitCode() < 0 || strings.Contains(text, "goroutine ") || strings.Contains(text, "please report"):
		t.Errorf("the generator failed with %v:\n%s", state, text)
	case used > maxProcessor:
		t.Errorf("the generator used %v of processor time", used)
	}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok && usage.Maxrss*1024 > maxMemory {
		t.Errorf("the generator used %d MB", usage.Maxrss>>10)
	}
	if err != nil {
		if after := snapshot(t, dir); after != before {
			t.Errorf("a run that failed changed the disk:\n%s\nwas\n%s", after, before)
		}
		if strings.TrimSpace(text) == "" {
			t.Error("a run failed without a message")
		}
	}
	return outcome{accepted: err == nil, stderr: text}
}

// snapshot lists the files below dir with their sizes and times.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() {
			fmt.Fprintln(&b, file, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
