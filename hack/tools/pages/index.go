package main

import (
	"fmt"
	"net/url"
	"path"
	"strings"
)

// opening is how each page of docs begins, so that a reader knows at once whether to go on.
const opening = "This page is for "

// checkIndex checks that the README of each folder below docs links all of its pages and folders,
// and that README.md links docs.
func (r *repository) checkIndex() (mistakes []mistake) {
	demand := func(index, name string) {
		p := r.pages[index]
		if p == nil {
			mistakes = append(mistakes, mistake{index, 1, "this index does not exist, and " + name + " has to be linked; write it"})
		} else if !p.hasLink(name) {
			target := strings.TrimPrefix(name, strings.TrimPrefix(path.Dir(index)+"/", "./"))
			mistakes = append(mistakes, mistake{index, 1, fmt.Sprintf("the index does not link %s; write a line with [text](%s), and who needs it", name, target)})
		}
	}
	for _, name := range r.names {
		if !strings.HasPrefix(name, "docs/") || r.pages[name] == nil {
			continue
		}
		if folder := path.Dir(name); path.Base(name) == "README.md" {
			demand(path.Join(path.Dir(folder), "README.md"), name)
		} else {
			demand(path.Join(folder, "README.md"), name)
		}
		if p := r.pages[name]; !strings.HasPrefix(p.opening, opening) {
			mistakes = append(mistakes, mistake{name, p.start, fmt.Sprintf("the page does not begin with a title and a sentence on who needs it; write %q after the title", opening+"…")})
		}
	}
	return mistakes
}

// hasLink reports whether a page links a file.
func (p *page) hasLink(name string) bool {
	for _, l := range p.links {
		if u, err := url.Parse(l.target); err == nil && u.Host == "" && path.Join(path.Dir(p.name), u.Path) == name {
			return true
		}
	}
	return false
}
