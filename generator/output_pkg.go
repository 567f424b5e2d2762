package generator

import (
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// outputPackage returns the import path of a folder, which need not exist. It is derived from the
// module of the folder. If wanted is not empty, it must be the same path, because otherwise the emitted
// files could not import each other.
func outputPackage(dir, wanted string) (string, error) {
	goMod, err := findGoMod(dir)
	if err != nil {
		return "", err
	}
	if goMod == "" {
		if wanted == "" {
			return "", optionError("OutputPackage", "cannot find the import path of the output folder %s, "+
				"because there is no go.mod above it; use {OutputPackage}, or run go mod init", dir)
		}
		return checked(strings.TrimSuffix(wanted, "/"), dir)
	}
	content, err := regular.ReadFile(goMod)
	if err != nil {
		return "", optionError("OutputDir", "cannot find the import path of the output folder %s: %w; "+
			"repair that file, or use another {OutputDir}", dir, err)
	}
	modulePath := modfile.ModulePath(content)
	if modulePath == "" {
		return "", model.Errorf(token.Position{Filename: goMod, Line: 1, Column: 1}, "this go.mod has no module line; "+
			"add one, such as: module example.com/operator")
	}
	rel, err := filepath.Rel(filepath.Dir(goMod), dir)
	if err != nil {
		return "", fmt.Errorf("cannot find the import path of the output folder %s: %w", dir, err)
	}
	derived := path.Join(modulePath, filepath.ToSlash(rel))
	if wanted != "" && strings.TrimSuffix(wanted, "/") != derived {
		return "", optionError("OutputPackage", "{OutputPackage}=%s is not the import path of the output folder %s, "+
			"which is %s according to %s; remove {OutputPackage}, or correct {OutputDir}", wanted, dir, derived, goMod)
	}
	return checked(derived, dir)
}

// checked returns importPath, or an error if Go code cannot import it.
func checked(importPath, dir string) (string, error) {
	if err := module.CheckImportPath(importPath); err != nil {
		return "", optionError("OutputDir", "the output folder %s would have the import path %q, which Go does not accept: %w; "+
			"use another {OutputDir}", dir, importPath, errors.Unwrap(err))
	}
	if slices.Contains(strings.Split(importPath, "/"), "vendor") {
		return "", optionError("OutputDir", "the output folder %s is in a folder vendor, "+
			"and Go imports packages there by other paths; use another {OutputDir}", dir)
	}
	return importPath, nil
}

// findGoMod returns the go.mod file of the module that dir is in, or "" if it is in none.
func findGoMod(dir string) (string, error) {
	for {
		file := filepath.Join(dir, "go.mod")
		info, err := os.Stat(file)
		switch {
		case err == nil && !info.IsDir():
			return file, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return "", fmt.Errorf("cannot search for go.mod: %w", err)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}

// isPackageName reports whether a folder and its package may have the name, so that other packages
// can import it.
func isPackageName(name string) bool {
	switch name {
	case "init", "internal", "main", "testdata", "vendor":
		return false
	}
	return token.IsIdentifier(name) && name[0] != '_' && module.CheckImportPath("example.com/"+name) == nil
}
