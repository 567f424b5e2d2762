package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	os.Exit(run(dir, os.Stdout, os.Stderr))
}

func run(dir string, stdout, stderr io.Writer) int {
	names, err := list(dir)
	if err != nil {
		fmt.Fprintln(stderr, "pages:", err)
		return 2
	}
	mistakes, err := check(newRepository(os.DirFS(dir), names))
	if err != nil {
		fmt.Fprintln(stderr, "pages:", err)
		return 2
	}
	for _, m := range mistakes {
		fmt.Fprintln(stdout, m)
	}
	if len(mistakes) > 0 {
		return 1
	}
	return 0
}

// list returns the files of the repository that exist and are not ignored by git.
func list(dir string) ([]string, error) {
	command := exec.Command("git", "ls-files", "-z", "-co", "--exclude-standard")
	command.Dir, command.Stderr = dir, os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files in %s: %w; run it in a clone of the repository", dir, err)
	}
	names := strings.Split(strings.TrimSuffix(string(output), "\x00"), "\x00")
	root := os.DirFS(dir)
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := fs.Stat(root, name) // git lists a deleted file until the deletion is staged
		return err != nil
	}), nil
}

// check returns all mistakes, sorted by their position.
func check(r *repository) ([]mistake, error) {
	if err := r.readPages(); err != nil {
		return nil, err
	}
	code, err := r.readCode()
	if err != nil {
		return nil, err
	}
	makefile, err := fs.ReadFile(r.files, "Makefile")
	if err != nil {
		return nil, err
	}
	targets := targetsOf(makefile)
	mistakes := r.checkIndex()
	for _, p := range r.pages {
		mistakes = append(mistakes, r.checkLinks(p)...)
		mistakes = append(mistakes, checkCommands(p, targets)...)
		mistakes = append(mistakes, code.checkPage(p)...)
	}
	mistakes = append(mistakes, code.checkExceptions(r)...)
	others, err := r.checkOtherFiles()
	if err != nil {
		return nil, err
	}
	mistakes = append(mistakes, others...)
	slices.SortStableFunc(mistakes, mistake.compare)
	return mistakes, nil
}
