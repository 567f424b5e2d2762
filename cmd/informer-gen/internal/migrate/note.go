package migrate

import (
	"fmt"
	"path/filepath"
)

// Note is a line that the user has to look at.
type Note struct {
	// File is relative to the folder of the run, and Line begins at 1. Line is 0 for a whole file, and File is empty for a note
	// without a place.
	File string
	Line int
	Text string
}

func (n Note) String() string {
	switch {
	case n.File == "":
		return n.Text
	case n.Line == 0:
		return n.File + ": " + n.Text
	}
	return fmt.Sprintf("%s:%d: %s", n.File, n.Line, n.Text)
}

// relative returns a path below or above a folder with slashes.
func relative(dir, path string) string {
	if way, err := filepath.Rel(dir, path); err == nil {
		path = way
	}
	return filepath.ToSlash(path)
}
