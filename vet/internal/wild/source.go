package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/vet"
)

// analyze unpacks a program, and runs all analyzers over it.
func (r runner) analyze(ctx context.Context, p project) (got result, err error) {
	got.Name, got.Version = p.name, p.version
	dir, err := filepath.Abs(filepath.Join(r.repo, "build", "vet", p.name))
	if err != nil {
		return got, err
	}
	defer os.RemoveAll(dir)
	if r.modules != "" {
		defer os.RemoveAll(r.modules)
	}
	if err := r.unpack(ctx, p, dir); err != nil {
		return got, err
	}
	mod := "-mod=mod"
	if folders, _ := filepath.Glob(filepath.Join(dir, "vendor", "*", "*")); len(folders) > 0 { // a module has vendor/modules.txt alone
		mod = "-mod=vendor"
	}
	if len(p.edits) > 0 {
		if _, err := r.command(ctx, dir, "go", append([]string{"mod", "edit"}, p.edits...)...); err != nil {
			return got, err
		}
	}
	patterns := p.packages
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	loaded, err := load(ctx, dir, r.environ("-buildvcs=false "+mod), patterns...)
	if err != nil {
		return got, err
	}
	graph, err := checker.Analyze(vet.Analyzers(), loaded, nil)
	if err != nil {
		return got, err
	}
	skipped := map[*packages.Package]bool{}
	for _, root := range graph.Roots {
		if root.Err != nil {
			skipped[root.Package] = true
		}
		for _, d := range root.Diagnostics {
			at := root.Package.Fset.Position(d.Pos)
			file, err := filepath.Rel(dir, at.Filename)
			if err != nil {
				return got, err
			}
			got.Findings = append(got.Findings, finding{root.Analyzer.Name, filepath.ToSlash(file), at.Line, d.Message})
		}
	}
	got.Packages, got.Skipped = len(loaded)-len(skipped), len(skipped)
	got.sort()
	return got, nil
}

// unpack copies a program from the module cache, or a commit from a clone.
func (r runner) unpack(ctx context.Context, p project, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	clone := filepath.Join(r.clones, p.name)
	if _, err := os.Stat(clone); r.clones != "" && err == nil && !strings.HasPrefix(p.version, "v") {
		return r.unpackCommit(ctx, clone, p.version, dir)
	}
	output, err := r.command(ctx, ".", "go", "mod", "download", "-json", p.module+"@"+p.version)
	var downloaded struct{ Dir, Error string }
	if json.Unmarshal(output, &downloaded) != nil || err != nil {
		return fmt.Errorf("%s@%s: %s: %w", p.module, p.version, strings.TrimSpace(downloaded.Error), err)
	}
	return copyTree(downloaded.Dir, dir)
}

// copyTree copies files, which may be written to then, in contrast to those of the module cache.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, relative), 0o755)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, relative), content, 0o644)
	})
}

// unpackCommit writes the files of a commit, except for those that the clone lacks.
func (r runner) unpackCommit(ctx context.Context, clone, commit, dir string) error {
	listed, err := r.command(ctx, clone, "git", "ls-tree", "-r", "--name-only", "-z", commit)
	if err != nil {
		return err
	}
	names := strings.Split(strings.TrimSuffix(string(listed), "\x00"), "\x00")
	names = slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, "\n") })
	batch := exec.CommandContext(ctx, "git", "cat-file", "--batch")
	batch.Dir = clone
	batch.Stdin = strings.NewReader(commit + ":" + strings.Join(names, "\n"+commit+":") + "\n")
	output, err := batch.StdoutPipe()
	if err != nil {
		return err
	}
	if err := batch.Start(); err != nil {
		return err
	}
	objects := bufio.NewReader(output)
	for _, name := range names {
		header, err := objects.ReadString('\n') // hash, type and size, or "missing"
		if err != nil {
			return err
		}
		words := strings.Fields(header)
		size, err := strconv.Atoi(words[len(words)-1])
		if err != nil {
			continue
		}
		content := make([]byte, size+1) // with a line break after it
		if _, err := io.ReadFull(objects, content); err != nil {
			return err
		}
		if words[1] != "blob" {
			continue
		}
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), content[:size], 0o644); err != nil {
			return err
		}
	}
	return batch.Wait()
}

// environ is the environment of all commands. Without cgo no package has to be compiled.
func (r runner) environ(flags string) []string {
	all := append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS="+flags)
	if r.modules != "" {
		all = append(all, "GOMODCACHE="+r.modules, "GOPROXY="+r.proxy, "GOFLAGS="+strings.TrimSpace(flags+" -modcacherw"))
	}
	return all
}

func (r runner) command(ctx context.Context, dir, name string, arguments ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, arguments...)
	c.Dir, c.Env = dir, r.environ("")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	output, err := c.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, arguments[0], err, strings.TrimSpace(stderr.String()))
	}
	return output, err
}

// ownModules makes a module cache of the command's own, to which the usual one is a proxy.
func (r *runner) ownModules(ctx context.Context) error {
	usual, err := r.command(ctx, ".", "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return err
	}
	cache, proxy, _ := strings.Cut(strings.TrimSpace(string(usual)), "\n")
	if r.modules, err = filepath.Abs(filepath.Join(r.repo, "build", "vet", "modules")); err != nil {
		return err
	}
	r.proxy = "file://" + filepath.ToSlash(filepath.Join(cache, "cache", "download")) + "," + proxy
	return nil
}
