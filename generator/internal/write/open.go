package write

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// open opens the folder, and follows no link out of a folder in within.
func (f *folder) open() (*os.Root, error) {
	at := append(slices.Clone(f.within), f.dir)
	root, err := os.OpenRoot(at[0])
	for i := 1; i < len(at) && err == nil; i++ {
		outer := root
		var rel string
		if rel, err = filepath.Rel(at[i-1], at[i]); err == nil {
			root, err = outer.OpenRoot(rel)
		}
		if err != nil {
			if in := (&folder{dir: at[i-1]}).obstacle(outer, filepath.ToSlash(rel)); in != nil {
				err = &fileError{in.file, "this symbolic link leads out of " + at[i-1] + ", or its target does not exist; " +
					"replace it with its target, or " + f.otherwise("")}
			}
		}
		_ = outer.Close()
	}
	return root, err
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
