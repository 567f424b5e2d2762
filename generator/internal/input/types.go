package input

import (
	"go/token"
	"go/types"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Types has the Go types that kinds consist of, type-checked, with their comments. It has only the
// declarations that the types need, of any package. Methods have names, but no parameters and results.
type Types struct {
	// Packages are by import path. Objects in them are immutable.
	Packages map[string]*types.Package
	// Comments are by the position of the name that they document: that of a type, or of a field.
	Comments map[token.Pos]Comment
	FileSet  *token.FileSet
	// Dependencies has the import paths of the packages outside the main module.
	Dependencies map[string]bool
}

// Comment is the documentation of a type or a field.
type Comment struct {
	// Text has the lines without markers and without the slashes.
	Text []string
	// Markers has the lines that begin with +, of any tool, in their order.
	Markers []CommentMarker
}

// CommentMarker is a line of a comment such as +listMapKey=name.
type CommentMarker struct {
	// Text is the line from after the + on, such as listMapKey=name.
	Text string
	Pos  token.Position
}

// Lookup returns the declaration of a type, or nil.
func (t *Types) Lookup(ref model.TypeRef) *types.TypeName {
	pkg := t.Packages[ref.Path]
	if pkg == nil {
		return nil
	}
	declared, _ := pkg.Scope().Lookup(ref.Name).(*types.TypeName)
	return declared
}

// Comment returns the documentation of a type or a field. It is empty for objects without one.
func (t *Types) Comment(of types.Object) Comment { return t.Comments[of.Pos()] }

// Position returns the position of the name of a type or a field.
func (t *Types) Position(of types.Object) token.Position { return t.FileSet.Position(of.Pos()) }
