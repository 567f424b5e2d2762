package write

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Apply carries the plan out, or leaves everything as it was: all new content is
// on disk, beside its place, before the first file is replaced, and what is
// replaced or deleted is kept until the last one is. Each file is replaced in one
// step, so that nobody ever sees half of one. If ctx ends first, what was done is
// undone. If the process is killed, each file is as it was or as it is to be; the next
// run does the rest, and one that is an hour later removes the temporary files.
//
// A new file has the mode that the umask leaves of 0666, and a replaced file keeps its
// mode. Nothing outside the output folder is read or changed, even if a folder in it
// has become a symbolic link since the plan was made.
func (p *Plan) Apply(ctx context.Context) (err error) {
	if len(p.Changes)+len(p.abandoned) == 0 {
		return nil
	}
	var t transaction
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot write the output to %s: %w; %s", p.dir, err, t.undo())
		}
		if t.root != nil {
			_ = t.root.Close()
		}
	}()
	if err := t.open(p.dir); err != nil {
		return err
	}
	if err := each(ctx, p.Changes, t.stage); err != nil {
		return err
	}
	if err := each(ctx, t.staged, t.replace); err != nil {
		return err
	}
	if err := each(ctx, p.Changes, t.remove); err != nil {
		return err
	}
	t.forget()
	p.prune(t.root)
	return nil
}

// each calls do for each item, until do fails or ctx ends.
func each[T any](ctx context.Context, items []T, do func(T) error) error {
	for _, item := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := do(item); err != nil {
			return err
		}
	}
	return nil
}

// prune deletes what killed runs have left, and the folders that deleted files leave
// empty. A file that cannot be deleted does no harm where it is.
func (p *Plan) prune(root *os.Root) {
	deleted := slices.Clone(p.abandoned)
	for _, name := range p.abandoned {
		_ = root.Remove(name)
	}
	for _, c := range p.Changes {
		if c.New == nil {
			deleted = append(deleted, c.Path)
		}
	}
	for _, name := range deleted {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if root.Remove(dir) != nil {
				break // not empty: something of the user's is in it
			}
		}
	}
}

// transaction is what has been done to the disk, and how to go back. Names are below
// the output folder, with slashes.
type transaction struct {
	// root is the output folder; nil if it could not be opened.
	root   *os.Root
	staged []stagedFile
	// done are the places that have changed, in the order in which they did.
	done []changedFile
	// above are the folders that were made down to the output folder, and below are
	// those in it; outermost first.
	above, below []string
}

type stagedFile struct{ temporary, final string }

// changedFile is a place and what stood there before; backup is empty for nothing.
type changedFile struct{ final, backup string }

// open makes the output folder if it is not there.
func (t *transaction) open(dir string) (err error) {
	if t.above, err = makeDir(dir, filepath.Dir, os.Stat, os.Mkdir); err != nil {
		return err
	}
	t.root, err = os.OpenRoot(dir)
	return err
}

// makeDir makes dir, and returns the folders that were not there, outermost first.
func makeDir(dir string, parent func(string) string, stat func(string) (fs.FileInfo, error), mkdir func(string, fs.FileMode) error) (made []string, err error) {
	var missing []string
	for d := dir; ; d = parent(d) {
		if _, err := stat(d); !errors.Is(err, fs.ErrNotExist) || d == parent(d) {
			break
		}
		missing = append(missing, d)
	}
	for _, d := range slices.Backward(missing) {
		if err := mkdir(d, 0o777); err != nil {
			return made, err
		}
		made = append(made, d)
	}
	return made, nil
}

// stage writes new content next to its place.
func (t *transaction) stage(c Change) error {
	if c.New == nil {
		return nil
	}
	made, err := makeDir(path.Dir(c.Path), path.Dir, t.root.Stat, t.root.Mkdir)
	t.below = append(t.below, made...)
	if err != nil {
		return err
	}
	perm, replaces := fs.FileMode(0o666), false
	if info, err := t.root.Lstat(c.Path); err == nil && info.Mode().IsRegular() {
		perm, replaces = info.Mode().Perm(), true
	}
	temporary := temporaryName(c.Path)
	file, err := t.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	t.staged = append(t.staged, stagedFile{temporary, c.Path})
	_, err = file.Write(c.New)
	if replaces { // with all of the mode, whatever the umask is
		err = errors.Join(err, file.Chmod(perm))
	}
	return errors.Join(err, file.Close())
}

// replace moves staged content to its place.
func (t *transaction) replace(f stagedFile) error {
	backup, err := t.keep(f.final)
	if err != nil {
		return err
	}
	if err := t.root.Rename(f.temporary, f.final); err != nil {
		if backup != "" && t.root.Rename(backup, f.final) == nil {
			_ = t.root.Remove(backup) // two links of one file: renaming left both
		}
		return err
	}
	t.done = append(t.done, changedFile{f.final, backup})
	return nil
}

// remove takes a left-over file away.
func (t *transaction) remove(c Change) error {
	if c.New != nil {
		return nil
	}
	backup := temporaryName(c.Path)
	switch err := t.root.Rename(c.Path, backup); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	t.done = append(t.done, changedFile{c.Path, backup})
	return nil
}

// keep gives a file a second name, under which it outlives its replacement. It
// returns "" if there is no such file.
func (t *transaction) keep(name string) (backup string, err error) {
	info, err := t.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case info.IsDir():
		return "", fmt.Errorf("%s is a folder, where a file has to be", name)
	}
	backup = temporaryName(name)
	if t.root.Link(name, backup) == nil {
		return backup, nil
	}
	// The file system has no links. So the file is away for a moment.
	return backup, t.root.Rename(name, backup)
}

// forget drops what undo would need.
func (t *transaction) forget() {
	for _, f := range t.done {
		if f.backup != "" {
			_ = t.root.Remove(f.backup)
		}
	}
}

// undo goes back to where the transaction began, and says whether it got there.
func (t *transaction) undo() string {
	var errs []error
	for _, f := range slices.Backward(t.done) {
		if f.backup == "" {
			errs = append(errs, t.root.Remove(f.final))
		} else {
			errs = append(errs, t.root.Rename(f.backup, f.final))
		}
	}
	for _, f := range t.staged {
		if err := t.root.Remove(f.temporary); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	for _, d := range slices.Backward(t.below) {
		_ = t.root.Remove(d) // it stays if somebody else has put something into it
	}
	for _, d := range slices.Backward(t.above) {
		_ = os.Remove(d)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Sprintf("and what was written cannot be taken back: %v; restore the folder from version control", err)
	}
	return "nothing was changed"
}
