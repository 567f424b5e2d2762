package write

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
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
	// deleted if they are stale. The values are the advice for a user who does not want the file,
	// such as "remove --deepcopy".
	Owned map[string]string
	// Header is the line that marks a file as written by the generator.
	Header string
	// Files has the content by path, relative to Dir and with slashes.
	Files map[string][]byte
}

// Change is a file that differs.
type Change struct {
	// Dir is the folder of the output.
	Dir string
	// Path is relative to Dir, with slashes, and DisplayPath is the path as printed in messages.
	Path, DisplayPath string
	// Old is nil for a file that is created, New for one that is deleted.
	Old, New []byte
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

// change adds a change of the file at a path.
func (f *folder) change(name string, before, after []byte) {
	f.changes = append(f.changes, Change{Dir: f.dir, Path: name, DisplayPath: path.Join(f.displayDir, name), Old: before, New: after})
}

// noun returns the word for the folder in messages.
func (f *folder) noun() string {
	if len(f.owned) > 0 {
		return "package folder"
	}
	return "output folder"
}

// otherwise returns the advice for a user who does not want the file. name is "" for the folder.
func (f *folder) otherwise(name string) string {
	if len(f.owned) == 0 {
		return "use another --output-dir"
	}
	return cmp.Or(f.owned[name], strings.Join(slices.Sorted(maps.Values(f.owned)), " and "))
}

func (f *folder) file(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

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

// fileError is an error about a file on disk.
type fileError struct{ file, message string }

func (e *fileError) Error() string { return e.file + ": " + e.message }

// HasPos reports whether the message begins with a position, here the name of a file.
func (e *fileError) HasPos() bool { return true }
