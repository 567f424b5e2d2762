package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestErrors runs the tool on each case of testdata/errors: a module with a mistake, the arguments if they
// are not the usual ones, and the messages. The tool must fail and leave the disk unchanged.
func TestErrors(t *testing.T) {
	cases, err := filepath.Glob("../../testdata/errors/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			testError(t, file)
		})
	}
}

func testError(t *testing.T, file string) {
	files := map[string]string{"go.mod": "module example.com/mod\n\ngo 1.25.0\n"}
	dir, archive, args := caseModule(t, file, files, "./...")
	before := snapshot(t, dir)

	got := runTool(t, dir, append([]string{"--output-dir=out"}, args...)...)
	isUsage := strings.HasSuffix(got.stderr, seeHelp+"\n")
	want := exitFailed
	if isUsage {
		want = exitUsage
	}
	if got.code != want || got.stdout != "" {
		t.Errorf("exit code %d, stdout %q; want exit code %d and nothing", got.code, got.stdout, want)
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("the disk has changed:\n%s", after)
	}
	message := strings.ReplaceAll(got.stderr, dir+string(filepath.Separator), "")
	message = strings.ReplaceAll(message, dir, ".")
	compareArchive(t, file, archive, map[string]string{"want.txt": message})
	checkShape(t, strings.TrimSuffix(message, seeHelp+"\n"))
}

// position matches the beginning of a message about a line of the input.
var position = regexp.MustCompile(`^\S+\.(go|txt|mod):\d+:\d+: `)

// checkShape checks that each message about the input begins with its position, and has a fix after a
// semicolon.
func checkShape(t *testing.T, message string) {
	for line := range strings.Lines(message) {
		if strings.Contains(line, ".go:") && !position.MatchString(line) && !strings.Contains(line, ".go: ") {
			t.Errorf("a message about a file does not begin with file:line:col: %s", line)
		}
		if !strings.Contains(line, "; ") && !strings.HasPrefix(line, "\t") {
			t.Errorf("a message does not say what to do: %s", line)
		}
	}
}

// snapshot returns the names, sizes, times and content of all files below dir.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b bytes.Buffer
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v %v\n", file, info.Mode(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(file)
			fmt.Fprintf(&b, "%x\n", content)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
