package typecheck

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// packageMarkers returns the markers above the package clause of a file, which may be nil. A blank line may be
// between them.
func packageMarkers(src *syntax.Package, file *ast.File) []input.CommentMarker {
	if file == nil {
		return nil
	}
	var found []input.CommentMarker
	for _, group := range file.Comments {
		if group.Pos() > file.Package {
			break
		}
		found = append(found, commentOf(src, group).Markers...)
	}
	return found
}

// addComments adds the comments of the kept types of the package and of their fields.
func (p *part) addComments(found map[token.Pos]input.Comment) {
	for file, decls := range p.kept {
		comments := p.src.Comments(file)
		for _, decl := range decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.TYPE {
				continue
			}
			for _, spec := range group.Specs {
				spec := spec.(*ast.TypeSpec)
				declared := p.src.Scope().Types[spec.Name.Name]
				comment := commentOf(p.src, comments.Above(declared)...)
				comment.Markers = append(commentOf(p.src, p.src.Freestanding(declared)).Markers, comment.Markers...)
				found[spec.Name.Pos()] = comment
				ast.Inspect(spec.Type, func(node ast.Node) bool { // a field may have a struct without a name
					if structType, ok := node.(*ast.StructType); ok {
						p.addFieldComments(file, structType, found)
					}
					return true
				})
			}
		}
	}
}

// addFieldComments adds the comments of the fields of a struct. Blank lines may be between a field and comments with
// markers, as for controller-gen.
func (p *part) addFieldComments(file *ast.File, structType *ast.StructType, found map[token.Pos]input.Comment) {
	after := structType.Fields.Opening
	for _, field := range structType.Fields.List {
		start := field.Pos()
		if field.Doc != nil {
			start = field.Doc.Pos()
		}
		comment := commentOf(p.src, field.Doc)
		comment.Markers = append(commentOf(p.src, p.src.LastComment(file, after, start)).Markers, comment.Markers...)
		after = field.End()
		for _, name := range field.Names {
			found[name.Pos()] = comment
		}
		if len(field.Names) == 0 {
			if name := syntax.EmbeddedName(field.Type); name != nil {
				found[name.Pos()] = comment
			}
		}
	}
}

// commentOf returns the text and the markers of comments, any of which may be nil.
func commentOf(src *syntax.Package, groups ...*ast.CommentGroup) input.Comment {
	var found input.Comment
	for _, group := range groups {
		if text := syntax.WithoutMarkers(group.Text()); text != "" {
			found.Text = append(found.Text, strings.Split(text, "\n")...)
		}
	}
	for text, pos := range src.Markers(groups...) {
		found.Markers = append(found.Markers, input.CommentMarker{Text: text[1:], Pos: pos})
	}
	return found
}
