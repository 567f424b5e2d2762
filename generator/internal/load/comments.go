package load

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/markers"
)

// markersOf returns the markers of a comment in their order. on is the name of the type that
// has the comment, or "" for a package.
func markersOf(fset *token.FileSet, group *ast.CommentGroup, on string) markers.List {
	if group == nil {
		return nil
	}
	var found markers.List
	for _, comment := range group.List {
		for n, line := range strings.Split(comment.Text, "\n") {
			text, ok := markerIn(line)
			if !ok {
				continue
			}
			found = append(found, markers.Parse(text, positionIn(fset, comment, n, line), on))
		}
	}
	return found
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

// commentIndex has the comments of a file that belong to no declaration, by their last line.
type commentIndex map[int]*ast.CommentGroup

func indexComments(fset *token.FileSet, file *ast.File) commentIndex {
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
	index := commentIndex{}
	for _, group := range file.Comments {
		if !owned[group] {
			index[fset.Position(group.End()).Line] = group
		}
	}
	return index
}

// above returns the two comments that may hold the markers of a declaration: the one that ends one blank
// line above, and its doc comment. gengo finds the same ones.
func (c commentIndex) above(fset *token.FileSet, doc *ast.CommentGroup, start token.Pos) []*ast.CommentGroup {
	if doc != nil {
		start = doc.Pos()
	}
	return []*ast.CommentGroup{c[fset.Position(start).Line-2], doc}
}

// doc returns the doc comment of a type, which may be nil, and where its declaration begins. Without parentheses
// they are those of the group.
func (t typeDecl) doc() (doc *ast.CommentGroup, start token.Pos) {
	if t.group.Lparen.IsValid() {
		return t.spec.Doc, t.spec.Pos()
	}
	return t.group.Doc, t.group.Pos()
}

// aboveType returns the comments above a type.
func (c commentIndex) aboveType(fset *token.FileSet, t typeDecl) []*ast.CommentGroup {
	doc, start := t.doc()
	return c.above(fset, doc, start)
}

// freestanding returns the comment above a type that is more than one blank line away from it, or nil. controller-gen
// counts the markers in it, unlike gengo.
func freestanding(fset *token.FileSet, t typeDecl) *ast.CommentGroup {
	doc, start := t.doc()
	if doc != nil {
		start = doc.Pos()
	}
	group := lastComment(fset, t.file, t.previousEnd(), start)
	if group != nil && fset.Position(group.End()).Line+2 >= fset.Position(start).Line {
		return nil
	}
	return group
}

// previousEnd returns where the code above a declaration ends.
func (t typeDecl) previousEnd() token.Pos {
	end := t.file.Name.End()
	if t.group.Lparen.IsValid() {
		end = t.group.Lparen
		for _, spec := range t.group.Specs {
			if spec.Pos() < t.spec.Pos() {
				end = spec.End()
			}
		}
		return end
	}
	for _, decl := range t.file.Decls {
		if decl.Pos() < t.group.Pos() {
			end = decl.End()
		}
	}
	return end
}

// lastComment returns the last comment between two positions, or nil. controller-gen leaves out one that begins on the
// line of the first position, and one that is not of lines with two slashes.
func lastComment(fset *token.FileSet, file *ast.File, after, before token.Pos) *ast.CommentGroup {
	at, _ := slices.BinarySearchFunc(file.Comments, before, func(group *ast.CommentGroup, pos token.Pos) int { return int(group.End() - pos) })
	if at == 0 {
		return nil
	}
	group := file.Comments[at-1]
	if group.Pos() < after || fset.Position(group.Pos()).Line == fset.Position(after).Line || !strings.HasPrefix(group.List[0].Text, "//") {
		return nil
	}
	return group
}
