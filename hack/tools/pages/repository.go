package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// mistake is what a maintainer has to correct.
type mistake struct {
	file string
	line int
	text string
}

func (m mistake) String() string { return fmt.Sprintf("%s:%d: %s", m.file, m.line, m.text) }

func (m mistake) compare(other mistake) int {
	return cmp.Or(strings.Compare(m.file, other.file), cmp.Compare(m.line, other.line), strings.Compare(m.text, other.text))
}

// repository has the files that git knows.
type repository struct {
	files   fs.FS
	names   []string            // of files, sorted
	folders map[string][]string // the files in each folder, without those in folders below
	pages   map[string]*page    // the Markdown files
}

func newRepository(files fs.FS, names []string) *repository {
	r := &repository{files: files, names: slices.Sorted(slices.Values(names)), folders: map[string][]string{}, pages: map[string]*page{}}
	for _, name := range r.names {
		r.folders[path.Dir(name)] = append(r.folders[path.Dir(name)], name)
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, ok := r.folders[path.Dir(dir)]; !ok {
				r.folders[path.Dir(dir)] = nil
			}
		}
	}
	return r
}

func (r *repository) hasFile(name string) bool {
	_, ok := slices.BinarySearch(r.names, name)
	return ok
}

func (r *repository) hasFolder(name string) bool {
	_, ok := r.folders[name]
	return ok
}

func (r *repository) readPages() error {
	for _, name := range r.names {
		if path.Ext(name) != ".md" {
			continue
		}
		source, err := fs.ReadFile(r.files, name)
		if err != nil {
			return err
		}
		r.pages[name] = parse(name, source)
	}
	return nil
}
