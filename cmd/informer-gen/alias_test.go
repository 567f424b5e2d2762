package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAliases makes aliases of the kinds in each case of testdata/aliases, and compares the file and the
// messages.
func TestAliases(t *testing.T) {
	cases, err := filepath.Glob("../../testdata/aliases/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			testAlias(t, file)
		})
	}
}

func testAlias(t *testing.T, file string) {
	dir, archive, args := dependencyModule(t, file)
	got := runTool(t, dir, args...)
	if got.code != exitOK || got.stdout != "" {
		t.Fatalf("exit code %d, stdout %q, stderr %s", got.code, got.stdout, got.stderr)
	}
	found, err := filepath.Glob(filepath.Join(dir, "api/*/v1/aliases.go"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d files of aliases: %v", len(found), err)
	}
	content, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	compareArchive(t, file, archive, map[string]string{"want.txt": got.stderr, "want.go": string(content)})

	// The user's changes must not be lost.
	if again := runTool(t, dir, args...); again.code != exitFailed || !strings.Contains(again.stderr, "already exists") {
		t.Errorf("a second run: exit code %d, %s", again.code, again.stderr)
	}
	generated := runTool(t, dir, "--output-dir=out", "./api/...")
	if generated.code != exitOK {
		t.Errorf("aliases cannot be generated for: %s", generated.stderr)
	}
}

func TestAliasesOfNothing(t *testing.T) {
	dir := orderModule(t)
	for args, want := range map[string]string{
		"--alias-package=api/v1 ./empty":                "has no type that can be a kind",
		"--alias-package=api/v1 ./...":                  "matches 2 packages",
		"--alias-package=api/v2 ./shop/v1":              "but the version of package example.com/mod/shop/v1 is v1",
		"--alias-package=shop/v1 ./shop/v1":             "is the folder of package example.com/mod/shop/v1 itself",
		"--alias-package=api/my-shop ./shop/v1":         "does not end in a valid name of a Go package",
		"--alias-package=api/v1 ./nowhere":              "does not exist",
		"--alias-package=shop/v1/types.go/v1 ./shop/v1": "cannot make the folder",
	} {
		if got := runTool(t, dir, strings.Fields(args)...); got.code != exitFailed || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: exit code %d, %s; want %q", args, got.code, got.stderr, want)
		}
	}
	if got := runTool(t, dir, "--alias-package=api/v1", "--output-dir=out", "./shop/v1"); got.code != exitUsage {
		t.Errorf("with --output-dir: exit code %d, %s", got.code, got.stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "api")); err == nil {
		t.Error("a run that failed has made a folder")
	}
}
