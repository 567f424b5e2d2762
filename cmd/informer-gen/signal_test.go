//go:build unix

package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSecondSignal starts a run that the first signal cannot end, because it waits for the output of a
// child process. The second signal ends the process.
func TestSecondSignal(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal == syscall.SIGHUP && ossignal.Ignored(signal) {
			continue // the test runs under nohup
		}
		dir := orderModule(t)
		for _, pipe := range []string{"driver", "child", "never"} {
			if err := syscall.Mkfifo(filepath.Join(dir, pipe), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		never, err := os.OpenFile(filepath.Join(dir, "never"), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = never.Close() })
		// The driver holds the pipe driver open as long as it runs. Its child does not, and
		// reads never until the test closes it.
		writeScript(t, filepath.Join(dir, "gopackagesdriver"), "exec 3>driver\n(exec 3>&- 5<never 4>child; read line <&5)\n")
		executable, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a process that ignores the signal
		defer cancel()
		cmd := exec.CommandContext(ctx, executable, "--output-dir=out", "./...")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), asTool+"=1", "PWD="+dir, "GOPACKAGESDRIVER="+filepath.Join(dir, "gopackagesdriver"), "GORACE=atexit_sleep_ms=0")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		driver, err := os.Open(filepath.Join(dir, "driver")) // waits for the driver
		if err != nil {
			t.Fatal(err)
		}
		child, err := os.Open(filepath.Join(dir, "child")) // waits for its child
		if err != nil {
			t.Fatal(err)
		}
		_ = child.Close()
		// The first signal cancels the run, which kills the driver.
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(driver); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != signal {
			t.Errorf("after the second %v the process has ended with %v", signal, cmd.ProcessState)
		}
	}
}

func writeScript(t *testing.T, file, script string) {
	t.Helper()
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestNotRegular uses a named pipe, and a link to an endless device, for each file that the tool reads. The
// tool must return an error without waiting for it or reading it.
func TestNotRegular(t *testing.T) {
	for name, args := range map[string][]string{
		"out/listers/shop/v1/order.go":              nil,
		"out/informers/externalversions/factory.go": nil,
		"header.txt":    {"--go-header-file=header.txt"},
		"crd.yaml":      {"--crd=crd.yaml"},
		"crds/crd.yaml": {"--crd=crds"},
		"out/go.mod":    {"--output-pkg=example.com/out"},
	} {
		for _, device := range []bool{false, true} {
			dir := orderModule(t)
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if device {
				if err := os.Symlink("/dev/zero", file); err != nil {
					t.Fatal(err)
				}
			} else if err := syscall.Mkfifo(file, 0o644); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, dir)
			got := runTool(t, dir, append(args, "--output-dir=out", "./shop/...")...)
			reasons := []string{"not a regular file, but a named pipe", "not a regular file, but a device", "leads out of the output folder",
				"there is no go.mod above it", "has a CustomResourceDefinition"}
			said := false
			for _, reason := range reasons {
				said = said || strings.Contains(got.stderr, reason)
			}
			if got.code != exitFailed || !said || !strings.Contains(got.stderr, filepath.Dir(name)) && !strings.Contains(got.stderr, name) {
				t.Errorf("%s, device %v: exit code %d, stderr %s", name, device, got.code, got.stderr)
			}
			if after := snapshot(t, dir); after != before {
				t.Errorf("%s: the disk has changed", name)
			}
		}
	}
}

// TestSignalRestores ends a migration after its first changes, by a signal or as no one reads its output any more, and requires the
// tree as it was.
func TestSignalRestores(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"SIGINT": syscall.SIGINT, "SIGHUP": syscall.SIGHUP, "closed pipe": 0} {
		t.Run(name, func(t *testing.T) {
			if signal == syscall.SIGHUP && ossignal.Ignored(signal) {
				t.Skip("the test runs under nohup")
			}
			testSignalRestores(t, signal)
		})
	}
}

func testSignalRestores(t *testing.T, signal syscall.Signal) {
	dir, clone := migrated(t, nil)
	before := contents(t, dir)
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), executable, "migrate", "--clone="+clone)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asTool+"=1", "PWD="+dir, "GOPROXY=off", "GOFLAGS=", "GOWORK=off", "GORACE=atexit_sleep_ms=0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for lines, signaled := bufio.NewScanner(stderr), false; lines.Scan(); {
		text.WriteString(lines.Text() + "\n")
		if !signaled && strings.HasPrefix(lines.Text(), "informer-gen: go mod tidy") {
			signaled = true
			if signal == 0 {
				_ = stderr.Close()
				break
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitFailed || signal != 0 && !strings.Contains(text.String(), "The tree is as it was") {
		t.Errorf("the run ends with %v: %s", err, text.String())
	}
	if contents(t, dir) != before {
		t.Error("the tree has changed")
	}
}
