package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// exceptions are the blocks of Go that are not text of a Go file. A test generates code for them, or like them.
var exceptions = []exception{
	// The test generates code for each example, compares what is emitted, and checks the calls.
	{"docs/markers.md", func(block) bool { return true }, "generator/markers_doc_test.go", "TestMarkersDoc"},
	// An example of the output for a module that no go.mod requires.
	{"docs/dependencies.md", func(b block) bool { return strings.Contains(b.code, "= karpenterv1.") }, "cmd/informer-gen/alias_test.go", "TestAliases"},
}

// sameFolder has the folder that the pages name in place of the one that the tests need.
var sameFolder = strings.NewReplacer(`"../../examples/operator/config/crd"`, `"../config/crd"`)

type exception struct {
	page  string
	match func(block) bool
	file  string // of the test
	test  string
}

// code has the Go files that people write, each with the lines that are not empty, without indentation.
type code struct {
	files  map[string]string
	recent []string     // files that had a block: the next block of a page is mostly in the same one
	used   map[int]bool // the exceptions
}

var (
	generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	ignored   = regexp.MustCompile(`(?m)^//go:build ignore`)
	elision   = regexp.MustCompile(`^(?:…$|// ?…)`)
	imported  = regexp.MustCompile(`^(?:import )?((?:[\w.]+ )?"[^"]+")$`)
)

func (r *repository) readCode() (*code, error) {
	c := &code{files: map[string]string{}, used: map[int]bool{}}
	for _, name := range r.names {
		if path.Ext(name) != ".go" || !isCompiled(name) {
			continue
		}
		content, err := fs.ReadFile(r.files, name)
		if err != nil {
			return nil, err
		}
		if head := content[:min(len(content), 2000)]; !generated.Match(head) && !ignored.Match(head) {
			text := sameFolder.Replace(string(content))
			c.files[name] = "\n" + strings.Join(linesOf(text), "\n") + "\n"
		}
	}
	return c, nil
}

// isCompiled reports whether the go command compiles a file. The module testdata is compiled, but not its input with
// errors, and not the testdata of packages.
func isCompiled(name string) bool {
	folders := strings.Split(path.Dir(name), "/")
	return !strings.HasPrefix(name, "testdata/errors/") && !strings.HasPrefix(name, "hack/tools/pages/") && !slices.Contains(folders[1:], "testdata")
}

// linesOf returns the lines that are not empty, without indentation.
func linesOf(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func (c *code) checkPage(p *page) (mistakes []mistake) {
	for _, b := range p.blocks {
		if language, _, _ := strings.Cut(b.language, " "); language != "go" || isTyped(p.name, b) || c.isException(p.name, b) {
			continue
		}
		if missing := c.missing(b); missing != "" {
			mistakes = append(mistakes, mistake{p.name, b.line, fmt.Sprintf("no test compiles this code, because no Go file has the line %q next to the others; "+
				"copy the block to a test, for example in test/guide, or list a test that compiles it in hack/tools/pages/code.go", missing)})
		}
	}
	return mistakes
}

func (c *code) isException(page string, b block) bool {
	for i, e := range exceptions {
		if e.page == page && e.match(b) {
			c.used[i] = true
			return true
		}
	}
	return false
}

// checkExceptions checks that each exception has a block and a test.
func (c *code) checkExceptions(r *repository) (mistakes []mistake) {
	for i, e := range exceptions {
		if r.pages[e.page] == nil {
			continue // in a test of this command
		}
		if !strings.Contains(c.files[e.file], "\nfunc "+e.test+"(") {
			mistakes = append(mistakes, mistake{"hack/tools/pages/code.go", 1, fmt.Sprintf("%s has no %s, which compiles code of %s; correct the exception", e.file, e.test, e.page)})
		}
		if !c.used[i] {
			mistakes = append(mistakes, mistake{"hack/tools/pages/code.go", 1, fmt.Sprintf("%s has no block for the exception %s; delete the exception", e.page, e.test)})
		}
	}
	return mistakes
}

// missing returns "" if one file has all code of a block, in its order, with other code in place of … and around imports.
// Otherwise it returns a line that the most similar file does not have.
func (c *code) missing(b block) string {
	parts := partsOf(b)
	if len(parts) == 0 {
		return ""
	}
	// first returns the first part that a text does not have after the ones before it, or -1. Imports may be anywhere.
	first := func(text string) int {
		rest := text
		for i, part := range parts {
			if imported.MatchString(part) {
				if !strings.Contains(text, "\n"+part+"\n") {
					return i
				}
				continue
			}
			at := strings.Index(rest, "\n"+part+"\n")
			if at < 0 {
				return i
			}
			rest = rest[at+1+len(part):]
		}
		return -1
	}
	if slices.ContainsFunc(c.recent, func(name string) bool { return first(c.files[name]) < 0 }) {
		return ""
	}
	best, line := -1, ""
	for name, text := range c.files {
		at := first(text)
		if at < 0 {
			c.recent = append(c.recent, name)
			return ""
		}
		found, missing := similarity(parts, text)
		if missing == "" { // the file has all lines, but not next to each other, or in another order
			missing, _, _ = strings.Cut(parts[at], "\n")
		}
		if found > best || found == best && missing < line {
			best, line = found, missing
		}
	}
	return line
}

// similarity returns how many lines of a block a file has, and the first line that it does not have.
func similarity(parts []string, text string) (found int, missing string) {
	for _, part := range parts {
		for line := range strings.SplitSeq(part, "\n") {
			if strings.Contains(text, "\n"+line+"\n") {
				found++
			} else if missing == "" {
				missing = line
			}
		}
	}
	return found, missing
}

// partsOf returns the parts of a block that are next to each other: each import, and the lines between two …
// A block of comments has no part, because it has no code.
func partsOf(b block) (parts []string) {
	var part []string
	isCode := false
	end := func() {
		if len(part) > 0 {
			parts = append(parts, strings.Join(part, "\n"))
		}
		part = nil
	}
	imports := false
	for _, line := range linesOf(sameFolder.Replace(b.code)) {
		isCode = isCode || !strings.HasPrefix(line, "//")
		switch match := imported.FindStringSubmatch(line); {
		case line == "import (":
			end()
			imports = true
		case imports && line == ")":
			imports = false
		case match != nil:
			end()
			parts = append(parts, match[1])
		case elision.MatchString(line):
			end()
		default:
			part = append(part, line)
		}
	}
	end()
	if !isCode {
		return nil
	}
	return parts
}
