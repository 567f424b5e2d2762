package syntax

import (
	"go/ast"
	"go/token"
	"iter"
	"slices"
	"strings"
)

// Markers yields the lines of comments that begin with +, in their order, with the position of the +. Any of the
// comments may be nil.
func (p *Package) Markers(groups ...*ast.CommentGroup) iter.Seq2[string, token.Position] {
	return func(yield func(string, token.Position) bool) {
		for _, group := range groups {
			if group == nil {
				continue
			}
			for _, comment := range group.List {
				for n, line := range strings.Split(comment.Text, "\n") {
					if text, ok := markerIn(line); ok && !yield(text, positionIn(p.FileSet, comment, n, line)) {
						return
					}
				}
			}
		}
	}
}

// markerIn returns the marker in a line of a comment. A line of an example in a comment, such as
// "//   // +optional", has none.
func markerIn(line string) (text string, ok bool) {
	for _, sign := range []string{"//", "/*", "*"} {
		if rest, found := strings.CutPrefix(strings.TrimSpace(line), sign); found {
			line = rest
			break
		}
	}
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "*/"))
	return text, strings.HasPrefix(text, "+")
}

// positionIn returns the position of the first + in a line of a comment.
func positionIn(fset *token.FileSet, comment *ast.Comment, n int, line string) token.Position {
	pos := fset.Position(comment.Pos())
	pos.Line += n
	pos.Column += strings.IndexByte(line, '+')
	if n > 0 {
		pos.Column = strings.IndexByte(line, '+') + 1
	}
	return pos
}

// WithoutMarkers returns the text of a comment without the lines that begin with +.
func WithoutMarkers(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "+") {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, ""))
}

// HasText reports whether one of the comments, which may be nil, contains one of the texts.
func HasText(groups []*ast.CommentGroup, texts ...string) bool {
	for _, group := range groups {
		if group == nil {
			continue
		}
		for _, comment := range group.List {
			if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(comment.Text, text) }) {
				return true
			}
		}
	}
	return false
}

// Comments has the comments of a file that belong to no declaration.
type Comments struct {
	fset *token.FileSet
	// byLine has the comments by their last line.
	byLine map[int]*ast.CommentGroup
}

// Comments returns the comments of a file of the package.
func (p *Package) Comments(file *ast.File) Comments {
	owned := map[*ast.CommentGroup]bool{file.Doc: true}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			owned[decl.Doc] = true
		case *ast.GenDecl:
			owned[decl.Doc] = true
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					owned[spec.Doc] = true
				}
			}
		}
	}
	c := Comments{p.FileSet, map[int]*ast.CommentGroup{}}
	for _, group := range file.Comments {
		if !owned[group] {
			c.byLine[p.FileSet.Position(group.End()).Line] = group
		}
	}
	return c
}

// Above returns the two comments that may hold the markers of a type: the one that ends one blank
// line above, and its doc comment. gengo finds the same ones.
func (c Comments) Above(t TypeDecl) []*ast.CommentGroup {
	doc, start := t.Doc()
	if doc != nil {
		start = doc.Pos()
	}
	return []*ast.CommentGroup{c.byLine[c.fset.Position(start).Line-2], doc}
}

// Doc returns the doc comment of a type, which may be nil, and where its declaration begins. Without parentheses
// they are the comment and the beginning of the group.
func (t TypeDecl) Doc() (doc *ast.CommentGroup, start token.Pos) {
	if t.Group.Lparen.IsValid() {
		return t.Spec.Doc, t.Spec.Pos()
	}
	return t.Group.Doc, t.Group.Pos()
}

// Freestanding returns the comment above a type that is more than one blank line away from it, or nil. controller-gen
// counts the markers in it, unlike gengo.
func (p *Package) Freestanding(t TypeDecl) *ast.CommentGroup {
	doc, start := t.Doc()
	if doc != nil {
		start = doc.Pos()
	}
	group := p.LastComment(t.File, t.previousEnd(), start)
	if group != nil && p.FileSet.Position(group.End()).Line+2 >= p.FileSet.Position(start).Line {
		return nil
	}
	return group
}

// previousEnd returns where the code above a declaration ends.
func (t TypeDecl) previousEnd() token.Pos {
	end := t.File.Name.End()
	if t.Group.Lparen.IsValid() {
		end = t.Group.Lparen
		for _, spec := range t.Group.Specs {
			if spec.Pos() < t.Spec.Pos() {
				end = spec.End()
			}
		}
		return end
	}
	for _, decl := range t.File.Decls {
		if decl.Pos() < t.Group.Pos() {
			end = decl.End()
		}
	}
	return end
}

// LastComment returns the last comment between two positions of a file, or nil. controller-gen leaves out one that
// begins on the line of the first position, and a comment with /*.
func (p *Package) LastComment(file *ast.File, after, before token.Pos) *ast.CommentGroup {
	at, _ := slices.BinarySearchFunc(file.Comments, before,
		func(group *ast.CommentGroup, pos token.Pos) int { return int(group.End() - pos) })
	if at == 0 {
		return nil
	}
	group := file.Comments[at-1]
	if group.Pos() < after || p.FileSet.Position(group.Pos()).Line == p.FileSet.Position(after).Line ||
		!strings.HasPrefix(group.List[0].Text, "//") {
		return nil
	}
	return group
}
