package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"testing"

	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
)

// TestDemo plays the demo with few databases to its end. What it prints is for a person to judge,
// besides that each fault is there, and that all databases found a process after it.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	var printed bytes.Buffer
	demo.Output = io.MultiWriter(os.Stdout, &printed)
	t.Cleanup(func() { demo.Output = os.Stdout })
	if err := run(t.Context(), "../../..", 60); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`kill -9 +p2`, `SIGSTOP +p1`, `SIGCONT +p1`, `SIGTERM +p4`, `p1 +- .*no one +0`, `p2 +- .*p4 +[1-9]\d* .*no one +0`} {
		if !regexp.MustCompile(want).MatchString(printed.String()) {
			t.Errorf("the demo does not print %s", want)
		}
	}
}
