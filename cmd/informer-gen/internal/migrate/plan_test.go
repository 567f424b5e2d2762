package migrate

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the plans in testdata")

// TestPlans compares the plan of each project in testdata, and the files that it edits, with those in the same archive. The comment of
// an archive has the options.
func TestPlans(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			kept := archive.Files[:0:0]
			dir := t.TempDir()
			for _, file := range archive.Files {
				if !strings.HasPrefix(file.Name, "want") {
					kept = append(kept, file)
					writeFile(t, filepath.Join(dir, file.Name), file.Data)
				}
			}
			comment := string(archive.Comment)
			got := txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: append(kept, planned(t, filepath.Join(dir, optionOf(comment, "dir")), Options{
				Informers: optionOf(comment, "informers"), Clone: optionOf(comment, "clone"), ControllerRuntime: strings.Contains(comment, "--controller-runtime"),
			})...)})
			if *update {
				if err := os.WriteFile(name, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("run the test with -update, and check the difference:\n%s", got)
			}
		})
	}
}

// TestParts holds the modules that --clone replaces against those of the page for users.
func TestParts(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "for part in \"\"" + strings.Join(parts, " ") + "; do\n"
	if !strings.Contains(string(page), want) {
		t.Errorf("docs/install.md has no line %s", want)
	}
}

// TestLowestGo compares the version of Go that a plan announces with go.mod.
func TestLowestGo(t *testing.T) {
	text, err := os.ReadFile("../../../../go.mod")
	if err != nil || !strings.Contains(string(text), "\ngo "+lowestGo+"\n") {
		t.Errorf("go.mod has no line go %s: %v", lowestGo, err)
	}
}

// optionOf returns the value of an option in the comment of an archive.
func optionOf(comment, name string) string {
	_, rest, _ := strings.Cut(comment, "--"+name+"=")
	if fields := strings.Fields(rest); len(fields) > 0 {
		return fields[0]
	}
	return ""
}

// planned returns the printed plan and the edited files.
func planned(t *testing.T, dir string, o Options) []txtar.File {
	t.Helper()
	var out bytes.Buffer
	o.Dir, o.DryRun, o.Out = dir, true, &out
	if err := Run(t.Context(), o); err != nil {
		out.WriteString("error: " + err.Error() + "\n")
		return []txtar.File{{Name: "want", Data: out.Bytes()}}
	}
	p, err := read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	decide := decide
	if o.ControllerRuntime {
		decide = decideManagers
	}
	plan, err := decide(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	files := []txtar.File{{Name: "want", Data: out.Bytes()}}
	changed := map[string][]byte{}
	for file, edits := range byFile(plan.edits) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed[file] = edited(text, edits)
		if filepath.Ext(file) == ".go" {
			if changed[file], err = format.Source(changed[file]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, change := range plan.goMods {
		changed[filepath.Join(change.module.dir, "go.mod")] = change.text
	}
	if err := eachFile(dir, func(path string) error {
		if text, ok := changed[path]; ok {
			files = append(files, txtar.File{Name: "want/" + p.relative(path), Data: text})
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}
