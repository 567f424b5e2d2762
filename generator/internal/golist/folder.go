package golist

import (
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// foldersAbove returns the folder of a module and, if the module is not above dir, the folder of the workspace that
// both are in: a link in a workspace may be the folder of a module.
func foldersAbove(dir, module string) []string {
	if isBelow(module, dir) {
		return []string{module}
	}
	for at := dir; ; at = filepath.Dir(at) {
		if info, err := os.Stat(filepath.Join(at, "go.work")); err == nil && !info.IsDir() && isBelow(at, module) {
			return []string{at, module}
		}
		if at == filepath.Dir(at) {
			return []string{module} // go.work names a folder outside of its own
		}
	}
}

// isBelow reports whether a folder is below another, or the same.
func isBelow(above, dir string) bool {
	rel, err := filepath.Rel(above, dir)
	return err == nil && filepath.IsLocal(rel)
}

// Nested returns the folders of the modules below dir by which its go.mod replaces modules. Patterns such as ./... do
// not match packages in them.
func Nested(dir string) (folders []string) {
	at := moduleAbove(dir)
	content, err := regular.ReadFile(filepath.Join(at, "go.mod"))
	if at == "" || err != nil {
		return nil
	}
	file, err := modfile.Parse("go.mod", content, nil)
	if err != nil {
		return nil
	}
	for _, replace := range file.Replace {
		folder := absoluteFolder(at, filepath.FromSlash(replace.New.Path))
		if replace.New.Version == "" && folder != at && isBelow(dir, folder) && moduleAbove(folder) == folder {
			folders = append(folders, display(dir, folder))
		}
	}
	return folders
}

// moduleAbove returns the nearest folder with a go.mod that is folder or above it, or "".
func moduleAbove(folder string) string {
	for at := folder; at != ""; at = filepath.Dir(at) {
		if info, err := os.Stat(filepath.Join(at, "go.mod")); err == nil && !info.IsDir() {
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return ""
}

func absoluteFolder(dir, folder string) string {
	if filepath.IsAbs(folder) {
		return folder
	}
	return filepath.Join(dir, folder)
}

// display returns a path as printed in messages: relative to dir, with ./ before a folder below it.
func display(dir, name string) string {
	rel, err := filepath.Rel(dir, name)
	switch {
	case err != nil:
		return name
	case filepath.IsLocal(rel) && rel != ".":
		return "./" + path.Clean(filepath.ToSlash(rel))
	}
	return filepath.ToSlash(rel)
}
