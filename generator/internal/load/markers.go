package load

import (
	"go/ast"
	"go/token"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// markers returns the markers of a comment in their order, with the place of
// each. What their names look like is gengo's rule.
func markers(fset *token.FileSet, group *ast.CommentGroup) []model.Marker {
	if group == nil {
		return nil
	}
	var found []model.Marker
	for _, comment := range group.List {
		for n, line := range strings.Split(comment.Text, "\n") {
			text := strings.Trim(line, "/* \t\r")
			if !strings.HasPrefix(text, "+") {
				continue
			}
			for name := range codetags.Extract("+", []string{text}) {
				// A value is all that follows, as it has always been for +genclient.
				value, _ := strings.CutPrefix(text[len("+")+len(name):], "=")
				pos := fset.Position(comment.Pos())
				pos.Line += n
				pos.Column += strings.IndexByte(line, '+')
				if n > 0 {
					pos.Column = strings.IndexByte(line, '+') + 1
				}
				found = append(found, model.Marker{Name: name, Value: value, Pos: pos, Text: text[len("+"):]})
			}
		}
	}
	return found
}

// commentIndex finds the comments of a file that belong to no declaration by the
// line on which they end.
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

// above returns the two comments that may hold the markers of a declaration: its
// own, and the one that ends one blank line above, as gengo has it.
func (c commentIndex) above(fset *token.FileSet, doc *ast.CommentGroup, decl token.Pos) []*ast.CommentGroup {
	start := decl
	if doc != nil {
		start = doc.Pos()
	}
	return []*ast.CommentGroup{c[fset.Position(start).Line-2], doc}
}
