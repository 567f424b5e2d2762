package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// outputPackage is the import path of a folder, which need not exist: that of
// the module that it is in, with the way from there. What the user asked for has
// to agree, or the emitted files would not find each other.
func outputPackage(dir, asked string) (string, error) {
	goMod, err := findGoMod(dir)
	if err != nil {
		return "", err
	}
	if goMod == "" {
		if asked == "" {
			return "", fmt.Errorf("cannot tell the import path of the output folder %s, because there is no go.mod above it; use --output-pkg, or run go mod init", dir)
		}
		return asked, nil
	}
	content, err := os.ReadFile(goMod)
	if err != nil {
		return "", fmt.Errorf("cannot tell the import path of the output folder %s: %w", dir, err)
	}
	module := modfile.ModulePath(content)
	if module == "" {
		return "", fmt.Errorf("%s:1:1: there is no module line; add one, such as: module example.com/operator", goMod)
	}
	way, err := filepath.Rel(filepath.Dir(goMod), dir)
	if err != nil {
		return "", fmt.Errorf("cannot tell the import path of the output folder %s: %w", dir, err)
	}
	derived := path.Join(module, filepath.ToSlash(way))
	if asked != "" && strings.TrimSuffix(asked, "/") != derived {
		return "", fmt.Errorf("--output-pkg=%s contradicts %s, by which the output folder %s is %s; leave --output-pkg out, or give the folder that it means", asked, goMod, dir, derived)
	}
	return derived, nil
}

// findGoMod returns the go.mod of the module that dir is in, or "".
func findGoMod(dir string) (string, error) {
	for {
		file := filepath.Join(dir, "go.mod")
		info, err := os.Stat(file)
		switch {
		case err == nil && !info.IsDir():
			return file, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !isNotDir(dir):
			return "", fmt.Errorf("cannot look for go.mod: %w", err)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}

// isNotDir says whether dir is there and is something else.
func isNotDir(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && !info.IsDir()
}
