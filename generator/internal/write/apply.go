package write

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Apply carries the plan out, or leaves everything as it was: all new content is
// on disk, beside its place, before the first file is replaced, and what is
// replaced or deleted is kept until the last one is. Each file is replaced in one
// step, so that nobody ever sees half of one. If the process is killed, each file is
// as it was or as it is to be; the next run does the rest, and one that is an hour
// later removes the temporary files.
func (p *Plan) Apply() (err error) {
	var t transaction
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot write the output: %w; %s", err, t.undo())
		}
	}()
	for _, c := range p.Changes {
		if c.New != nil {
			if err := t.stage(p.file(c.Path), c.New); err != nil {
				return err
			}
		}
	}
	for _, f := range t.staged {
		if err := t.replace(f); err != nil {
			return err
		}
	}
	for _, c := range p.Changes {
		if c.New == nil {
			if err := t.remove(p.file(c.Path)); err != nil {
				return err
			}
		}
	}
	t.forget()
	p.removeAbandoned()
	p.pruneDirs()
	return nil
}

// pruneDirs deletes the folders that deleted files leave empty.
func (p *Plan) pruneDirs() {
	deleted := slices.Clone(p.abandoned)
	for _, c := range p.Changes {
		if c.New == nil {
			deleted = append(deleted, c.Path)
		}
	}
	for _, name := range deleted {
		for dir := filepath.Dir(p.file(name)); dir != filepath.Clean(p.dir); dir = filepath.Dir(dir) {
			if os.Remove(dir) != nil {
				break // not empty: something of the user's is in it
			}
		}
	}
}

// transaction is what has been done to the disk, and how to go back.
type transaction struct {
	staged []stagedFile
	// done are the places that have changed, in the order in which they did.
	done []changedFile
	// dirs are the folders that were made, outermost first.
	dirs []string
}

type stagedFile struct{ temporary, final string }

// changedFile is a place and what stood there before; backup is empty for nothing.
type changedFile struct{ final, backup string }

func (t *transaction) stage(final string, content []byte) error {
	dir := filepath.Dir(final)
	if err := t.makeDir(dir); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(dir, temporaryName())
	if err != nil {
		return err
	}
	t.staged = append(t.staged, stagedFile{temporary.Name(), final})
	_, err = temporary.Write(content)
	return errors.Join(err, temporary.Chmod(0o644), temporary.Close())
}

// makeDir makes dir and remembers which folders were not there.
func (t *transaction) makeDir(dir string) error {
	var missing []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break
		}
		missing = append(missing, d)
	}
	for _, d := range slices.Backward(missing) {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
		t.dirs = append(t.dirs, d)
	}
	return nil
}

// replace moves staged content to its place.
func (t *transaction) replace(f stagedFile) error {
	backup, err := keep(f.final)
	if err != nil {
		return err
	}
	if err := os.Rename(f.temporary, f.final); err != nil {
		if backup != "" && os.Rename(backup, f.final) == nil {
			_ = os.Remove(backup) // two links of one file: renaming left both
		}
		return err
	}
	t.done = append(t.done, changedFile{f.final, backup})
	return nil
}

// remove takes a left-over file away.
func (t *transaction) remove(file string) error {
	backup, err := freeName(file)
	if err != nil {
		return err
	}
	switch err := os.Rename(file, backup); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	t.done = append(t.done, changedFile{file, backup})
	return nil
}

// keep gives a file a second name, under which it outlives its replacement. It
// returns "" if there is no such file.
func keep(file string) (backup string, err error) {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case info.IsDir():
		return "", fmt.Errorf("%s is a folder, where a file has to be", file)
	}
	if backup, err = freeName(file); err != nil {
		return "", err
	}
	if os.Link(file, backup) == nil {
		return backup, nil
	}
	// The file system has no links. So the file is away for a moment.
	return backup, os.Rename(file, backup)
}

// forget drops what undo would need.
func (t *transaction) forget() {
	for _, f := range t.done {
		if f.backup != "" {
			_ = os.Remove(f.backup)
		}
	}
}

// undo goes back to where the transaction began, and says whether it got there.
func (t *transaction) undo() string {
	var errs []error
	for _, f := range slices.Backward(t.done) {
		if f.backup == "" {
			errs = append(errs, os.Remove(f.final))
		} else {
			errs = append(errs, os.Rename(f.backup, f.final))
		}
	}
	for _, f := range t.staged {
		if err := os.Remove(f.temporary); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	for _, d := range slices.Backward(t.dirs) {
		_ = os.Remove(d) // it stays if somebody else has put something into it
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Sprintf("and what was written cannot be taken back: %v; restore the folder from version control", err)
	}
	return "nothing was changed"
}
