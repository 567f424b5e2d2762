package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	output, stdout := io.Pipe()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	done := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"--kubeconfig", kubeconfig, "--crds", "../../../testserver/testdata", "--built-in", "v1/Service", "--built-in=apps/v1/Deployment"}, stdout, io.Discard)
		_ = stdout.Close()
		done <- err
	}()

	var lines []string
	for scanner := bufio.NewScanner(output); scanner.Scan(); {
		lines = append(lines, scanner.Text())
		if scanner.Text() == "Ctrl-C stops it." {
			break
		}
	}
	if len(lines) == 0 {
		t.Fatal(<-done)
	}
	url, ok := strings.CutPrefix(lines[0], "API server  ")
	if !ok {
		t.Fatalf("printed %q first, want the URL", lines[0])
	}
	for _, path := range []string{"/apis/example.com/v1/widgets", "/api/v1/services", "/apis/apps/v1/deployments"} {
		response, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s answers %s", path, response.Status)
		}
	}
	if _, err := os.Stat(kubeconfig); err != nil {
		t.Error(err)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, args := range [][]string{{"stray"}, {"--crds", "missing"}, {"--address", "0.0.0.0:0"}, {"--unknown"}, {"--built-in=Service"}, {"--built-in=apps/v1/Nothing"}, {"--built-in="}} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("run %q succeeds", args)
		}
	}
	if err := run(t.Context(), []string{"--help"}, io.Discard, io.Discard); err != nil {
		t.Errorf("--help: %v", err)
	}
}
