package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// notReleased are the folders whose modules no user requires. Every other module gets a tag.
var notReleased = []string{"examples", "hack", "test", "testdata"}

// module is a module of the repository.
type module struct {
	dir      string // "." for the root module
	path     string
	released bool
}

// tag returns the tag of the module for a version.
func (m module) tag(version string) string { return path.Join(m.dir, version) }

// readModules returns the modules of a repository, the root module first.
func readModules(ctx context.Context, repo string) ([]module, error) {
	files, err := git(ctx, repo, "ls-files", "go.mod", "*/go.mod")
	if err != nil {
		return nil, err
	}
	var modules []module
	for _, file := range strings.Fields(files) {
		content, err := os.ReadFile(filepath.Join(repo, file))
		if err != nil {
			return nil, err
		}
		dir := path.Dir(file)
		top, _, _ := strings.Cut(dir, "/")
		modules = append(modules, module{dir: dir, path: modfile.ModulePath(content), released: !slices.Contains(notReleased, top)})
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	if len(modules) == 0 || modules[0].dir != "." {
		return nil, fmt.Errorf("%s has no go.mod in its root folder", repo)
	}
	var errs []error
	for _, m := range modules {
		if want := path.Join(modules[0].path, m.dir); m.released && m.path != want {
			errs = append(errs, fmt.Errorf("%s/go.mod: the module is %s, which users cannot download from this folder; name it %s", m.dir, m.path, want))
		}
	}
	return modules, errors.Join(errs...)
}

// requireVersion makes each module of the repository require the version of each released sibling.
func requireVersion(repo string, modules []module, version string) error {
	siblings := map[string]bool{}
	for _, m := range modules {
		siblings[m.path] = m.released
	}
	for _, m := range modules {
		name := filepath.Join(repo, m.dir, "go.mod")
		file, err := parse(name)
		if err != nil {
			return err
		}
		for _, require := range slices.Clone(file.Require) {
			if siblings[require.Mod.Path] {
				if err := file.AddRequire(require.Mod.Path, version); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
		}
		content, err := file.Format()
		if err == nil {
			err = os.WriteFile(name, content, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkRequirements returns an error for each line of a released go.mod that means something else to a
// user of the module than to the repository. commands are the modules that have a command.
func checkRequirements(repo string, modules []module, version string, commands map[string]bool) error {
	siblings := map[string]bool{}
	for _, m := range modules {
		siblings[m.path] = m.released
	}
	var errs []error
	for _, m := range modules {
		if !m.released {
			continue
		}
		file, err := parse(filepath.Join(repo, m.dir, "go.mod"))
		if err != nil {
			return err
		}
		for _, require := range file.Require {
			released, ours := siblings[require.Mod.Path]
			switch {
			case ours && !released:
				errs = append(errs, fmt.Errorf("%s/go.mod requires %s, which is not released; move what needs it to the module test", m.dir, require.Mod.Path))
			case ours && require.Mod.Version != version:
				errs = append(errs, fmt.Errorf("%s/go.mod requires %s, want %s", m.dir, require.Mod, version))
			}
		}
		for _, replace := range file.Replace {
			if !siblings[replace.Old.Path] || replace.Old.Version != "" || replace.New.Version != "" {
				errs = append(errs, fmt.Errorf("%s/go.mod replaces %s, but users of the module get the original; require a version that does", m.dir, replace.Old))
			}
			if commands[m.path] {
				errs = append(errs, fmt.Errorf("%s/go.mod replaces %s, and go install refuses a module with a command and a replace directive", m.dir, replace.Old))
			}
		}
	}
	return errors.Join(errs...)
}

func parse(name string) (*modfile.File, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, content, nil)
}
