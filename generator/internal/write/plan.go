package write

import (
	"bytes"
	"cmp"
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

// Output has the generated files of one folder.
type Output struct {
	// Dir is the folder. It need not exist, and it may be a symbolic link.
	Dir string
	// Within are folders above Dir, the outer ones first. A link that leads out of one of them is an error. If it
	// is empty, Dir itself is the user's choice.
	Within []string
	// DisplayDir is Dir as printed in messages, with slashes.
	DisplayDir string
	// Roots are the folders below Dir that belong to the generator. Stale files are deleted from
	// them.
	Roots []string
	// Owned are files in Dir itself that belong to the generator although Dir is the user's. They are
	// deleted if they are stale. The values say what the user can do instead of having the file, such
	// as "remove --deepcopy".
	Owned map[string]string
	// Header is the line that marks a file as written by the generator.
	Header string
	// Files has the content by path, relative to Dir and with slashes.
	Files map[string][]byte
}

// Plan holds the differences between the outputs and the disk.
type Plan struct {
	folders []*folder
	// Changes are in the order of the outputs, and sorted by path in each of them.
	Changes []Change
	// Unchanged is the number of files that do not differ.
	Unchanged int
}

// folder is the part of a plan in one folder.
type folder struct {
	dir, displayDir string
	within          []string
	owned           map[string]string
	changes         []Change
	unchanged       int
	// abandoned are temporary files of killed runs, relative to the folder.
	abandoned []string
}

// Change is a file that differs.
type Change struct {
	// Dir is that of the output.
	Dir string
	// Path is relative to Dir, with slashes, and Shown is the path as printed in messages.
	Path, Shown string
	// Old is nil for a file that is created, New for one that is deleted.
	Old, New []byte
}

// IsEmpty reports whether a folder has none of the files of its output.
func (p *Plan) IsEmpty(dir string) bool {
	return !slices.ContainsFunc(p.folders, func(f *folder) bool {
		return f.dir == dir && (f.unchanged > 0 || slices.ContainsFunc(f.changes, func(c Change) bool { return c.Old != nil && c.New != nil }))
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
		return []error{fmt.Errorf("cannot read the %s %s: %w; make it readable, or %s", f.noun(), output.Dir, regular.WithoutPath(err), f.otherwise(""))}
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

// open opens the folder, and follows no link out of a folder in within.
func (f *folder) open() (*os.Root, error) {
	at := append(slices.Clone(f.within), f.dir)
	root, err := os.OpenRoot(at[0])
	for i := 1; i < len(at) && err == nil; i++ {
		outer := root
		var way string
		if way, err = filepath.Rel(at[i-1], at[i]); err == nil {
			root, err = outer.OpenRoot(way)
		}
		if err != nil {
			if in := (&folder{dir: at[i-1]}).obstacle(outer, filepath.ToSlash(way)); in != nil {
				err = &fileError{in.file, "this symbolic link leads out of " + at[i-1] + ", or its target does not exist; replace it with its target, or " + f.otherwise("")}
			}
		}
		_ = outer.Close()
	}
	return root, err
}

// change adds a change of the file at a path.
func (f *folder) change(name string, before, after []byte) {
	f.changes = append(f.changes, Change{Dir: f.dir, Path: name, Shown: path.Join(f.displayDir, name), Old: before, New: after})
}

// noun returns what the folder is for the user.
func (f *folder) noun() string {
	if len(f.owned) > 0 {
		return "package folder"
	}
	return "output folder"
}

// otherwise returns what the user can do instead of having the file, which may be "" for the folder.
func (f *folder) otherwise(name string) string {
	if len(f.owned) == 0 {
		return "use another --output-dir"
	}
	return cmp.Or(f.owned[name], strings.Join(slices.Sorted(maps.Values(f.owned)), " and "))
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
			errs = append(errs, &fileError{f.file(name), fmt.Sprintf("cannot read the file that would be replaced: %v; move it away, or %s", regular.WithoutPath(err), f.otherwise(name))})
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
// out with those of Windows. For Go both are the same, also in a raw string.
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

// findStale adds the files to delete in a folder and below it: those that an earlier run wrote and
// this run does not. It follows no symbolic links. at is a path whose last element is in parent.
func (f *folder) findStale(ctx context.Context, parent *os.Root, at string, output Output) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	root, entries, err := f.list(parent, at)
	if err != nil {
		return err
	}
	defer root.Close()
	var errs []error
	for _, entry := range entries {
		name := path.Join(at, entry.Name())
		switch {
		case entry.IsDir():
			errs = append(errs, f.findStale(ctx, root, name, output))
		case strings.HasPrefix(entry.Name(), ownedPrefix): // an API package may be in the folder
		case strings.HasSuffix(name, ".go"), strings.HasPrefix(entry.Name(), temporaryPrefix):
			errs = append(errs, f.addStale(root, entry, name, output))
		}
	}
	return errors.Join(errs...)
}

// ownedPrefix begins the names of the files in Output.Owned. No file below Output.Roots has it.
const ownedPrefix = "zz_generated."

// findOwned adds the files to delete in the folder itself: those of output.Owned that an earlier run
// wrote and this run does not, and temporary files.
func (f *folder) findOwned(parent *os.Root, output Output) error {
	root, entries, err := f.list(parent, ".")
	if err != nil {
		return err
	}
	defer root.Close()
	var errs []error
	for _, entry := range entries {
		if _, isOwned := output.Owned[entry.Name()]; isOwned || strings.HasPrefix(entry.Name(), temporaryPrefix) {
			errs = append(errs, f.addStale(root, entry, entry.Name(), output))
		}
	}
	return errors.Join(errs...)
}

// list opens a folder and returns its entries. at is a path whose last element is in parent.
func (f *folder) list(parent *os.Root, at string) (*os.Root, []fs.DirEntry, error) {
	unreadable := func(err error) error {
		return &fileError{f.file(at), fmt.Sprintf("cannot look for files of earlier runs: %v; make the folder readable, or %s", regular.WithoutPath(err), f.otherwise(""))}
	}
	root, err := parent.OpenRoot(path.Base(at))
	if err != nil {
		return nil, nil, unreadable(err)
	}
	entries, err := readDir(root)
	if err != nil {
		_ = root.Close()
		return nil, nil, unreadable(err)
	}
	return root, entries, nil
}

// addStale adds a file to the changes if an earlier run wrote it and this run does not. entry is in root.
func (f *folder) addStale(root *os.Root, entry fs.DirEntry, name string, output Output) error {
	switch {
	case !entry.Type().IsRegular() || output.Files[name] != nil:
		return nil
	case isAbandoned(entry.Name(), time.Now()):
		f.abandoned = append(f.abandoned, name)
		return nil
	case !strings.HasSuffix(name, ".go"), f.isWritten(name, output):
		return nil
	}
	content, err := regular.Read(root.OpenFile, entry.Name())
	if err != nil {
		return &fileError{f.file(name), fmt.Sprintf("cannot determine whether an earlier run wrote this file: %v; move it away, or %s", regular.WithoutPath(err), f.otherwise(name))}
	}
	if isOurs(content, output.Header) {
		f.change(name, content, nil)
	}
	return nil
}

// isWritten reports whether the run writes the file at a path under a name with other letter case. A file
// system that ignores case keeps the name of the file or folder that was there first.
func (f *folder) isWritten(name string, output Output) bool {
	for other := range output.Files {
		if other == name || !strings.EqualFold(other, name) {
			continue
		}
		before, err := os.Lstat(f.file(name))
		after, afterErr := os.Lstat(f.file(other))
		if err == nil && afterErr == nil && os.SameFile(before, after) {
			return true
		}
	}
	return false
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

func (f *folder) file(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

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
