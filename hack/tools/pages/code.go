package main

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// sameFolder has the folder that the pages name in place of the one that the tests need.
var sameFolder = strings.NewReplacer(`"../../examples/operator/config/crd"`, `"../config/crd"`)

var (
	notWritten = regexp.MustCompile(`(?m)^(// Code generated .* DO NOT EDIT\.|//go:build ignore.*)$`)
	elision    = regexp.MustCompile(`^(?:…$|// ?…)`)
	imported   = regexp.MustCompile(`^(?:import )?((?:[\w.]+ )?"[^"]+")$`)
)

// readCode returns the Go files that people write and the go command compiles, each with the lines that are not empty,
// without indentation. The module testdata is compiled, but not its input with errors, and not the testdata of packages.
func readCode(texts map[string][]byte) map[string]string {
	code := map[string]string{}
	for name, text := range texts {
		if path.Ext(name) != ".go" || notWritten.Match(text[:min(len(text), 2000)]) || strings.Contains(name, "/testdata/") ||
			strings.HasPrefix(name, "testdata/errors/") || strings.HasPrefix(name, "hack/tools/pages/") {
			continue
		}
		code[name] = "\n" + strings.Join(linesOf(sameFolder.Replace(string(text))), "\n") + "\n"
	}
	return code
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

// checkCode checks that one Go file has all code of each block, in its order, with other code in place of … and around
// imports. TestMarkersDoc generates code for docs/markers.md, and TestTyping writes files of other pages.
func (r *repository) checkCode(p *page, code map[string]string) {
	for _, b := range p.blocks {
		if !strings.HasPrefix(strings.ToLower(b.language), "go") || b.language == "go emitted" || p.name == "docs/markers.md" || isTyped(p.name, b) {
			continue
		}
		parts := partsOf(b)
		best := 0
		for _, text := range code {
			best = max(best, countParts(parts, text))
		}
		if best < len(parts) {
			lines := strings.Split(parts[best], "\n")
			unknown := slices.IndexFunc(lines, func(line string) bool { return !isLine(line, code) })
			r.add(p.name, b.line, "no test compiles this code, because no Go file has the line %q next to the others; copy the block to a test, for example in test/guide", lines[max(unknown, 0)])
		}
	}
}

// isLine reports whether any file has a line.
func isLine(line string, code map[string]string) bool {
	for _, text := range code {
		if strings.Contains(text, "\n"+line+"\n") {
			return true
		}
	}
	return false
}

// countParts returns how many of the parts a text has, each after the one before it. Imports may be anywhere.
func countParts(parts []string, text string) int {
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
	return len(parts)
}

// partsOf returns the parts of a block that are next to each other: each import, and the lines between two …
// A block of comments has no part, because it has no code.
func partsOf(b block) (parts []string) {
	lines := linesOf(sameFolder.Replace(b.code))
	if !slices.ContainsFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "//") }) {
		return nil
	}
	var part []string
	end := func() {
		if len(part) > 0 {
			parts = append(parts, strings.Join(part, "\n"))
		}
		part = nil
	}
	imports := false
	for _, line := range lines {
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
	return parts
}
