//go:build unix

package write

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

const leadsOut = "this symbolic link leads out of the output folder, or its target does not exist"

// link makes a symbolic link below the folder of the disk.
func (d *disk) link(target, name string) {
	d.t.Helper()
	file := filepath.Join(d.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.Symlink(target, file)); err != nil {
		d.t.Fatal(err)
	}
}

// TestLinks checks that each link out of the output folder is an error before anything is written.
func TestLinks(t *testing.T) {
	for _, test := range []struct{ name, target, link, want string }{
		{"of a folder, to outside", "../../elsewhere", "out/root/sub", "out/root/sub: " + leadsOut},
		{"of the first folder", "../elsewhere", "out/root", "out/root: " + leadsOut},
		{"that is absolute", "/", "out/root/sub", "out/root/sub: " + leadsOut},
		{"of a folder, to nothing", "nothing", "out/root/sub", "out/root/sub: " + leadsOut},
		{"of a folder, to itself", "sub", "out/root/sub", "out/root/sub: " + leadsOut},
		{"of a folder, to a file", "../file.go", "out/root/sub", "out/root/sub: this is a file, but a folder is needed here"},
		{"of a file, to outside", "../../../elsewhere/b.go", "out/root/sub/b.go", "out/root/sub/b.go: " + leadsOut},
		{"of a file, to nothing outside", "../../../elsewhere/c.go", "out/root/sub/b.go", "out/root/sub/b.go: " + leadsOut},
		{"of a file, to a device", "/dev/zero", "out/root/sub/b.go", "out/root/sub/b.go: " + leadsOut},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDisk(t, map[string]string{"file.go": ours("var f = 1")})
			d.write("elsewhere/b.go", ours("var b = 1"))
			d.link(test.target, test.link)
			for _, name := range []string{"root/sub/a.go", "root/sub/b.go"} {
				d.output.Files[name] = []byte(ours("var b = 2"))
			}
			before := d.String()
			_, err := NewPlan(t.Context(), d.output)
			if err == nil || strings.Count(err.Error(), "\n") != 0 || !strings.HasPrefix(err.Error(), filepath.Join(d.dir, test.want)) {
				t.Errorf("the error is %v, want %s", err, test.want)
			}
			if after := d.String(); after != before {
				t.Errorf("the disk was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// TestFollowedLinks uses links to and above the output folder, and links inside it.
func TestFollowedLinks(t *testing.T) {
	d := newDisk(t, map[string]string{"there/b.go": ours("var b = 1"), "root/a.go": ours("var a = 1"), "gone.go": ours("")})
	d.write("elsewhere/left.go", ours(""))
	d.link("../there", "out/root/sub")
	d.link("../gone.go", "out/root/left.go")    // is no file of ours, but a link
	d.link("../../elsewhere", "out/root/other") // nothing is written to it
	d.link("..", "up/again")
	d.link("again/out", "up/output")
	d.output.Dir = filepath.Join(d.dir, "up/output")
	plan := d.plan(map[string]string{"root/a.go": ours("var a = 2"), "root/sub/b.go": ours("var b = 2"), "root/sub/new/c.go": ours("var c = 2")})
	if len(plan.Changes) != 3 {
		t.Errorf("the changes are %v", plan.Changes)
	}
	if err := plan.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"out/root/a.go", "out/there/b.go", "out/there/new/c.go"} {
		content, err := os.ReadFile(filepath.Join(d.dir, name))
		if err != nil || !strings.Contains(string(content), " = 2") {
			t.Errorf("%s is %q, %v", name, content, err)
		}
	}
	if !exists(filepath.Join(d.dir, "elsewhere/left.go")) {
		t.Error("a file outside the output folder is deleted")
	}
}

// TestLinkAfterPlan replaces a folder by a link to the outside between the plan and Apply, for each file of
// the plan. Nothing outside may change.
func TestLinkAfterPlan(t *testing.T) {
	for _, folder := range []string{"root", "root/sub", "root/old", "root/abandoned"} {
		t.Run(folder, func(t *testing.T) {
			const abandoned = ".informer-gen-1000000000-1"
			files := map[string]string{
				"root/a.go": ours("var a = 1"), "root/sub/b.go": ours("var b = 1"), "root/old/left.go": ours("var left = 1"),
				"root/abandoned/" + abandoned: "half",
			}
			d := newDisk(t, files)
			for name := range files {
				d.write(filepath.Join("elsewhere", name), "of another user")
			}
			plan := d.plan(map[string]string{"root/a.go": ours("var a = 2"), "root/sub/b.go": ours("var b = 2"), "root/sub/new/c.go": ours("var c = 2")})
			if err := os.RemoveAll(filepath.Join(d.output.Dir, folder)); err != nil {
				t.Fatal(err)
			}
			d.link(filepath.Join(d.dir, "elsewhere", folder), filepath.Join("out", folder))
			want := d.String()
			err := plan.Apply(t.Context())
			if folder == "root/abandoned" { // which is removed if that is possible
				if err != nil || !exists(filepath.Join(d.dir, "elsewhere", folder, abandoned)) {
					t.Errorf("Apply returned %v, or has deleted a file outside", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), "path escapes from parent") || !strings.Contains(err.Error(), "nothing was changed") {
				t.Errorf("Apply returned %v", err)
			}
			if got := d.String(); got != want {
				t.Errorf("the disk was\n%s\nand is\n%s", want, got)
			}
		})
	}
}

// TestNonUTF8Names uses a folder and files with names that only some systems accept.
func TestNonUTF8Names(t *testing.T) {
	d := newDisk(t, map[string]string{"root/a.go": ours("var a = 1")})
	for _, name := range []string{"out/root/\xff/\xfe\n.go", "out/root/\xfd.go"} {
		file := filepath.Join(d.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(ours("")), 0o644)); err != nil {
			t.Skip(err)
		}
	}
	if err := d.plan(map[string]string{"root/a.go": ours("var a = 2")}).Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(filepath.Join(d.output.Dir, "root")); err != nil || len(entries) != 1 {
		t.Errorf("the files are %v, %v", entries, err)
	}
}

// TestNotRegular uses special files and too large files where a file is replaced or may be stale.
func TestNotRegular(t *testing.T) {
	d := newDisk(t, nil)
	pipe, large := filepath.Join(d.output.Dir, "root/pipe.go"), filepath.Join(d.output.Dir, "root/large.go")
	d.write("out/root/large.go", "")
	for _, err := range []error{
		syscall.Mkfifo(pipe, 0o644),
		syscall.Mkfifo(filepath.Join(d.output.Dir, "root/other.go"), 0o644),
		os.Truncate(large, regular.MaxBytes+1),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	closeWhenOpened(t, pipe)
	for _, produced := range []bool{true, false} {
		wants := []string{large + ": cannot determine whether an earlier run wrote this file: it has 33554433 bytes"}
		if produced {
			d.output.Files["root/pipe.go"], d.output.Files["root/large.go"] = []byte(ours("")), []byte(ours(""))
			wants = []string{large + ": cannot read the file that would be replaced: it has 33554433 bytes",
				pipe + ": cannot read the file that would be replaced: it is not a regular file, but a named pipe"}
		} else {
			clear(d.output.Files)
		}
		_, err := NewPlan(t.Context(), d.output)
		lines := strings.Split(fmt.Sprint(err), "\n")
		if len(lines) != len(wants) {
			t.Fatalf("the errors are %v, want %v", err, wants)
		}
		for i, want := range wants {
			if !strings.HasPrefix(lines[i], want) || !strings.Contains(lines[i], "; move it away") {
				t.Errorf("error %d is %s, want %s", i, lines[i], want)
			}
		}
	}
}

// closeWhenOpened opens a pipe for writing, which waits for a reader, and closes it. So a reader that waits
// for a writer continues.
func closeWhenOpened(t *testing.T, pipe string) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if w, err := os.OpenFile(pipe, os.O_WRONLY, 0); err == nil {
			_ = w.Close()
		}
	}()
	t.Cleanup(func() {
		r, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Error(err)
		}
		<-ended
		_ = r.Close()
	})
}

// TestApplyStops ends the context of Apply before each step. The disk is unchanged until the last step, and
// complete after it.
func TestApplyStops(t *testing.T) {
	for steps, done := 0, false; !done; steps++ {
		d := newDisk(t, map[string]string{"root/a.go": ours("var a = 1"), "root/left.go": ours("var left = 1"), "root/b.go": ours("var b = 1")})
		plan := d.plan(map[string]string{"root/a.go": ours("var a = 2"), "root/b.go": ours("var b = 2"), "root/new/c.go": ours("var c = 2")})
		want := d.String()
		err := plan.Apply(&stopping{t.Context(), steps})
		if done = err == nil; done {
			if steps < 3+3+1 {
				t.Errorf("Apply has asked %d times whether to stop", steps)
			}
			continue
		}
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "nothing was changed") {
			t.Errorf("after %d steps Apply returned %v", steps, err)
		}
		if got := d.String(); got != want {
			t.Errorf("after %d steps the disk was\n%s\nand is\n%s", steps, want, got)
		}
	}
}

// TestPlanStops checks that a canceled NewPlan returns no plan.
func TestPlanStops(t *testing.T) {
	d := newDisk(t, map[string]string{"root/a.go": ours("var a = 1"), "root/left.go": ours("var left = 1")})
	d.output.Files["root/a.go"] = []byte(ours("var a = 2"))
	for steps := 0; ; steps++ {
		plan, err := NewPlan(&stopping{t.Context(), steps}, d.output)
		if err == nil {
			if len(plan.Changes) != 2 || steps < 3 {
				t.Errorf("after %d steps the changes are %v", steps, plan.Changes)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d steps the error is %v", steps, err)
		}
	}
}

// withUmask sets the umask of the process of startWriter, in octal.
const withUmask = "INFORMER_GEN_TEST_UMASK"

func init() {
	var mask int
	if n, _ := fmt.Sscanf(os.Getenv(withUmask), "%o", &mask); n == 1 {
		syscall.Umask(mask)
	}
}

// TestModes checks that new files and folders have the mode that the umask leaves, and that replaced files
// keep their mode.
func TestModes(t *testing.T) {
	for mask, want := range map[string]struct{ file, folder os.FileMode }{"077": {0o600, 0o700}, "022": {0o644, 0o755}, "002": {0o664, 0o775}} {
		dir := filepath.Join(t.TempDir(), "out")
		const replaced, restricted = 3, 7 // killedFile(n) of n%4 == 3 is in both generations
		for n, mode := range map[int]os.FileMode{replaced: 0o666, restricted: 0o640} {
			file := filepath.Join(dir, killedFile(n))
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, killedContent(1, n), mode), os.Chmod(file, mode)); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv(withUmask, mask)
		if err := startWriter(t, dir).Wait(); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]os.FileMode{
			killedFile(1): want.file, "root/1": want.folder | os.ModeDir,
			killedFile(replaced): 0o666, killedFile(restricted): 0o640, "root/3": 0o755 | os.ModeDir,
		} {
			info, err := os.Lstat(filepath.Join(dir, name))
			if err != nil || info.Mode() != want {
				t.Errorf("under umask %s %s has the mode %v, want %v; %v", mask, name, info.Mode(), want, err)
			}
		}
	}
}
