package write

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// findStale adds the files to delete in a folder and below it, which an earlier run wrote and this
// run does not. It follows no symbolic links. at is a path whose last element is in parent.
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

// findOwned adds the files to delete in the folder itself: files of output.Owned that an earlier run
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
		return &fileError{f.file(at), fmt.Sprintf("cannot look for files of earlier runs: %v; make the folder readable, or %s",
			regular.WithoutPath(err), f.otherwise(""))}
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
		return &fileError{f.file(name), fmt.Sprintf("cannot determine whether an earlier run wrote this file: %v; move it away, or %s",
			regular.WithoutPath(err), f.otherwise(name))}
	}
	if isOurs(content, output.Header) {
		f.change(name, content, nil)
	}
	return nil
}
