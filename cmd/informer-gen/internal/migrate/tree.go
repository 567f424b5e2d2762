package migrate

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// tree changes files, and can restore them. It has a copy of each file before its first change.
type tree struct {
	copies map[string]copied
	// watched are folders that commands write to.
	watched []string
	// moved are folders that others replace, with their places until finish.
	moved map[string]string
}

// copied is a file as it was; nil content for one that did not exist.
type copied struct {
	content []byte
	mode    fs.FileMode
}

func newTree() *tree { return &tree{copies: map[string]copied{}, moved: map[string]string{}} }

// keep copies a file before something else changes it.
func (t *tree) keep(path string) error {
	if _, ok := t.copies[path]; ok {
		return nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.copies[path] = copied{}
		return nil
	}
	if err != nil {
		return err
	}
	content, err := os.ReadFile(path)
	t.copies[path] = copied{append([]byte{}, content...), info.Mode().Perm()}
	return err
}

// write replaces the content of a file.
func (t *tree) write(path string, content []byte) error {
	if err := t.keep(path); err != nil {
		return err
	}
	mode := t.copies[path].mode
	if mode == 0 {
		mode = 0o644
	}
	return os.WriteFile(path, content, mode)
}

// remove removes a file.
func (t *tree) remove(path string) error {
	if err := t.keep(path); err != nil {
		return err
	}
	return os.Remove(path)
}

// watch copies all files of a folder, which commands change next.
func (t *tree) watch(dir string) error {
	t.watched = append(t.watched, dir)
	return eachFile(dir, t.keep)
}

// move moves a folder out of the way until restore or finish.
func (t *tree) move(dir string) error {
	to, err := os.MkdirTemp(filepath.Dir(dir), ".informer-gen-")
	if err != nil {
		return err
	}
	t.moved[dir] = to
	return os.Rename(dir, filepath.Join(to, filepath.Base(dir)))
}

// restore puts all files back, and removes those that are new.
func (t *tree) restore() error {
	var errs []error
	for _, dir := range t.watched {
		errs = append(errs, eachFile(dir, func(path string) error {
			if _, ok := t.copies[path]; !ok {
				return os.Remove(path)
			}
			return nil
		}))
	}
	for path, was := range t.copies {
		if was.content == nil {
			if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
			continue
		}
		if now, err := os.ReadFile(path); err == nil && bytes.Equal(now, was.content) {
			continue
		}
		errs = append(errs, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, was.content, was.mode))
	}
	for dir, from := range t.moved {
		errs = append(errs, os.RemoveAll(dir), os.Rename(filepath.Join(from, filepath.Base(dir)), dir))
	}
	errs = append(errs, t.finish())
	for _, dir := range t.watched {
		errs = append(errs, removeEmpty(dir))
	}
	return errors.Join(errs...)
}

// finish removes what restore would need.
func (t *tree) finish() error {
	var errs []error
	for _, to := range t.moved {
		errs = append(errs, os.RemoveAll(to))
	}
	return errors.Join(errs...)
}

// changed returns the files that differ from what they were, and those that are new.
func (t *tree) changed() (differing, created []string, err error) {
	for path, was := range t.copies {
		now, err := os.ReadFile(path)
		switch {
		case was.content == nil && err == nil:
			created = append(created, path)
		case was.content != nil && (err != nil || !bytes.Equal(now, was.content)):
			differing = append(differing, path)
		}
	}
	for _, dir := range t.watched {
		err = errors.Join(err, eachFile(dir, func(path string) error {
			if _, ok := t.copies[path]; !ok {
				created = append(created, path)
			}
			return nil
		}))
	}
	slices.Sort(differing)
	slices.Sort(created)
	return differing, created, err
}

func eachFile(dir string, do func(path string) error) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		return do(path)
	})
}

// removeEmpty removes a folder and the folders in it if they have no files.
func removeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if entry.IsDir() {
			err = errors.Join(err, removeEmpty(filepath.Join(dir, entry.Name())))
		}
	}
	if err != nil {
		return err
	}
	if entries, err = os.ReadDir(dir); err == nil && len(entries) == 0 {
		return os.Remove(dir)
	}
	return err
}
