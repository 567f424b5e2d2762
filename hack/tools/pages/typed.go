package main

import (
	"regexp"
	"slices"
	"strings"
)

// typed are the pages whose commands and files TestTyping types, in the order of their blocks.
var typed = []string{"README.md", "docs/install.md", "docs/quickstart.md", "docs/markers.md", "docs/applying.md"}

var fileSpan = regexp.MustCompile("`([\\w./-]+\\.(?:go|yaml))`")

// file returns the name of the file that the reader writes with a block: the last one that the paragraph above names, which
// ends with a colon. It returns "" for other blocks.
func (b block) file() string {
	names := fileSpan.FindAllStringSubmatch(b.above, -1)
	if b.language != "go" && b.language != "yaml" || !strings.HasSuffix(b.above, ":") || len(names) == 0 {
		return ""
	}
	return names[len(names)-1][1]
}

// isTyped reports whether TestTyping writes a block of a page to a file.
func isTyped(page string, b block) bool { return slices.Contains(typed, page) && b.file() != "" }

// hasOwnTerminal reports whether the reader runs the commands of a block in a terminal of their own.
func (b block) hasOwnTerminal() bool { return strings.Contains(b.above, " terminal, ") }
