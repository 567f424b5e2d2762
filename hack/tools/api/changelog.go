package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// names are what the new lines of a changelog name.
type names struct {
	text string
	// dotted are words such as cache.Foo, Foo.Bar and cache.Foo.Bar. A star in them
	// stands for any letters.
	dotted []string
}

var dotted = regexp.MustCompile(`[\w*]+(?:\.[\w*]+)+`)

var unreleased = regexp.MustCompile(`(?m)^## \[?Unreleased\b.*$`)

// headings are the headings whose lines announce breaks. A line about an addition names what is new.
var headings = []string{"### Changed", "### Deprecated", "### Removed", "### Security"}

// readNames returns what a changelog names under the headings of Unreleased, in lines that its earlier version
// does not have.
func readNames(older, newer string) (names, error) {
	before, err := os.ReadFile(older)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return names{}, err
	}
	after, err := os.ReadFile(newer)
	if err != nil {
		return names{}, err
	}
	return newNames(before, after)
}

func newNames(before, after []byte) (names, error) {
	known := map[string]bool{}
	for line := range strings.Lines(string(before)) {
		known[strings.TrimSpace(line)] = true
	}
	heading := unreleased.FindIndex(after)
	if heading == nil {
		return names{}, errors.New("the changelog has no heading Unreleased; add it")
	}
	section, _, _ := bytes.Cut(after[heading[1]:], []byte("\n## "))
	var n names
	breaks := false
	for line := range strings.Lines(string(section)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			breaks = slices.Contains(headings, line)
		} else if breaks && !known[line] {
			n.text += line + "\n"
		}
	}
	n.dotted = dotted.FindAllString(n.text, -1)
	return n, nil
}

// has reports whether the changelog names what has changed.
func (n names) has(c change) bool {
	if c.Identifier == "" {
		return strings.Contains(n.text, "`"+c.nameInChangelog()+"`")
	}
	whole := c.Package.Name() + "." + c.Identifier
	for _, name := range n.dotted {
		for _, is := range []string{whole, c.nameInChangelog()} {
			if ok, err := path.Match(name, is); ok && err == nil {
				return true
			}
		}
	}
	return false
}
