package write

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// asWriter makes the test binary a process that writes killedOutput to the folder in the variable.
const asWriter = "INFORMER_GEN_TEST_AS_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asWriter); dir != "" {
		plan, err := NewPlan(context.Background(), killedOutput(dir, 2))
		if err == nil {
			err = plan.Apply(context.Background())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// killedFiles is large enough that a process is killed before it has written all files.
const killedFiles = 400

// killedOutput has one of two generations of many files. Half of the files are in both, a quarter only in
// the first, and a quarter only in the second.
func killedOutput(dir string, generation int) Output {
	output := Output{Dir: dir, Roots: []string{"root"}, Header: header, Files: map[string][]byte{}}
	for n := range killedFiles {
		if kind := n % 4; kind >= 2 || kind == generation-1 {
			output.Files[killedFile(n)] = killedContent(generation, n)
		}
	}
	return output
}

func killedFile(n int) string { return fmt.Sprintf("root/%d/file%05d.go", n%4, n) }

func killedContent(generation, n int) []byte {
	return []byte(ours(strings.Repeat(fmt.Sprintf("// generation %d of %d\n", generation, n), 10)))
}

// TestKilled kills a process at several points while it writes. Each file then has its whole old or new
// content, and the next run completes the changes.
func TestKilled(t *testing.T) {
	for _, test := range []struct {
		name string
		// until says whether the time has come.
		until func(dir string) bool
	}{
		{"at the first temporary file", func(dir string) bool { return len(temporaries(t, filepath.Join(dir, "root/2"))) > 0 }},
		{"at the first file", func(dir string) bool { return hasGeneration(dir, 2, 2) }},
		{"in the middle", func(dir string) bool { return hasGeneration(dir, 2, killedFiles/2+2) }},
		{"at the last file", func(dir string) bool { return hasGeneration(dir, 2, killedFiles-1) }},
		{"at the first deletion", func(dir string) bool { return !exists(filepath.Join(dir, killedFile(0))) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			apply(t, killedOutput(dir, 1))
			writer := startWriter(t, dir)
			ended := make(chan struct{})
			var exit error
			go func() {
				exit = writer.Wait()
				close(ended)
			}()
			for !test.until(dir) && !isClosed(ended) {
			}
			_ = writer.Process.Kill()
			<-ended
			if exit == nil { // on a machine that runs the one and not the other
				t.Log("the process was done before it was killed")
			}
			oldOnes, newOnes := checkWhole(t, dir)
			left := temporaries(t, dir)
			t.Logf("%d files are old, %d are new, and %d are temporary", oldOnes, newOnes, len(left))
			makeOld(t, left)
			apply(t, killedOutput(dir, 2))
			if oldOnes, newOnes := checkWhole(t, dir); oldOnes != 0 || newOnes != killedFiles*3/4 {
				t.Errorf("after the next run %d files are old, and %d are new", oldOnes, newOnes)
			}
			if left := temporaries(t, dir); len(left) > 0 {
				t.Errorf("after the next run there is still %s, and %d in all", left[0], len(left))
			}
		})
	}
}

func isClosed(ended <-chan struct{}) bool {
	select {
	case <-ended:
		return true
	default:
		return false
	}
}

func startWriter(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), executable)
	cmd.Env, cmd.Stderr = append(os.Environ(), asWriter+"="+dir), os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func apply(t *testing.T, output Output) {
	t.Helper()
	plan, err := NewPlan(t.Context(), output)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// checkWhole counts the files of each generation, and reports any other content.
func checkWhole(t *testing.T, dir string) (oldOnes, newOnes int) {
	t.Helper()
	for n := range killedFiles {
		content, err := os.ReadFile(filepath.Join(dir, killedFile(n)))
		switch {
		case errors.Is(err, fs.ErrNotExist) && n%4 < 2: // is made, or is deleted
		case err != nil:
			t.Error(err)
		case bytes.Equal(content, killedContent(1, n)):
			oldOnes++
		case bytes.Equal(content, killedContent(2, n)):
			newOnes++
		default:
			t.Errorf("%s is neither the old one nor the new one: %d bytes", killedFile(n), len(content))
		}
	}
	return oldOnes, newOnes
}

func hasGeneration(dir string, generation, n int) bool {
	content, err := os.ReadFile(filepath.Join(dir, killedFile(n)))
	return err == nil && bytes.Equal(content, killedContent(generation, n))
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

func temporaries(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(file), ".informer-gen-") {
			files = append(files, file)
		}
		if errors.Is(err, fs.ErrNotExist) { // it has got its name by now
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// makeOld renames temporary files as if the run had been two hours ago.
func makeOld(t *testing.T, files []string) {
	t.Helper()
	then := fmt.Sprintf(".informer-gen-%d-", time.Now().Add(-2*time.Hour).Unix())
	for _, file := range files {
		name := regexp.MustCompile(`^\.informer-gen-\d+-`).ReplaceAllString(filepath.Base(file), then)
		if err := os.Rename(file, filepath.Join(filepath.Dir(file), name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestIsAbandoned(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for name, want := range map[string]bool{
		".informer-gen-1799990000-123":         true,
		".informer-gen-0-1":                    true,
		".informer-gen-1799996400-123":         false, // an hour ago
		".informer-gen-1800000000-123":         false,
		".informer-gen-1900000000-123":         false, // of a clock that is ahead
		".informer-gen-123":                    false,
		".informer-gen-1799990000-":            false,
		".informer-gen-1799990000-1.go":        false,
		"informer-gen-1799990000-123":          false,
		".informer-gen-notes":                  false,
		".informer-gen-99999999999999999999-1": false,
	} {
		if got := isAbandoned(name, now); got != want {
			t.Errorf("isAbandoned(%q) = %v", name, got)
		}
	}
}

// TestAbandoned deletes the temporary files of a killed run, even if there is nothing to write. It keeps
// files that may belong to another run or to a user.
func TestAbandoned(t *testing.T) {
	name := func(age time.Duration) string {
		return fmt.Sprintf(".informer-gen-%d-1", time.Now().Add(-age).Unix())
	}
	d := newDisk(t, map[string]string{
		"root/a.go":                        ours("1"),
		"root/" + name(2*time.Hour):        "half of a fi",
		"root/new/" + name(2*time.Hour):    "left in a folder of its own",
		"root/" + name(time.Minute):        "of another run",
		"other/" + name(2*time.Hour):       "not in our folders",
		name(2 * time.Hour):                "not in our folders",
		"root/.informer-gen-notes":         "of the user",
		"root/" + name(3*time.Hour) + "/x": "a folder of that name",
	})
	before := d.String()
	p := d.plan(map[string]string{"root/a.go": ours("1")})
	if len(p.Changes) != 0 || d.String() != before {
		t.Errorf("the plan changes %v, or has changed the disk", p.Changes)
	}
	if err := p.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"root/" + name(2*time.Hour), "root/new"} {
		if exists(filepath.Join(d.output.Dir, file)) {
			t.Errorf("%s is still there", file)
		}
	}
	if left := temporaries(t, d.output.Dir); len(left) != 5 {
		t.Errorf("there are %d temporary files, want 5: %v", len(left), left)
	}
}
