// Package demo is what the demos share: how they print, and what they hear of the kinds of examples/operator and do with them.
package demo

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Output is where a demo prints to.
var Output io.Writer = os.Stdout

// Say prints one line of a demo: what it is about, and what happened.
func Say(topic, format string, args ...any) {
	fmt.Fprintf(Output, "%-10s %s\n", topic, fmt.Sprintf(format, args...))
}

// Seconds returns the time since a moment, to print.
func Seconds(since time.Time) string { return fmt.Sprintf("%.1f s", time.Since(since).Seconds()) }

// NewFolder makes an empty folder for a demo in the build folder of the repository. It removes that of an earlier demo.
func NewFolder(repo, name string) (path string, err error) {
	path = filepath.Join(repo, "build", name)
	if err := errors.Join(os.RemoveAll(path), os.MkdirAll(path, 0o755)); err != nil {
		return "", fmt.Errorf("cannot make a new folder for the demo: %w", err)
	}
	return path, nil
}
