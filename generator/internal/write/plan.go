package write

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// Plan holds the differences between the outputs and the disk.
type Plan struct {
	folders []*folder
	// Changes are in the order of the outputs, and sorted by path in each of them.
	Changes []Change
	// Unchanged is the number of files that do not differ.
	Unchanged int
}

// IsEmpty reports whether a folder has none of the files of its output.
func (p *Plan) IsEmpty(dir string) bool {
	return !slices.ContainsFunc(p.folders, func(f *folder) bool {
		return f.dir == dir && (f.unchanged > 0 ||
			slices.ContainsFunc(f.changes, func(c Change) bool { return c.Old != nil && c.New != nil }))
	})
}

// NewPlan compares outputs with the disk. It returns an error if a file would be replaced that the
// generator did not write, or if a path has a symbolic link that leads out of its folder.
func NewPlan(ctx context.Context, outputs ...Output) (*Plan, error) {
	p := &Plan{}
	var errs []error
	for _, output := range outputs {
		f := &folder{dir: output.Dir, within: output.Within, displayDir: output.DisplayDir, owned: output.Owned}
		errs = append(errs, f.plan(ctx, output)...)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slices.SortFunc(f.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
		p.folders = append(p.folders, f)
		p.Changes = append(p.Changes, f.changes...)
		p.Unchanged += f.unchanged
	}
	slices.SortStableFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return p, errors.Join(errs...)
}

// plan adds the changes in the folder. It stops early if ctx ends.
func (f *folder) plan(ctx context.Context, output Output) []error {
	if err := checkDir(output.Dir); err != nil {
		return []error{err}
	}
	root, err := f.open()
	var leadsOut *fileError
	switch {
	case errors.As(err, &leadsOut):
		return []error{err}
	case errors.Is(err, fs.ErrNotExist):
		for name, content := range output.Files {
			f.change(name, nil, content)
		}
		return nil
	case err != nil:
		return []error{fmt.Errorf("cannot read the %s %s: %w; make it readable, or %s", f.noun(), output.Dir, regular.WithoutPath(err),
			f.otherwise(""))}
	}
	defer root.Close()
	errs := f.compare(ctx, root, output)
	for _, name := range output.Roots {
		// A link or a file holds no files of earlier runs, or compare has returned an error for it.
		if info, err := root.Lstat(name); err == nil && info.IsDir() {
			errs = append(errs, f.findStale(ctx, root, name, output))
		}
	}
	if len(output.Owned) > 0 {
		errs = append(errs, f.findOwned(root, output)) // load has checked the package
	} else {
		errs = append(errs, f.checkNeighbors(root, output)...)
	}
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// compare adds the files to create and to change. It stops early if ctx ends.
func (f *folder) compare(ctx context.Context, root *os.Root, output Output) (errs []error) {
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
			obstacle = f.obstacle(root, name)
		}
		switch {
		case obstacle != nil:
			if !obstacles[obstacle.file] { // one error, even if it blocks several files
				errs = append(errs, obstacle)
			}
			obstacles[obstacle.file] = true
		case errors.Is(err, fs.ErrNotExist):
			f.change(name, nil, content)
		case err != nil:
			errs = append(errs, &fileError{f.file(name), fmt.Sprintf("cannot read the file that would be replaced: %v; "+
				"move it away, or %s", regular.WithoutPath(err), f.otherwise(name))})
		case bytes.Equal(withoutCR(old), content):
			f.unchanged++
		case !isOurs(old, output.Header):
			foreign.add(name, old)
		default:
			f.change(name, old, content)
		}
	}
	return append(errs, foreign.errors(f)...)
}

// withoutCR returns content with the line ends that the generator writes. Git may have checked the file
// out with the line ends of Windows. For Go both are the same, also in a raw string.
func withoutCR(content []byte) []byte {
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
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
