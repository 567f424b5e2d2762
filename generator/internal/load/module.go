package load

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
	"github.com/typedinformers/informer-gen/internal/terminal"
)

// otherModule explains an error of the go command about a folder, or a package, in a module that is not one of
// those of the run: a module that go.work does not name, or a nested one. The text is empty for other errors.
func otherModule(dir, text string) (problem, fix string) {
	isWorkspace := strings.Contains(text, "go.work")
	folder := ""
	for _, form := range []struct{ before, after string }{
		{"directory ", " is contained in a module that is not one of the workspace modules"},
		{": directory prefix ", " does not contain "},
		{"directory ", " outside main module"},
		{") does not contain package ", ""},
		{"no required module provides package ", ""},
	} {
		_, rest, ok := strings.Cut(text, form.before)
		if !ok {
			continue
		}
		if form.after != "" {
			folder, _, ok = strings.Cut(rest, form.after)
			folder = absoluteFolder(dir, folder)
		} else {
			name, _, _ := strings.Cut(strings.Fields(rest)[0], ";")
			folder, ok = folderOf(dir, name)
			isWorkspace = isWorkspace || ok && strings.Contains(form.before, "required") // the module of dir itself is not among those of the run
		}
		if !ok {
			folder = ""
			continue
		}
		break
	}
	at := moduleAbove(folder)
	if folder == "" || at == "" {
		return "", ""
	}
	if isWorkspace {
		return "the module in " + display(dir, at) + " is not in go.work", "run go work use " + terminal.Quote(display(dir, at))
	}
	if at == moduleAbove(dir) {
		return "", ""
	}
	problem = display(dir, folder) + " is in another module than that of this run, because " + display(dir, filepath.Join(at, "go.mod")) + " exists"
	pattern := display(at, folder)
	if strings.HasPrefix(text, "pattern ") && strings.HasSuffix(patternOf(text), "/...") {
		pattern += "/..."
	}
	return problem, "run informer-gen in " + display(dir, at) + ", for " + pattern
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

// folderOf returns the folder that a package of the module of dir would have.
func folderOf(dir, importPath string) (folder string, ok bool) {
	at := moduleAbove(dir)
	content, err := regular.ReadFile(filepath.Join(at, "go.mod"))
	if err != nil {
		return "", false
	}
	below, ok := strings.CutPrefix(importPath, modfile.ModulePath(content))
	if !ok || below != "" && !strings.HasPrefix(below, "/") {
		return "", false
	}
	return filepath.Join(at, filepath.FromSlash(below)), true
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
	way, err := filepath.Rel(dir, name)
	switch {
	case err != nil:
		return name
	case filepath.IsLocal(way) && way != ".":
		return "./" + path.Clean(filepath.ToSlash(way))
	}
	return filepath.ToSlash(way)
}
