package main

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// page holds the parts of a Markdown file that the checks read.
type page struct {
	name    string
	anchors map[string]bool
	links   []link
	blocks  []block // fenced code
	spans   []span  // code between backticks
	stray   []int   // lines with text that looks like a link, but is not one
	opening string  // the paragraph after the title
}

type link struct {
	target string
	line   int
}

type block struct {
	language string // the info string, for example "go" or "go emitted"
	code     string
	line     int    // of the fence
	above    string // the paragraph above, as Markdown
}

type span struct {
	code string
	line int
}

var (
	markdown = goldmark.New(goldmark.WithExtensions(extension.GFM))
	// A link with a space in its target, or with a label that nothing defines, stays text.
	strayLink = regexp.MustCompile(`\]\([^)]|\]\[[^\]]`)
)

// parse reads a page as GitHub does: with tables and with addresses that become links.
func parse(name string, source []byte) *page {
	p := &page{name: name, anchors: map[string]bool{}}
	document := markdown.Parser().Parse(text.NewReader(source))
	slugs := slugger{}
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
		if !entering {
			return ast.WalkContinue, nil
		}
		line := lineOf(n, source)
		switch n := n.(type) {
		case *ast.Heading:
			p.anchors[slugs.next(textOf(n, source))] = true
		case *ast.Link:
			p.links = append(p.links, link{string(n.Destination), line})
		case *ast.Image:
			p.links = append(p.links, link{string(n.Destination), line})
		case *ast.AutoLink:
			if n.AutoLinkType == ast.AutoLinkURL {
				p.links = append(p.links, link{string(n.URL(source)), line})
			}
		case *ast.FencedCodeBlock:
			b := block{code: string(n.Lines().Value(source)), line: line}
			if above := n.PreviousSibling(); above != nil && above.Kind() == ast.KindParagraph {
				b.above = strings.TrimSpace(string(above.Lines().Value(source)))
			}
			if n.Info != nil {
				b.language = strings.TrimSpace(string(n.Info.Value(source)))
			}
			p.blocks = append(p.blocks, b)
		case *ast.CodeSpan:
			p.spans = append(p.spans, span{textOf(n, source), line})
			return ast.WalkSkipChildren, nil
		case *ast.Paragraph, *ast.TextBlock:
			if strayLink.MatchString(textOf(n, source)) {
				p.stray = append(p.stray, line)
			}
		}
		return ast.WalkContinue, nil
	})
	if title := document.FirstChild(); title != nil && title.Kind() == ast.KindHeading && title.NextSibling() != nil {
		p.opening = textOf(title.NextSibling(), source)
	}
	return p
}

// lineOf returns the line that a node begins on, counted from 1.
func lineOf(n ast.Node, source []byte) int {
	for ; n != nil; n = n.Parent() {
		if n.Pos() >= 0 {
			return lineAt(source, n.Pos())
		}
	}
	return 1
}

// textOf returns the text of a node as a reader sees it. For a paragraph, the text leaves out code.
func textOf(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(child ast.Node, entering bool) (ast.WalkStatus, error) {
		switch child := child.(type) {
		case *ast.CodeSpan:
			if entering && n.Kind() != ast.KindHeading && child != n {
				b.WriteString("``")
				return ast.WalkSkipChildren, nil
			}
		case *ast.Text:
			if entering {
				b.Write(child.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
