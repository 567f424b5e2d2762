package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	module = "github.com/typedinformers/informer-gen"
	onSite = "https://" + module // the address of the repository
)

var (
	lines = regexp.MustCompile(`^L(\d+)(?:C\d+)?(?:-L(\d+)(?:C\d+)?)?$`)
	// notFiles are the parts of the site of a repository that have no file in it.
	notFiles = regexp.MustCompile(`^(?:issues|pulls?|discussions|releases|tags|security|actions|compare|commits?|labels|milestones|wiki|stargazers)(?:/|$)`)
	// inText is an address of a file on GitHub in a file that is not Markdown. It ends before the expressions of a template.
	inText = regexp.MustCompile(regexp.QuoteMeta(onSite) + `/(?:blob|tree|raw|edit)/[\w./#%+-]*`)
)

func (r *repository) checkLinks(p *page) (mistakes []mistake) {
	for _, l := range p.links {
		if why := r.refuse(p.name, l.target); why != "" {
			mistakes = append(mistakes, mistake{p.name, l.line, why})
		}
	}
	for _, line := range p.stray {
		mistakes = append(mistakes, mistake{p.name, line, "this paragraph has a link that is shown as text; write [text](target) without spaces in the target, or define the label"})
	}
	return mistakes
}

// refuse returns why a page must not have a link, with what to write; "" if it may.
func (r *repository) refuse(from, target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return fmt.Sprintf("the link %q cannot be parsed: %v; write an https address, or a path relative to this file", target, err)
	}
	switch {
	case u.Scheme == "" && u.Host == "":
		if strings.HasPrefix(u.Path, "/") {
			return fmt.Sprintf("the link %q is absolute; write a path relative to this file", target)
		}
		name := from
		if u.Path != "" {
			name = path.Join(path.Dir(from), u.Path)
		}
		return r.refusePath(target, name, u.Fragment)
	case u.Scheme != "https":
		return fmt.Sprintf("the link %q is not https; write https://…, or a path relative to this file", target)
	case !strings.Contains(u.Hostname(), ".") || strings.ContainsAny(u.Host, "<> \"") || u.User != nil:
		return fmt.Sprintf("the link %q has no host; write https://host/path", target)
	}
	if rest, ok := strings.CutPrefix(u.Host+u.Path, "pkg.go.dev/"+module); ok && (rest == "" || rest[0] == '/' || rest[0] == '@') {
		return r.refusePackage(target, rest)
	}
	rest, ok := strings.CutPrefix(u.Host+u.Path, module)
	if !ok || rest != "" && rest[0] != '/' {
		return ""
	}
	return r.refuseOnSite(target, strings.Trim(rest, "/"), u.Fragment)
}

// refuseOnSite checks an address of this repository on GitHub: rest is its path below the repository.
func (r *repository) refuseOnSite(target, rest, anchor string) string {
	if rest == "" || notFiles.MatchString(rest) {
		return ""
	}
	parts := strings.SplitN(rest, "/", 3)
	if !slices.Contains([]string{"blob", "tree", "raw", "edit"}, parts[0]) || len(parts) < 2 {
		return fmt.Sprintf("the link %q is not an address of GitHub; write %s/blob/main/… for a file, or a relative path", target, onSite)
	}
	name := "."
	if len(parts) == 3 {
		name = path.Clean(parts[2])
	}
	return r.refusePath(target, name, anchor)
}

// refusePackage checks the address of a package of this repository on pkg.go.dev: rest is [@version][/folder][@version].
func (r *repository) refusePackage(target, rest string) string {
	folder := path.Join(".", strings.TrimPrefix(regexp.MustCompile(`@[^/]*`).ReplaceAllString(rest, ""), "/"))
	for _, name := range r.folders[folder] {
		if path.Ext(name) == ".go" || path.Base(name) == "go.mod" {
			return ""
		}
	}
	return fmt.Sprintf("the link %q names the package %s, and this folder has no Go file; write the path of an existing package", target, folder)
}

// refusePath checks that the repository has a file or folder, and its anchor.
func (r *repository) refusePath(target, name, anchor string) string {
	folder := r.hasFolder(name)
	switch {
	case name == ".." || strings.HasPrefix(name, "../"):
		return fmt.Sprintf("the link %q leaves the repository; write an https address", target)
	case !folder && !r.hasFile(name):
		return fmt.Sprintf("the link %q names %s, which does not exist; %s", target, name, r.suggest(name))
	case anchor == "":
		return ""
	case folder:
		name = path.Join(name, "README.md") // GitHub shows it below the list of files
	}
	if match := lines.FindStringSubmatch(anchor); match != nil {
		return r.refuseLines(target, name, match[1:])
	}
	p := r.pages[name]
	if p == nil {
		return fmt.Sprintf("the link %q has an anchor, but %s is not Markdown; write #L and a line, or no anchor", target, name)
	}
	if !p.anchors[anchor] {
		return fmt.Sprintf("the link %q has an anchor that is no heading of %s; write #%s", target, name, nearest(anchor, slices.Collect(maps.Keys(p.anchors))))
	}
	return ""
}

// refuseLines checks that a file has the lines of an anchor: first, last or "".
func (r *repository) refuseLines(target, name string, numbers []string) string {
	content, err := fs.ReadFile(r.files, name)
	if err != nil {
		return fmt.Sprintf("the link %q names lines of %s, which cannot be read: %v", target, name, err)
	}
	count := bytes.Count(content, []byte("\n"))
	for _, number := range numbers {
		if n, err := strconv.Atoi(number); number != "" && (err != nil || n < 1 || n > count) {
			return fmt.Sprintf("the link %q names line %s, but %s has %d lines; write a line that exists", target, number, name, count)
		}
	}
	return ""
}

// suggest returns what to write in place of a path that does not exist.
func (r *repository) suggest(name string) string {
	var same []string
	for _, other := range r.names {
		if strings.EqualFold(path.Base(other), path.Base(name)) {
			same = append(same, other)
		}
	}
	if len(same) == 0 || len(same) > 5 {
		return "write the path of an existing file, relative to this file"
	}
	return "write the relative path of " + strings.Join(same, " or ")
}

// nearest returns the candidate that has the longest beginning in common with a name.
func nearest(name string, candidates []string) string {
	if len(candidates) == 0 {
		return "… for a heading of the page; it has none yet"
	}
	common := func(a string) (n int) {
		for n < min(len(a), len(name)) && a[n] == name[n] {
			n++
		}
		return n
	}
	slices.Sort(candidates)
	return slices.MaxFunc(candidates, func(a, b string) int { return common(a) - common(b) })
}

// checkOtherFiles checks the addresses of files on GitHub in all other files: in messages, runbooks and issue forms.
func (r *repository) checkOtherFiles() (mistakes []mistake, err error) {
	for _, name := range r.names {
		if r.pages[name] != nil || strings.HasPrefix(name, "hack/tools/pages/") {
			continue // the tests here have wrong addresses on purpose
		}
		content, err := fs.ReadFile(r.files, name)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(content, []byte(onSite+"/")) {
			continue
		}
		for _, at := range inText.FindAllIndex(content, -1) {
			address := strings.TrimRight(string(content[at[0]:at[1]]), ".#")
			if why := r.refuse(name, address); why != "" {
				mistakes = append(mistakes, mistake{name, bytes.Count(content[:at[0]], []byte("\n")) + 1, why})
			}
		}
	}
	return mistakes, nil
}
