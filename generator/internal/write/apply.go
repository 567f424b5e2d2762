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

// Apply makes all changes of the plan, in all of its folders, or none. It writes all new content to temporary
// files before it replaces the first file, and keeps the old files until the last one is replaced. Each file is
// replaced atomically. If Apply fails or ctx ends first, it undoes its changes. If the process is
// killed, each file has either its old or its new content: the next run makes the other changes, and
// a run more than an hour later removes the temporary files.
//
// A new file has mode 0666 before the umask, and a replaced file keeps its mode. Nothing outside the
// folders is read or changed, even if a folder in one of them has become a symbolic link since NewPlan.
func (p *Plan) Apply(ctx context.Context) (err error) {
	var all []*transaction
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w; %s", err, undo(all))
		}
		for _, t := range all {
			t.close()
		}
	}()
	for _, f := range p.folders {
		if len(f.changes)+len(f.abandoned) > 0 {
			all = append(all, &transaction{folder: f})
		}
	}
	for _, step := range []func(*transaction) error{
		(*transaction).open,
		func(t *transaction) error { return each(ctx, t.changes, t.stage) },
		func(t *transaction) error { return each(ctx, t.staged, t.replace) },
		func(t *transaction) error { return each(ctx, t.changes, t.remove) },
	} {
		for _, t := range all {
			if err := step(t); err != nil {
				return fmt.Errorf("cannot write the output to %s: %w", t.dir, err)
			}
		}
	}
	for _, t := range all {
		t.deleteBackups()
		t.prune()
	}
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

// prune deletes the temporary files of killed runs, and the folders that are now empty. It ignores
// errors, because such a file or folder does no harm.
func (t *transaction) prune() {
	deleted := slices.Clone(t.abandoned)
	for _, name := range t.abandoned {
		_ = t.root.Remove(name)
	}
	for _, c := range t.changes {
		if c.New == nil {
			deleted = append(deleted, c.Path)
		}
	}
	for _, name := range deleted {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if t.root.Remove(dir) != nil {
				break // not empty: it holds a file of the user
			}
		}
	}
}

// transaction holds the changes that were made in a folder, for undo. Paths are relative to the
// folder, with slashes.
type transaction struct {
	*folder
	// root is the open folder. It is nil if the folder could not be opened.
	root   *os.Root
	staged []stagedFile
	// done are the changed files, in the order of the changes.
	done []changedFile
	// above are the new folders down to the folder, and below are the new folders in it. Parents
	// are before their children.
	above, below []string
}

type stagedFile struct{ temporary, final string }

// changedFile is a path and the copy of its old file; backup is empty if there was none.
type changedFile struct{ final, backup string }

// open opens the folder, and makes an output folder that does not exist.
func (t *transaction) open() (err error) {
	if len(t.within) == 0 { // folders of packages exist
		if t.above, err = makeDir(t.dir, filepath.Dir, os.Stat, os.Mkdir); err != nil {
			return err
		}
	}
	t.root, err = t.folder.open()
	return err
}

func (t *transaction) close() {
	if t.root != nil {
		_ = t.root.Close()
	}
}

// makeDir makes dir and its parents, and returns the new folders, parents first.
func makeDir(
	dir string, parent func(string) string, stat func(string) (fs.FileInfo, error), mkdir func(string, fs.FileMode) error,
) (made []string, err error) {
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

// stage writes new content to a temporary file next to the final one.
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
	if replaces { // OpenFile has applied the umask
		err = errors.Join(err, file.Chmod(perm))
	}
	return errors.Join(err, file.Close())
}

// replace renames a temporary file to its final name.
func (t *transaction) replace(f stagedFile) error {
	backup, err := t.backUp(f.final)
	if err != nil {
		return err
	}
	if err := t.root.Rename(f.temporary, f.final); err != nil {
		if backup != "" && t.root.Rename(backup, f.final) == nil {
			_ = t.root.Remove(backup) // for two links of one file, Rename does nothing
		}
		return err
	}
	t.done = append(t.done, changedFile{f.final, backup})
	return nil
}

// remove deletes a stale file. It keeps a backup for undo.
func (t *transaction) remove(c Change) error {
	if c.New != nil {
		return nil
	}
	info, err := t.root.Lstat(c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder, but was a file", c.Path)
	}
	backup := temporaryName(c.Path)
	if err := t.root.Rename(c.Path, backup); err != nil {
		return err
	}
	t.done = append(t.done, changedFile{c.Path, backup})
	return nil
}

// backUp makes a second link to a file as its backup. It returns "" if there is no such file.
func (t *transaction) backUp(name string) (backup string, err error) {
	info, err := t.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case info.IsDir():
		return "", fmt.Errorf("%s is a folder, but a file is needed here", name)
	}
	backup = temporaryName(name)
	if t.root.Link(name, backup) == nil {
		return backup, nil
	}
	// The file system has no links, so the file is missing until it is replaced.
	return backup, t.root.Rename(name, backup)
}

// deleteBackups deletes the backups.
func (t *transaction) deleteBackups() {
	for _, f := range t.done {
		if f.backup != "" {
			_ = t.root.Remove(f.backup)
		}
	}
}

// undo undoes the changes in all folders, and returns the end of the error message, which describes the disk.
func undo(all []*transaction) string {
	var errs []error
	for _, t := range slices.Backward(all) {
		errs = append(errs, t.undo()...)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Sprintf("the changes cannot be undone: %v; restore the folder from version control", err)
	}
	return "nothing was changed"
}

func (t *transaction) undo() (errs []error) {
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
		_ = t.root.Remove(d) // it stays if another process has put a file into it
	}
	for _, d := range slices.Backward(t.above) {
		_ = os.Remove(d)
	}
	return errs
}
