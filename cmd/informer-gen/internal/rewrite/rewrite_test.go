package rewrite

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata")

// TestModule compares the rewritten files of a module with those in the same archive, and with a second run.
func TestModule(t *testing.T) {
	const name = "testdata/informers.txtar"
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "off")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	kept := slices.DeleteFunc(slices.Clone(archive.Files), func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want") })
	for _, file := range kept {
		path := filepath.Join(dir, file.Name)
		if err := errorsOf(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, file.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if problems, err := Problems(t.Context(), dir); err != nil || len(problems) > 0 {
		t.Fatalf("the module does not compile before: %v, %v", problems, err)
	}
	result, err := Module(t.Context(), dir, []string{"example.com/shop/client"})
	if err != nil {
		t.Fatal(err)
	}
	if !result.UsesAdapter {
		t.Error("no edit uses the adapters")
	}
	var notes strings.Builder
	for _, note := range result.Notes {
		fmt.Fprintf(&notes, "%s:%d: %s\n", strings.TrimPrefix(note.File, dir+"/"), note.Line, note.Text)
	}
	got := append(kept, txtar.File{Name: "want", Data: []byte(notes.String())})
	byFile := map[string][]Edit{}
	for _, e := range result.Edits {
		byFile[e.File] = append(byFile[e.File], e)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		got = append(got, txtar.File{Name: "want/" + strings.TrimPrefix(file, dir+"/"), Data: rewritten(t, file, byFile[file])})
	}
	text := txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: got})
	if *update {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || !bytes.Equal(text, want) {
		t.Errorf("run the test with -update, and check the difference: %v\n%s", err, text)
	}
}

func rewritten(t *testing.T, file string, edits []Edit) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(b.Start, a.Start) })
	for _, e := range edits {
		text = slices.Concat(text[:e.Start], []byte(e.Text), text[e.End:])
	}
	formatted, err := format.Source(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return formatted
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
