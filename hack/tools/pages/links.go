package main

import (
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

const module = "github.com/typedinformers/informer-gen"

var (
	// onGitHub is the address of a file of this repository. In a file that is not Markdown, it ends before the expressions
	// of a template.
	onGitHub = regexp.MustCompile(`https://` + regexp.QuoteMeta(module) + `/(?:blob|tree|raw|edit)/[^/\s]+/([\w./%+-]*)(?:#([\w-]*))?`)
	onGoDev  = regexp.MustCompile(`^https://pkg\.go\.dev/` + regexp.QuoteMeta(module) + `(?:@[^/#]*)?((?:/[^@#]*)?)`)
)

func (r *repository) checkLinks(p *page) {
	for _, l := range p.links {
		r.checkLink(p.name, l)
	}
	for _, line := range p.stray {
		r.add(p.name, line, "this paragraph has a link that is shown as text; write [text](target) without spaces in the target, or define the label")
	}
}

func (r *repository) checkLink(from string, l link) {
	u, err := url.Parse(l.target)
	onSite, packages := onGitHub.FindStringSubmatch(l.target), onGoDev.FindStringSubmatch(l.target)
	switch {
	case err != nil:
		r.add(from, l.line, "the link %q cannot be parsed: %v; write an https address, or a path relative to this file", l.target, err)
	case u.Scheme == "" && u.Host == "" && u.Path == "":
		r.checkPath(from, l, from, u.Fragment)
	case u.Scheme == "" && u.Host == "":
		r.checkPath(from, l, path.Join(path.Dir(from), u.Path), u.Fragment)
	case u.Scheme != "https" || !strings.Contains(u.Hostname(), "."):
		r.add(from, l.line, "the link %q is not https, or has no host; write https://host/path, or a path relative to this file", l.target)
	case onSite != nil:
		r.checkPath(from, l, path.Clean(onSite[1]), onSite[2])
	case packages != nil && !r.folders[path.Join(".", packages[1])]:
		r.add(from, l.line, "the link %q names a folder that does not exist; write the path of an existing package", l.target)
	}
}

// checkPath checks that the repository has a file or folder, and its anchor.
func (r *repository) checkPath(from string, l link, name, anchor string) {
	p := r.pages[name]
	if p == nil {
		p = r.pages[path.Join(name, "README.md")] // which GitHub shows below the list of files
	}
	switch {
	case !r.folders[name] && r.texts[name] == nil:
		r.add(from, l.line, "the link %q names %s, which does not exist; write the path of an existing file", l.target, name)
	case anchor != "" && (p == nil || !p.anchors[anchor]):
		r.add(from, l.line, "the link %q has an anchor that is no heading of %s; write the anchor of a heading", l.target, name)
	}
}

// checkOtherFiles checks the addresses of files on GitHub in all other files: in messages, runbooks and issue forms.
func (r *repository) checkOtherFiles() {
	for name, text := range r.texts {
		if r.pages[name] != nil || strings.HasPrefix(name, "hack/tools/pages/") {
			continue // the tests here have wrong addresses on purpose
		}
		for _, at := range onGitHub.FindAllIndex(text, -1) {
			r.checkLink(name, link{strings.TrimRight(string(text[at[0]:at[1]]), ".#"), lineAt(text, at[0])})
		}
	}
}

// slugger makes the anchors of the headings of one page as GitHub does. The values are how often a name was used.
type slugger map[string]int

// next returns the anchor of the next heading. The second heading of a name gets the suffix -1, the third one -2.
func (s slugger) next(heading string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
	s[name]++
	if n := s[name]; n > 1 {
		return name + "-" + strconv.Itoa(n-1)
	}
	return name
}
