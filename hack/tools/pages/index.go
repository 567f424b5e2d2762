package main

import (
	"path"
	"slices"
	"strings"
)

// opening is how each page of docs begins, so that a reader knows at once whether to go on.
const opening = "This page is for "

// checkIndex checks that the README of its folder, or of the one above, links a page of docs, and how the page begins.
func (r *repository) checkIndex(p *page) {
	if !strings.HasPrefix(p.name, "docs/") {
		return
	}
	index := path.Join(path.Dir(p.name), "README.md")
	if index == p.name {
		index = path.Join(path.Dir(path.Dir(p.name)), "README.md")
	}
	links := func(l link) bool {
		target, _, _ := strings.Cut(l.target, "#")
		return path.Join(path.Dir(index), target) == p.name
	}
	if in := r.pages[index]; in == nil || !slices.ContainsFunc(in.links, links) {
		r.add(index, 1, "this index does not link %s; write a line with a link, and who needs it", p.name)
	}
	if !strings.HasPrefix(p.opening, opening) {
		r.add(p.name, 1, "the page does not begin with a title and a sentence on who needs it; write %q after the title", opening+"…")
	}
}
