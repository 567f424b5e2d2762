package write

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// twoFolders returns the outputs of a run that writes to an output folder and to a package folder, and the
// disk with the files of an earlier run.
func twoFolders(t *testing.T) (*disk, []Output) {
	d := newDisk(t, map[string]string{"root/a.go": ours("1")})
	d.write("api/types.go", "package p\n")
	d.write("api/sub/zz_generated.copy.go", ours("1"))
	d.write("api/zz_generated.copy.go", ours("1"))
	d.write("api/zz_generated.register.go", ours("1"))
	d.output.Files["root/a.go"] = []byte(ours("2"))
	return d, []Output{d.output, {
		Dir: filepath.Join(d.dir, "api"), DisplayDir: "api", Header: header,
		Owned: map[string]string{"zz_generated.copy.go": "remove --copy", "zz_generated.register.go": "remove --register"},
		Files: map[string][]byte{"zz_generated.copy.go": []byte(ours("2"))},
	}}
}

// TestFolders checks that a plan covers all folders, and that files of the generator in a package folder
// are deleted only if they are stale and have the header.
func TestFolders(t *testing.T) {
	d, outputs := twoFolders(t)
	plan, err := NewPlan(t.Context(), outputs...)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range plan.Changes {
		got = append(got, fmt.Sprintf("%s %t", c.DisplayPath, c.New != nil))
	}
	if want := []string{"root/a.go true", "api/zz_generated.copy.go true", "api/zz_generated.register.go false"}; !slices.Equal(got, want) {
		t.Errorf("the changes are %q, want %q", got, want)
	}
	diff, err := plan.Diff()
	if err != nil || strings.Count(diff, "+++ ") != 3 || !strings.Contains(diff, "--- a/api/zz_generated.register.go\n+++ /dev/null\n") {
		t.Errorf("Diff returned %v:\n%s", err, diff)
	}
	if err := plan.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"out/root/a.go": ours("2"), "api/types.go": "package p\n", "api/sub/zz_generated.copy.go": ours("1"), "api/zz_generated.copy.go": ours("2"), "api/zz_generated.register.go": "",
	} {
		if content, err := os.ReadFile(filepath.Join(d.dir, name)); string(content) != want || (err != nil) != (want == "") {
			t.Errorf("%s has %q (%v), want %q", name, content, err, want)
		}
	}
	before := d.String()
	if plan, err = NewPlan(t.Context(), outputs...); err != nil || len(plan.Changes) > 0 || plan.Unchanged != 2 {
		t.Errorf("the second plan has %d changes and %d other files (%v)", len(plan.Changes), plan.Unchanged, err)
	}
	if err := plan.Apply(t.Context()); err != nil || d.String() != before {
		t.Errorf("the second run returned %v, and the disk was\n%s\nand is\n%s", err, before, d)
	}
}

// TestFoldersFail makes Apply fail in one of two folders, after the other one was changed as far as it can be.
// Neither may change.
func TestFoldersFail(t *testing.T) {
	for name, inTheWay := range map[string]string{
		"a file of the package is a folder":       "api/zz_generated.copy.go",
		"a stale file of the package is a folder": "api/zz_generated.register.go",
		"a file of the output is a folder":        "out/root/a.go",
		"the package is a file":                   "api",
	} {
		t.Run(name, func(t *testing.T) {
			d, outputs := twoFolders(t)
			plan, err := NewPlan(t.Context(), outputs...)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(d.dir, inTheWay)
			if err := os.RemoveAll(file); err != nil {
				t.Fatal(err)
			}
			if inTheWay == "api" {
				err = os.WriteFile(file, nil, 0o644)
			} else {
				err = os.MkdirAll(filepath.Join(file, "sub"), 0o755)
			}
			if err != nil {
				t.Fatal(err)
			}
			before := d.String()
			err = plan.Apply(t.Context())
			if err == nil || !strings.Contains(err.Error(), filepath.Join(d.dir, strings.Split(inTheWay, "/")[0])) || !strings.HasSuffix(err.Error(), "; nothing was changed") {
				t.Errorf("Apply returned %v", err)
			}
			if after := d.String(); after != before {
				t.Errorf("the disk was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// TestFoldersStop ends the context after each step of Apply. Until the last change, no folder may change.
func TestFoldersStop(t *testing.T) {
	for steps := 0; ; steps++ {
		d, outputs := twoFolders(t)
		plan, err := NewPlan(t.Context(), outputs...)
		if err != nil {
			t.Fatal(err)
		}
		before := d.String()
		err = plan.Apply(&stopping{t.Context(), steps})
		if err == nil {
			if steps < 8 { // three changes are staged and replaced, or removed
				t.Errorf("Apply has checked the context only %d times", steps)
			}
			return
		}
		if !strings.HasSuffix(err.Error(), "; nothing was changed") || d.String() != before {
			t.Fatalf("after %d steps Apply returned %v, and the disk was\n%s\nand is\n%s", steps, err, before, d)
		}
	}
}

// stopping is a context that ends after a number of calls of Err.
type stopping struct {
	context.Context
	left int
}

func (c *stopping) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestOwnedIsForeign checks the message about a file of another generator in a package folder.
func TestOwnedIsForeign(t *testing.T) {
	d, outputs := twoFolders(t)
	d.write("api/zz_generated.copy.go", "// Code generated by controller-gen. DO NOT EDIT.\n\npackage p\n")
	d.write("api/zz_generated.register.go", "// Code generated by register-gen. DO NOT EDIT.\n\npackage p\n")
	_, err := NewPlan(t.Context(), outputs...)
	want := filepath.Join(d.dir, "api/zz_generated.copy.go") + ": this file would be overwritten, but was generated by another tool (controller-gen); " +
		"delete it to let informer-gen generate it, or remove --copy"
	if err == nil || err.Error() != want {
		t.Errorf("NewPlan returned %v\nwant %s", err, want)
	}
}

// TestHostileHeaders has files whose headers would end the quotes of the suggested command, or fill the message.
func TestHostileHeaders(t *testing.T) {
	for header, want := range map[string]string{
		"// Code generated by a'; touch ran; 'b. DO NOT EDIT.":                   `delete what it generated (grep -rlxF '// Code generated by a'\''; touch ran; '\''b. DO NOT EDIT.' `,
		"// Code generated by $(touch ran) `touch ran`. DO NOT EDIT.":            "(grep -rlxF '// Code generated by $(touch ran) `touch ran`. DO NOT EDIT.' ",
		"// Code generated by " + strings.Repeat("x", 10_000) + ". DO NOT EDIT.": "were generated by another tool: ",
	} {
		d := newDisk(t, nil)
		for _, name := range []string{"root/a.go", "root/b.go", "root/c.go", "root/d.go"} {
			d.write("out/"+name, header+"\n\npackage p\n")
			d.output.Files[name] = []byte(ours("1"))
		}
		_, err := NewPlan(t.Context(), d.output)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("NewPlan returned %.400v\nwant %s", err, want)
		}
	}
}

// TestOwnedTemporaries checks that a run removes the temporary files that a killed run left in a package
// folder, and leaves younger ones to their owners.
func TestOwnedTemporaries(t *testing.T) {
	d, outputs := twoFolders(t)
	old := fmt.Sprintf("api/%s%d-1", temporaryPrefix, time.Now().Add(-2*abandonedAfter).Unix())
	young := fmt.Sprintf("api/%s%d-1", temporaryPrefix, time.Now().Unix())
	d.write(old, "x")
	d.write(young, "x")
	plan, err := NewPlan(t.Context(), outputs...)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(d.dir, old)); !os.IsNotExist(err) {
		t.Errorf("the old temporary file is still there (%v)", err)
	}
	if _, err := os.Stat(filepath.Join(d.dir, young)); err != nil {
		t.Error(err)
	}
}

// TestPackageBelowRoot checks that files in a package folder are not stale for the output folder around it.
func TestPackageBelowRoot(t *testing.T) {
	d := newDisk(t, map[string]string{"root/a.go": ours("1"), "root/api/zz_generated.copy.go": ours("1"), "root/api/stale.go": ours("1")})
	d.output.Files["root/a.go"] = []byte(ours("1"))
	plan, err := NewPlan(t.Context(), d.output)
	if err != nil || len(plan.Changes) != 1 || plan.Changes[0].Path != "root/api/stale.go" {
		t.Errorf("NewPlan returned %v (%v)", plan.Changes, err)
	}
}

// TestPackageFolderUnreadable checks that the message names the folder and the flags.
func TestPackageFolderUnreadable(t *testing.T) {
	f := &folder{dir: "/api", owned: map[string]string{"zz_generated.copy.go": "remove --copy", "zz_generated.register.go": "remove --register"}}
	_, _, err := f.list(closedRoot(t), ".")
	if err == nil || !strings.HasSuffix(err.Error(), "; make the folder readable, or remove --copy and remove --register") {
		t.Errorf("list returned %v", err)
	}
}

func closedRoot(t *testing.T) *os.Root {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := root.Close(); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestLineEnds checks that a file with the line ends of Windows is up to date.
func TestLineEnds(t *testing.T) {
	d := newDisk(t, map[string]string{"root/a.go": strings.ReplaceAll(ours("1"), "\n", "\r\n"), "root/b.go": strings.ReplaceAll(ours("old"), "\n", "\r\n")})
	p := d.plan(map[string]string{"root/a.go": ours("1"), "root/b.go": ours("new")})
	if p.Unchanged != 1 || len(p.Changes) != 1 || p.Changes[0].Path != "root/b.go" {
		t.Errorf("%d files are unchanged, and the changes are %v", p.Unchanged, p.Changes)
	}
}

// TestLetterCase checks that a file is not deleted if the run writes it under a name with other letter case.
// On a file system that distinguishes case, a second link is the same file under another name.
func TestLetterCase(t *testing.T) {
	d := newDisk(t, map[string]string{"root/order.go": ours("1"), "root/shop/STALE.go": ours("1"), "root/shop/stale.go": ours("2")})
	name := filepath.Join(d.output.Dir, "root", "Order.go")
	if err := os.Link(filepath.Join(d.output.Dir, "root", "order.go"), name); err != nil && !os.IsExist(err) {
		t.Skipf("no links: %v", err)
	}
	p := d.plan(map[string]string{"root/order.go": ours("1"), "root/shop/stale.go": ours("2")})
	var changed []string
	for _, c := range p.Changes {
		changed = append(changed, c.Path)
	}
	// Here the other file is stale, unless the file system has only one of the two.
	want := []string{"root/shop/STALE.go"}
	if entries, err := os.ReadDir(filepath.Join(d.output.Dir, "root", "shop")); err == nil && len(entries) == 1 {
		want = nil
	}
	if !slices.Equal(changed, want) {
		t.Errorf("the run would change %q, want %q", changed, want)
	}
}
