package write

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// Output has the generated files and their folder.
type Output struct {
	// Dir is the output folder. It need not exist, and it may be a symbolic link.
	Dir string
	// DisplayDir is Dir as printed in messages, with slashes.
	DisplayDir string
	// Roots are the folders below Dir that belong to the generator. Stale files are deleted from
	// them only.
	Roots []string
	// Header is the line that marks a file as written by the generator.
	Header string
	// Files has the content by path, relative to Dir and with slashes.
	Files map[string][]byte
}

// Plan holds the differences between the output and the disk.
type Plan struct {
	dir, displayDir string
	Changes         []Change
	// Unchanged is the number of files that do not differ.
	Unchanged int
	// abandoned are temporary files of killed runs, relative to the output folder.
	abandoned []string
}

// Show returns a path relative to the output folder as printed in messages.
func (p *Plan) Show(name string) string { return path.Join(p.displayDir, name) }

// Change is a file that differs.
type Change struct {
	// Path is relative to the output folder, with slashes.
	Path string
	// Old is nil for a file that is created, New for one that is deleted.
	Old, New []byte
}

// NewPlan compares output with the disk. It returns an error if a file would be replaced that the
// generator did not write, or if a path has a symbolic link that leads out of the output folder.
func NewPlan(ctx context.Context, output Output) (*Plan, error) {
	p := &Plan{dir: output.Dir, displayDir: output.DisplayDir}
	if err := checkDir(output.Dir); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(output.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		for _, name := range slices.Sorted(maps.Keys(output.Files)) {
			p.Changes = append(p.Changes, Change{Path: name, New: output.Files[name]})
		}
		return p, nil
	case err != nil:
		return nil, fmt.Errorf("cannot read the output folder %s: %w; make it readable, or use another --output-dir", output.Dir, regular.WithoutPath(err))
	}
	defer root.Close()
	errs := p.compare(ctx, root, output)
	for _, name := range output.Roots {
		// A link or a file holds no files of earlier runs, or compare has returned an error for it.
		if info, err := root.Lstat(name); err == nil && info.IsDir() {
			errs = append(errs, p.findStale(ctx, root, name, output))
		}
	}
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(p.Changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return p, errors.Join(errs...)
}

// compare adds the files to create and to change. It stops early if ctx ends.
func (p *Plan) compare(ctx context.Context, root *os.Root, output Output) (errs []error) {
	foreign, obstacles := foreignFiles{}, map[string]bool{}
	files := reader{root: root}
	defer files.close()
	for _, name := range slices.Sorted(maps.Keys(output.Files)) {
		if ctx.Err() != nil {
			return nil
		}
		content := output.Files[name]
		old, err := files.read(name)
		var obstacle *fileError
		if err != nil {
			obstacle = p.obstacle(root, name)
		}
		switch {
		case obstacle != nil:
			if !obstacles[obstacle.file] { // one error, even if it blocks several files
				errs = append(errs, obstacle)
			}
			obstacles[obstacle.file] = true
		case errors.Is(err, fs.ErrNotExist):
			p.Changes = append(p.Changes, Change{Path: name, New: content})
		case err != nil:
			errs = append(errs, &fileError{p.file(name), fmt.Sprintf("cannot read the file that would be replaced: %v; move it away, or use another --output-dir", regular.WithoutPath(err))})
		case bytes.Equal(old, content):
			p.Unchanged++
		case !isOurs(old, output.Header):
			foreign.add(name, old)
		default:
			p.Changes = append(p.Changes, Change{Path: name, Old: old, New: content})
		}
	}
	return append(errs, foreign.errors(p)...)
}

// reader reads files below a root. It keeps the folder of the last file open, because a root
// opens each folder on the way to a file.
type reader struct {
	root, folder *os.Root
	// name is the path of folder.
	name string
}

func (r *reader) read(name string) ([]byte, error) {
	dir, base := path.Split(name)
	if r.folder == nil || r.name != dir {
		r.close()
		folder, err := r.root.OpenRoot(path.Clean(dir))
		if err != nil {
			return nil, err
		}
		r.folder, r.name = folder, dir
	}
	content, err := regular.Read(r.folder.OpenFile, base)
	if err != nil { // the file may be a link that leads out of the folder, but not out of the root
		return regular.Read(r.root.OpenFile, name)
	}
	return content, nil
}

func (r *reader) close() {
	if r.folder != nil {
		_ = r.folder.Close()
		r.folder = nil
	}
}

// findStale adds the files to delete in a folder and below it: those that an earlier run wrote and
// this run does not. It follows no symbolic links. folder is a path whose last element is in parent.
func (p *Plan) findStale(ctx context.Context, parent *os.Root, folder string, output Output) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	unreadable := func(err error) error {
		return &fileError{p.file(folder), fmt.Sprintf("cannot look for files of earlier runs: %v; make the folder readable, or use another --output-dir", regular.WithoutPath(err))}
	}
	root, err := parent.OpenRoot(path.Base(folder))
	if err != nil {
		return unreadable(err)
	}
	defer root.Close()
	entries, err := readDir(root)
	if err != nil {
		return unreadable(err)
	}
	var errs []error
	for _, entry := range entries {
		name := path.Join(folder, entry.Name())
		switch {
		case entry.IsDir():
			errs = append(errs, p.findStale(ctx, root, name, output))
		case !entry.Type().IsRegular():
		case isAbandoned(entry.Name(), time.Now()):
			p.abandoned = append(p.abandoned, name)
		case strings.HasSuffix(name, ".go") && output.Files[name] == nil:
			content, err := regular.Read(root.OpenFile, entry.Name())
			if err != nil {
				errs = append(errs, &fileError{p.file(name), fmt.Sprintf("cannot determine whether an earlier run wrote this file: %v; move it away, or use another --output-dir", regular.WithoutPath(err))})
			} else if isOurs(content, output.Header) {
				p.Changes = append(p.Changes, Change{Path: name, Old: content})
			}
		}
	}
	return errors.Join(errs...)
}

// readDir returns the entries of a root. The method FS of a root would refuse names that are not
// UTF-8.
func readDir(root *os.Root) ([]fs.DirEntry, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadDir(-1)
}

// checkDir returns an error if the output folder is a file, or is below one.
func checkDir(dir string) error {
	for d := dir; ; d = filepath.Dir(d) {
		info, err := os.Stat(d)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("cannot write to the output folder %s, because %s is a file; use another --output-dir", dir, d)
		case err == nil || d == filepath.Dir(d):
			return nil
		}
	}
}

// isOurs reports whether the header is one of the lines above the package clause.
func isOurs(content []byte, header string) bool {
	return slices.Contains(linesAbovePackage(content), header)
}

// linesAbovePackage returns the comments above the package clause. It returns nil if the file does
// not parse up to that clause.
func linesAbovePackage(content []byte) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "", content, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return nil
	}
	var all []string
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if comment.Pos() < file.Package {
				all = append(all, comment.Text)
			}
		}
	}
	return all
}

func (p *Plan) file(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// Count returns how many files the plan creates or changes, and how many it deletes.
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
