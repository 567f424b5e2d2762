package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

func main() {
	mistakes, err := checkFolder(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(2)
	}
	for _, m := range mistakes {
		fmt.Println(m)
	}
	if len(mistakes) > 0 {
		os.Exit(1)
	}
}

// checkFolder checks the files in a clone that exist and are not ignored by git.
func checkFolder(dir string) ([]string, error) {
	command := exec.Command("git", "ls-files", "-z", "-co", "--exclude-standard")
	command.Dir, command.Stderr = dir, os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files in %s: %w; run it in a clone of the repository", dir, err)
	}
	root := os.DirFS(dir)
	names := slices.DeleteFunc(strings.Split(strings.TrimSuffix(string(output), "\x00"), "\x00"), func(name string) bool {
		_, err := fs.Stat(root, name) // git lists a deleted file until the deletion is staged
		return err != nil
	})
	return check(root, names)
}

// repository has the files that git knows.
type repository struct {
	texts    map[string][]byte
	folders  map[string]bool
	pages    map[string]*page // the Markdown files
	mistakes []string
}

// check returns all mistakes, sorted.
func check(files fs.FS, names []string) ([]string, error) {
	r := &repository{texts: map[string][]byte{}, folders: map[string]bool{".": true}, pages: map[string]*page{}}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		r.texts[name] = text
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			r.folders[dir] = true
		}
		if path.Ext(name) == ".md" {
			r.pages[name] = parse(name, text)
		}
	}
	code := readCode(r.texts)
	for _, p := range r.pages {
		r.checkLinks(p)
		r.checkIndex(p)
		r.checkCommands(p)
		r.checkCode(p, code)
	}
	r.checkOtherFiles()
	slices.Sort(r.mistakes)
	return r.mistakes, nil
}

// add adds a mistake: what is wrong, and what to write.
func (r *repository) add(file string, line int, format string, args ...any) {
	r.mistakes = append(r.mistakes, fmt.Sprintf("%s:%d: ", file, line)+fmt.Sprintf(format, args...))
}

// lineAt returns the line of an offset, counted from 1.
func lineAt(text []byte, offset int) int {
	return bytes.Count(text[:min(offset, len(text))], []byte("\n")) + 1
}
