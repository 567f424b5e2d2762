package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// buildBinaries runs goreleaser on the tag of the root module, as the workflow of the release does. It
// publishes nothing, and writes no SBOM, which needs another tool.
func (r *release) buildBinaries(ctx context.Context) error {
	script := filepath.Join(r.repo, "hack", "goreleaser.sh")
	env := []string{"TREE=" + r.tree(), "GORELEASER_CURRENT_TAG=" + r.version}
	if r.push {
		env = append(env, "STRICT=1")
	}
	for _, args := range [][]string{{"check"}, {"release", "--clean", "--skip=publish,announce,sbom", "--release-notes=" + r.work("notes.md")}} {
		cmd := gently(exec.CommandContext(ctx, script, args...))
		cmd.Env = append(os.Environ(), env...)
		output, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("goreleaser %s: %w\n%s", args[0], err, output)
		}
		if strings.Contains(string(output), ": skipped, ") {
			fmt.Fprintf(r.out, "note  %s", output)
			return nil
		}
	}
	dist := filepath.Join(r.tree(), "build", "dist")
	var archives []string
	for _, suffix := range []string{".tar.gz", ".zip"} {
		names, err := filepath.Glob(filepath.Join(dist, "*"+suffix))
		if err != nil {
			return err
		}
		archives = append(archives, names...)
	}
	if len(archives) != 6 {
		return fmt.Errorf("goreleaser wrote the archives %q, want those of 6 platforms", archives)
	}
	binaries, err := filepath.Glob(filepath.Join(dist, "informer-gen_"+runtime.GOOS+"_"+runtime.GOARCH+"*", "informer-gen*"))
	if err != nil || len(binaries) != 1 {
		fmt.Fprintf(r.out, "note  no binary of the release runs on %s/%s\n", runtime.GOOS, runtime.GOARCH)
		return err
	}
	line, err := command(ctx, r.tree(), nil, binaries[0], "--version")
	if err != nil {
		return err
	}
	head, err := git(ctx, r.tree(), "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if want := "informer-gen " + r.version + " (revision " + head + ", go"; !strings.HasPrefix(line, want) {
		return fmt.Errorf("the binary of the release prints %q, want %q", line, want)
	}
	r.step("goreleaser wrote %d archives; %s", len(archives), line)
	return nil
}

// buildRelease builds the binaries of the tag at HEAD, with their SBOMs and checksums, and writes the section of the
// changelog as the notes of the release. It publishes nothing, because it has no right to write.
func (r *release) buildRelease(ctx context.Context) error {
	if err := checkVersion(r.version); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(r.repo, changelogFile))
	if err != nil {
		return err
	}
	notes := notes(string(text), r.version)
	if notes == "" {
		return fmt.Errorf("%s has no entries for %s; only hack/release.sh makes tags", changelogFile, r.version)
	}
	if err := os.MkdirAll(r.work(""), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(r.work("notes.md"), []byte(notes+"\n"), 0o644); err != nil {
		return err
	}
	cmd := gently(exec.CommandContext(ctx, filepath.Join(r.repo, "hack", "goreleaser.sh"), "release", "--clean", "--skip=publish,announce", "--release-notes="+r.work("notes.md")))
	cmd.Env = append(os.Environ(), "STRICT=1", "GORELEASER_CURRENT_TAG="+r.version)
	cmd.Stdout, cmd.Stderr = r.out, os.Stderr
	return cmd.Run()
}
