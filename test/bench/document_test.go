package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestReplaceSection(t *testing.T) {
	const before = "# Title\n<!-- bench:one -->\nold\n<!-- /bench:one -->\nbetween\n<!-- bench:two -->\n<!-- /bench:two -->\n"
	const want = "# Title\n<!-- bench:one -->\nnew\n<!-- /bench:one -->\nbetween\n<!-- bench:two -->\n<!-- /bench:two -->\n"
	for _, document := range []string{before, want} {
		if got, err := replaceSection([]byte(document), "one", "new\n"); err != nil || string(got) != want {
			t.Errorf("%v, it is now:\n%s", err, got)
		}
	}
	for _, document := range []string{"", "<!-- bench:one -->\n", "<!-- /bench:one -->\n<!-- bench:one -->\n"} {
		if got, err := replaceSection([]byte(document), "one", "new\n"); err == nil {
			t.Errorf("%q has become %q", document, got)
		}
	}
}

func TestProvenance(t *testing.T) {
	got := rounds([]Row{{Objects: 1000, Rounds: 3}, {Objects: 1000, Rounds: 3}, {Objects: 1_000_000, Rounds: 1}})
	if want := "3 rounds with 1,000 objects, one round with 1,000,000 objects"; got != want {
		t.Errorf("%q", got)
	}
	for want, args := range map[string][]string{
		"make bench":      {"--repo=..", "--write"},
		"make bench-kube": {"--only=kube", "--write"},
		`make bench ARGS="--only=memory --sizes=1000"`: {"--repo=..", "--write", "--only=memory", "--sizes=1000"},
	} {
		before := append([]string(nil), args...)
		if got := commandLine(args); got != want || !reflect.DeepEqual(args, before) {
			t.Errorf("%q of %q", got, args)
		}
	}
}

// TestOverviews compares the tables of docs/benchmarks.md with results.json.
func TestOverviews(t *testing.T) {
	repo := filepath.Join("..", "..")
	document, err := os.ReadFile(filepath.Join(repo, "docs", "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("results.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []Row
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, s := range overviews {
		table, err := s.markdown(options{repo: repo}, all)
		if err != nil {
			t.Error(err)
			continue
		}
		changed, err := replaceSection(document, s.name, table)
		if err != nil {
			t.Errorf("docs/benchmarks.md: %v", err)
		} else if !bytes.Equal(changed, document) {
			t.Errorf("the table %s of docs/benchmarks.md does not have the figures of results.json; it should be\n%s", s.name, table)
		}
	}
}
