package write

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Output is what a run produces, and where.
type Output struct {
	// Dir is the output folder. It need not exist.
	Dir string
	// Roots are the folders below Dir that belong to the generator: left-over
	// files are looked for in them and nowhere else.
	Roots []string
	// Header is the line by which a file of the generator is known.
	Header string
	// Files are by their path below Dir, with slashes.
	Files map[string][]byte
}

// Plan is what has to be done so that the disk has the output.
type Plan struct {
	dir       string
	Changes   []Change
	Unchanged int
}

// Change is one file that differs.
type Change struct {
	// Path is below the output folder, with slashes.
	Path string
	// Old is nil for a file that is created, New for one that is deleted.
	Old, New []byte
}

// NewPlan compares output with the disk. It refuses to replace a file that it
// did not write.
func NewPlan(output Output) (*Plan, error) {
	p := &Plan{dir: output.Dir}
	var errs []error
	for name, content := range output.Files {
		old, err := os.ReadFile(p.file(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			p.Changes = append(p.Changes, Change{Path: name, New: content})
		case err != nil:
			errs = append(errs, fmt.Errorf("cannot read what is to be replaced: %w", err))
		case bytes.Equal(old, content):
			p.Unchanged++
		case !isOurs(old, output.Header):
			errs = append(errs, fmt.Errorf("%s: this file is not from this generator and would be overwritten; move it away, or give another --output-dir", p.file(name)))
		default:
			p.Changes = append(p.Changes, Change{Path: name, Old: old, New: content})
		}
	}
	for _, root := range output.Roots {
		if err := p.findLeftOver(root, output); err != nil {
			errs = append(errs, err)
		}
	}
	slices.SortFunc(p.Changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return p, errors.Join(errs...)
}

// findLeftOver plans to delete what earlier runs have written below root and
// this one does not.
func (p *Plan) findLeftOver(root string, output Output) error {
	return filepath.WalkDir(p.file(root), func(file string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("cannot look for files of earlier runs: %w", err)
		case !entry.Type().IsRegular() || !strings.HasSuffix(file, ".go"):
			return nil
		}
		below, err := filepath.Rel(p.dir, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(below)
		if _, produced := output.Files[name]; produced {
			return nil
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("cannot tell whether an earlier run wrote this: %w", err)
		}
		if isOurs(content, output.Header) {
			p.Changes = append(p.Changes, Change{Path: name, Old: content})
		}
		return nil
	})
}

// isOurs says whether the header stands above the package clause.
func isOurs(content []byte, header string) bool {
	lines := bufio.NewScanner(bytes.NewReader(content))
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == header:
			return true
		case strings.HasPrefix(line, "package "):
			return false
		}
	}
	return false
}

func (p *Plan) file(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// Count returns how many files the plan creates or changes, and how many it
// deletes.
func (p *Plan) Count() (written, deleted int) {
	for _, c := range p.Changes {
		if c.New == nil {
			deleted++
		} else {
			written++
		}
	}
	return written, deleted
}
