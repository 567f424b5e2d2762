package migrate

import (
	"cmp"
	"slices"
)

// position is a line of a file. The path is absolute.
type position struct {
	file string
	line int
}

// source is a file with its text.
type source struct {
	path, text string
}

// edit replaces a part of a file.
type edit struct {
	position
	start, end int
	text       string
	// what is printed about it; empty for nothing.
	what string
}

func byFile(edits []edit) map[string][]edit {
	files := map[string][]edit{}
	for _, e := range edits {
		files[e.file] = append(files[e.file], e)
	}
	return files
}

// edited returns a text after edits that do not overlap.
func edited(text []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(b.start, a.start) })
	for _, e := range edits {
		text = slices.Concat(text[:e.start], []byte(e.text), text[e.end:])
	}
	return text
}
