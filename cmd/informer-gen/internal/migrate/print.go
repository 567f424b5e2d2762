package migrate

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/internal/terminal"
)

// print writes the plan.
func (plan *plan) print(w io.Writer, p *findings) {
	for _, r := range plan.runs {
		for _, c := range r.calls {
			what := "becomes"
			switch {
			case c.generator == "controller-gen":
				what = "gets a next line"
			case c.stays != "":
				what = "keeps " + strings.Trim(c.stays, `"`) + "; the rest becomes"
			}
			if c != r.calls[0] {
				fmt.Fprintf(w, "%s:%d: delete %s\n", p.relative(c.file), c.line, c.generator)
				continue
			}
			fmt.Fprintf(w, "%s:%d: %s %s\n\tgo tool informer-gen %s\n", p.relative(c.file), c.line, c.generator, what, terminal.Quote(r.args...))
		}
		for _, reason := range r.reasons {
			fmt.Fprintf(w, "\t%s\n", reason)
		}
	}
	for _, change := range plan.goMods {
		for _, line := range change.changes {
			fmt.Fprintf(w, "%s: %s\n", p.relative(filepath.Join(change.module.dir, "go.mod")), line)
		}
	}
	for _, dir := range plan.deletedFolders() {
		n := 0
		for _, file := range plan.deletes {
			if isBelow(dir, file) {
				n++
			}
		}
		fmt.Fprintf(w, "%s: delete the output of the replaced generators (%d files)\n", p.relative(dir), n)
	}
	for _, e := range plan.edits {
		if e.what != "" {
			fmt.Fprintf(w, "%s:%d: %s\n", p.relative(e.file), e.line, e.what)
		}
	}
}

// deletedFolders returns the folders, such as listers, that lose files.
func (plan *plan) deletedFolders() (dirs []string) {
	for _, r := range plan.runs {
		for _, file := range plan.deletes {
			if way := relative(r.output, file); !strings.HasPrefix(way, "..") {
				folder, _, _ := strings.Cut(way, "/")
				if dir := filepath.Join(r.output, folder); !slices.Contains(dirs, dir) {
					dirs = append(dirs, dir)
				}
			}
		}
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { // folders in a folder of another run are counted once
		return slices.ContainsFunc(dirs, func(other string) bool { return other != dir && isBelow(other, dir) })
	})
}

// printLeft writes the notes.
func printLeft(w io.Writer, left []Note) {
	if len(left) == 0 {
		return
	}
	fmt.Fprintln(w, "Left to do by hand:")
	for _, note := range left {
		fmt.Fprintf(w, "\t%s\n", note)
	}
}
