package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const widgets = "/apis/example.com/v1/namespaces/default/widgets"

// TestRun creates a Widget as its CRD allows, and one as it does not. A Deployment goes with the Widget that owns it.
func TestRun(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	output, stdout := io.Pipe()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	done := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"--kubeconfig", kubeconfig, "--crds", "../../../testserver/testdata"}, stdout)
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
	if !ok || lines[2] != "serves      widgets.example.com" {
		t.Fatalf("printed %q, want the URL, the kubeconfig and the CRD", lines)
	}
	send := func(method, path, body string, want int) (answer metav1.PartialObjectMetadata) {
		t.Helper()
		request, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		content, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != want {
			t.Fatalf("%s %s is %s, %v, want %d:\n%s", method, path, response.Status, err, want, content)
		}
		if err := json.Unmarshal(content, &answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	send("POST", widgets, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "bad"}, "spec": {"size": "x"}}`, http.StatusUnprocessableEntity)
	owner := send("POST", widgets, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "good"}, "spec": {"size": 1}}`, http.StatusCreated)
	const deployments = "/apis/apps/v1/namespaces/default/deployments"
	send("POST", deployments, `{"metadata": {"name": "owned", "ownerReferences": [{"apiVersion": "example.com/v1", "kind": "Widget", "name": "good", "uid": "`+string(owner.UID)+`"}]}}`, http.StatusCreated)
	send("DELETE", widgets+"/good", "", http.StatusOK)
	send("GET", deployments+"/owned", "", http.StatusNotFound)
	if _, err := os.Stat(kubeconfig); err != nil {
		t.Error(err)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, args := range [][]string{{"stray"}, {"--crds", "missing"}, {"--address", "0.0.0.0:0"}, {"--address", "127.0.0.1"}, {"--unknown"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("run %q succeeds", args)
		}
	}
	if err := run(t.Context(), []string{"--help"}, io.Discard); err != nil {
		t.Errorf("--help: %v", err)
	}
}
