package write

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Apply carries the plan out. All new content is on disk, beside its place,
// before the first file is replaced: where a folder cannot be written or the
// disk is full, everything stays as it was. Each file is replaced in one step,
// so that nobody ever sees half of one.
func (p *Plan) Apply() (err error) {
	var s staging
	defer func() {
		if err != nil {
			s.undo()
		}
	}()
	for _, c := range p.Changes {
		if c.New == nil {
			continue
		}
		if err := s.add(p.file(c.Path), c.New); err != nil {
			return fmt.Errorf("cannot write the output, nothing was changed: %w", err)
		}
	}
	for _, f := range s.files {
		if err := os.Rename(f.temporary, f.final); err != nil {
			return fmt.Errorf("cannot replace a file; run the generator again: %w", err)
		}
	}
	s = staging{} // from here on there is nothing to undo
	for _, c := range p.Changes {
		if c.New == nil {
			if err := p.remove(c.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove deletes a left-over file, and the folders that it leaves empty.
func (p *Plan) remove(name string) error {
	file := p.file(name)
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot delete a file that is no longer produced: %w", err)
	}
	for dir := filepath.Dir(file); dir != filepath.Clean(p.dir); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			break // not empty: something of the user's is in it
		}
	}
	return nil
}

// staging is what has been put on disk and is not in its place yet.
type staging struct {
	files []stagedFile
	// dirs are the folders that were made, outermost first.
	dirs []string
}

type stagedFile struct{ temporary, final string }

func (s *staging) add(final string, content []byte) error {
	dir := filepath.Dir(final)
	if err := s.makeDir(dir); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(dir, ".informer-gen-*")
	if err != nil {
		return err
	}
	s.files = append(s.files, stagedFile{temporary.Name(), final})
	_, err = temporary.Write(content)
	return errors.Join(err, temporary.Chmod(0o644), temporary.Close())
}

// makeDir makes dir and remembers which folders were not there.
func (s *staging) makeDir(dir string) error {
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
		s.dirs = append(s.dirs, d)
	}
	return nil
}

// undo leaves the disk as it was, as far as the disk lets it.
func (s *staging) undo() {
	for _, f := range s.files {
		_ = os.Remove(f.temporary)
	}
	for _, d := range slices.Backward(s.dirs) {
		_ = os.Remove(d)
	}
}
