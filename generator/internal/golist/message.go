package golist

import (
	"errors"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
	"github.com/typedinformers/informer-gen/internal/terminal"
)

// AddErrors adds the errors that the go command reports for a package, and the fix of each unless
// the go command adds it. Relative paths are below dir.
func AddErrors(errs *model.Errors, dir string, pkg *packages.Package) {
	for _, err := range pkg.Errors {
		addError(errs, dir, err, pkg)
	}
}

func addError(errs *model.Errors, dir string, err packages.Error, pkg *packages.Package) {
	pos, text := Position(dir, err), Message(strings.TrimSpace(err.Msg))
	folder, isStat := strings.CutPrefix(text, "stat ")
	folder, isMissing := strings.CutSuffix(folder, ": directory not found")
	fix := "name a folder with one package of API types"
	if problem, run := otherModule(dir, text); problem != "" {
		errs.Add(pos, "%s; %s", problem, run)
		return
	}
	switch {
	case strings.Contains(text, "build constraints exclude all Go files"):
		fix = "use --build-tags with a tag that includes one of the files"
		if e := excluded(pkg.IgnoredFiles); e.file != "" {
			text += " (" + filepath.Base(e.file) + " has " + e.cause + ")"
			fix = e.fix + "it"
		}
	case strings.Contains(text, " source files not allowed when not using cgo"):
		language, _, _ := strings.Cut(text, " source files")
		text = "package " + pkg.PkgPath + " has source files in " + language + " but does not use cgo, so it does not compile:" +
			text[strings.LastIndex(text, ": ")+1:]
		fix = "remove them, or leave the package out with --exclude=" + pkg.PkgPath
	case strings.HasPrefix(text, "go: "):
		fix = "correct go.mod, or the settings of the go command"
	case isStat && isMissing:
		text = "the folder " + folder + " does not exist"
		fix = "name a folder with API types"
	case pos.Filename != "":
		fix = syntax.FixFirst
	case strings.Contains(text, " is not in std "):
		_, name, _ := strings.Cut(text, "package ")
		name, _, _ = strings.Cut(name, " ")
		fix = "write the whole import path, such as k8s.io/api/core/v1, or ./" + name + " for a folder"
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			fix = "did you mean ./" + name + "?"
		}
	case strings.Contains(text, "missing go.sum entry") && !strings.Contains(text, "go mod "):
		fix = "to add it: go get " + quotedModule(text)
	case strings.HasPrefix(text, "pattern ") && lacksFolder(dir, patternOf(text)):
		pattern := patternOf(text)
		text = "pattern " + pattern + " matches no package, because the folder does not exist"
		fix = "name a folder with API types"
	case strings.Contains(text, "go get ") || strings.Contains(text, "go mod "):
		errs.Add(pos, "%s", text)
		return
	}
	errs.Add(pos, "%s; %s", text, fix)
}

// Message returns an error of the go command. It adds the fix of one about a module that only version control has.
func Message(text string) string {
	if !strings.Contains(text, "GOVCS disallows using") {
		return text
	}
	return strings.ReplaceAll(text, "see 'go help vcs'", "if you trust the module, run go mod download first, or set GOVCS as in 'go help vcs'")
}

// Position returns the position of an error of the go command, or zero. Relative paths are below dir.
func Position(dir string, err packages.Error) token.Position {
	pos := position(err.Pos)
	if pos.Filename != "" && !filepath.IsAbs(pos.Filename) {
		pos.Filename = filepath.Join(dir, pos.Filename)
	}
	return pos
}

var positionPattern = regexp.MustCompile(`^(.*?)(?::(\d+))?(?::(\d+))?$`)

// position parses a position of the go command, such as file:line:col. For "-" and "" it returns zero.
func position(s string) token.Position {
	match := positionPattern.FindStringSubmatch(s)
	if match == nil || match[1] == "-" || match[1] == "" {
		return token.Position{}
	}
	line, _ := strconv.Atoi(match[2])
	column, _ := strconv.Atoi(match[3])
	return token.Position{Filename: filepath.Clean(match[1]), Line: line, Column: column}
}

// patternOf returns the pattern that an error of the go command begins with.
func patternOf(text string) string {
	pattern, _, _ := strings.Cut(strings.TrimPrefix(text, "pattern "), ": ")
	return pattern
}

// lacksFolder reports whether the folder of a pattern such as ./api/... does not exist. The text of the go
// command depends on the operating system and its language.
func lacksFolder(dir, pattern string) bool {
	folder, _, _ := strings.Cut(pattern, "...")
	if !filepath.IsAbs(folder) {
		if !strings.HasPrefix(folder, ".") {
			return false // an import path
		}
		folder = filepath.Join(dir, folder)
	}
	_, err := os.Stat(folder)
	return errors.Is(err, fs.ErrNotExist)
}

// quotedModule returns the first word of text that is a module with a version, for a shell.
func quotedModule(text string) string {
	for _, word := range strings.Fields(text) {
		if word = strings.TrimSuffix(word, ":"); strings.Contains(word, "@") {
			return terminal.Quote(word)
		}
	}
	return "the module"
}

// withoutCommand is an error of go/packages without the command and its exit code.
type withoutCommand struct{ error }

func (e withoutCommand) Error() string {
	text := e.error.Error()
	command, stderr, ok := strings.Cut(text, ": stderr: ")
	switch {
	case strings.Contains(command, "executable file not found"):
		return "there is no go command in PATH; install Go, or add the folder of its go command to PATH"
	case ok && strings.TrimSpace(stderr) != "":
		text = stderr
	case ok: // the command could not start, or was killed
		text = strings.TrimPrefix(command, "err: ") + "; run go list to see what is wrong"
	}
	return Message(strings.TrimSpace(text))
}

func (e withoutCommand) Unwrap() error { return e.error }

// otherModule explains an error of the go command about a folder, or a package, in a module outside of the run:
// a module that go.work does not name, or a nested one. The problem is empty for other errors.
func otherModule(dir, text string) (problem, fix string) {
	folder, inWorkspace := folderIn(dir, text)
	at := moduleAbove(folder)
	switch {
	case at == "":
		return "", ""
	case inWorkspace:
		return "the module in " + display(dir, at) + " is not in go.work", "run go work use " + terminal.Quote(display(dir, at))
	case at == moduleAbove(dir):
		return "", ""
	}
	pattern := display(at, folder)
	if strings.HasPrefix(text, "pattern ") && strings.HasSuffix(patternOf(text), "/...") {
		pattern += "/..."
	}
	goMod := display(dir, filepath.Join(at, "go.mod"))
	return display(dir, folder) + " is in another module than that of this run, because " + goMod + " exists",
		"run informer-gen in " + display(dir, at) + ", for " + pattern
}

// folderIn returns the folder that an error is about, or "", and whether the run has a workspace.
func folderIn(dir, text string) (folder string, inWorkspace bool) {
	inWorkspace = strings.Contains(text, "go.work")
	for _, form := range []struct{ before, after string }{
		{"directory ", " is contained in a module that is not one of the workspace modules"},
		{": directory prefix ", " does not contain "},
		{"directory ", " outside main module"},
	} {
		if _, rest, ok := strings.Cut(text, form.before); ok {
			if folder, _, ok := strings.Cut(rest, form.after); ok {
				return absoluteFolder(dir, folder), inWorkspace
			}
		}
	}
	if _, rest, ok := strings.Cut(text, ") does not contain package "); ok {
		return folderOf(dir, firstWord(rest)), inWorkspace
	}
	if _, rest, ok := strings.Cut(text, "no required module provides package "); ok {
		return folderOf(dir, firstWord(rest)), true // the module of dir is no main module
	}
	return "", inWorkspace
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return strings.TrimRight(word, ";,")
}

// folderOf returns the folder that a package of the module of dir would have, or "" for other packages.
func folderOf(dir, importPath string) string {
	at := moduleAbove(dir)
	content, err := regular.ReadFile(filepath.Join(at, "go.mod"))
	if err != nil {
		return ""
	}
	below, ok := strings.CutPrefix(importPath, modfile.ModulePath(content))
	if !ok || below != "" && !strings.HasPrefix(below, "/") {
		return ""
	}
	return filepath.Join(at, filepath.FromSlash(below))
}
