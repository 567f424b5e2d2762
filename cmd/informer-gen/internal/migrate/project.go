package migrate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// project is a module, and the modules below it.
type project struct {
	// dir is the root folder of the module of the run, and repository the root folder of its git repository, or dir.
	dir, repository string
	// modules are the module of the run and the modules below it.
	modules []*module
}

// module is a module of the project.
type module struct {
	dir  string
	file *modfile.File
	text []byte
}

func (m *module) path() string { return m.file.Module.Mod.Path }

// findModules reads the modules at and below the root folder of the module that dir is in.
func findModules(ctx context.Context, dir string) (*project, error) {
	root := dir
	for !exists(filepath.Join(root, "go.mod")) {
		if filepath.Dir(root) == root {
			return nil, fmt.Errorf("%s is in no module; run the command in the folder of a go.mod", dir)
		}
		root = filepath.Dir(root)
	}
	p := &project{dir: root, repository: root}
	if top, err := git(ctx, root, "rev-parse", "--show-toplevel"); err == nil {
		p.repository = filepath.FromSlash(strings.TrimSpace(top))
	}
	return p, p.walk(func(path string) error {
		if filepath.Base(path) != "go.mod" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := modfile.Parse(p.relative(path), text, nil)
		if err != nil {
			return err
		}
		if file.Module == nil {
			return fmt.Errorf("%s has no module line", p.relative(path))
		}
		p.modules = append(p.modules, &module{dir: filepath.Dir(path), file: file, text: text})
		return nil
	})
}

// walk visits the regular files of the project, without those of tests, of dependencies and of hidden folders.
func (p *project) walk(visit func(path string) error) error {
	return filepath.WalkDir(p.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			name := entry.Name()
			if path != p.dir && (name == "vendor" || name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		return visit(path)
	})
}

// note returns a note at a position.
func (p *project) note(at position, format string, args ...any) Note {
	return Note{File: p.relative(at.file), Line: at.line, Text: fmt.Sprintf(format, args...)}
}

// relative returns a path as it is printed.
func (p *project) relative(path string) string { return relative(p.dir, path) }

// moduleOfFile returns the module that a path is in.
func (p *project) moduleOfFile(path string) (found *module) {
	for _, m := range p.modules {
		if isBelow(m.dir, path) && (found == nil || len(m.dir) > len(found.dir)) {
			found = m
		}
	}
	return found
}

// folderOf returns the folder of an import path in the project.
func (p *project) folderOf(importPath string) (dir string, ok bool) {
	longest := -1
	for _, m := range p.modules {
		if rest, is := strings.CutPrefix(importPath+"/", m.path()+"/"); is && len(m.path()) > longest {
			longest, dir, ok = len(m.path()), filepath.Join(m.dir, filepath.FromSlash(rest)), true
		}
	}
	return dir, ok
}

func isBelow(dir, path string) bool {
	way, err := filepath.Rel(dir, path)
	return err == nil && way != ".." && !strings.HasPrefix(way, ".."+string(filepath.Separator))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// git runs a command of git that only reads.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	output, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
	return string(output), err
}

// uncommitted returns the files with changes that git does not have.
func (p *project) uncommitted(ctx context.Context) (files []string, err error) {
	status, err := git(ctx, p.dir, "status", "--porcelain", "-z", "--no-renames", "--", ".")
	if err != nil {
		return nil, errors.New("the tree is in no git repository, so the migration could not be undone; commit it, or run again with --force")
	}
	for entry := range strings.SplitSeq(status, "\x00") {
		if len(entry) > 3 { // two letters and a space
			files = append(files, filepath.Join(p.repository, filepath.FromSlash(entry[3:])))
		}
	}
	return files, nil
}

// refuseUncommitted returns an error if a file other than go.mod and go.sum has changes that git does not have.
func (p *project) refuseUncommitted(files []string) error {
	for _, file := range files {
		if base := filepath.Base(file); base != "go.mod" && base != "go.sum" {
			return fmt.Errorf("the tree has uncommitted changes, such as %s; commit or stash them, or run again with --force", p.relative(file))
		}
	}
	return nil
}
