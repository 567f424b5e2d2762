package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	xmodule "golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// writeProxy writes the zip files of the released modules at HEAD of a repository to a folder, in the
// form of a module proxy. The files are those that the go command takes from a tag: the zip of a module
// without a license has that of the root folder.
func writeProxy(folder, repo string, modules []module, version string, now time.Time) error {
	for _, m := range modules {
		if !m.released {
			continue
		}
		escaped, err := xmodule.EscapePath(m.path)
		if err != nil {
			return err
		}
		versions := filepath.Join(folder, filepath.FromSlash(escaped), "@v")
		if err := os.MkdirAll(versions, 0o755); err != nil {
			return err
		}
		subdir := m.dir
		if subdir == "." {
			subdir = ""
		}
		var content bytes.Buffer
		if err := modzip.CreateFromVCS(&content, xmodule.Version{Path: m.path, Version: version}, repo, "HEAD", subdir); err != nil {
			return fmt.Errorf("the zip of %s: %w", m.path, err)
		}
		if err := checkZip(content.Bytes(), m.path+"@"+version); err != nil {
			return err
		}
		goMod, err := os.ReadFile(filepath.Join(repo, m.dir, "go.mod"))
		if err != nil {
			return err
		}
		info, err := json.Marshal(map[string]any{"Version": version, "Time": now})
		if err != nil {
			return err
		}
		for suffix, data := range map[string][]byte{version + ".zip": content.Bytes(), version + ".mod": goMod, version + ".info": info, "list": []byte(version + "\n")} {
			if err := os.WriteFile(filepath.Join(versions, suffix), data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkZip returns an error if the zip of a module lacks a file that pkg.go.dev needs to show its documentation.
func checkZip(content []byte, prefix string) error {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	for _, name := range []string{"LICENSE", "go.mod"} {
		if _, err := archive.Open(prefix + "/" + name); err != nil {
			return fmt.Errorf("the zip of %s has no %s; add the file to the folder of the module, or LICENSE to the root folder", prefix, name)
		}
	}
	return nil
}
