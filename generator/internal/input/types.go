package input

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Types has the Go types that kinds consist of, type-checked, with their comments. It has only the
// declarations that the types need, of any package. Methods have names, but no parameters and
// results, except for DeepCopy and DeepCopyInto.
type Types struct {
	// Packages are by import path. Objects in them are immutable.
	Packages map[string]*types.Package
	// Comments are by the position of the name that they document: that of a type, or of a field.
	Comments map[token.Pos]Comment
	// PackageMarkers has the markers above the package clauses, by import path.
	PackageMarkers map[string][]CommentMarker
	// Dependencies has the packages outside the main module, which the user cannot edit.
	Dependencies map[string]bool
	FileSet      *token.FileSet
	// Constraints are the build constraints of the files of the run that some builds leave out, as //go:build lines,
	// by file.
	Constraints map[string]string
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

// HasPackageMarker reports whether a marker with that text is above a package clause.
func (t *Types) HasPackageMarker(path, text string) bool {
	return slices.ContainsFunc(t.PackageMarkers[path], func(m CommentMarker) bool { return m.Text == text })
}

// modelPackage is the marker with the beginning of the names that OpenAPIModelName returns.
const modelPackage = "k8s:openapi-model-package="

// SchemeName returns the name that runtime.Scheme.ToOpenAPIDefinitionName returns for a kind. It is OpenAPIName,
// unless the kind has the method OpenAPIModelName from an embedded type. Usually TypeMeta and ObjectMeta both have
// it, so that a kind that embeds both has none.
func (t *Types) SchemeName(of *types.Named) string {
	method := types.NewMethodSet(of).Lookup(nil, "OpenAPIModelName")
	if method == nil || len(method.Index()) == 1 {
		return t.OpenAPIName(of)
	}
	receiver := method.Obj().(*types.Func).Signature().Recv().Type()
	if pointer, ok := receiver.(*types.Pointer); ok {
		receiver = pointer.Elem()
	}
	if named, ok := receiver.(*types.Named); ok {
		return t.OpenAPIName(named)
	}
	return t.OpenAPIName(of)
}

// OpenAPIName returns the name of a type in OpenAPI documents.
func (t *Types) OpenAPIName(of *types.Named) string {
	declared := of.Obj()
	ref := model.TypeRef{Name: declared.Name()}
	if declared.Pkg() != nil {
		ref.Path = declared.Pkg().Path()
	}
	if of.TypeArgs().Len() > 0 {
		ref.Name = strings.TrimPrefix(types.TypeString(of, nil), ref.Path+".")
	}
	method := types.NewMethodSet(of).Lookup(nil, "OpenAPIModelName")
	if method == nil || len(method.Index()) > 1 { // an embedded type has the method
		return ref.OpenAPIName()
	}
	for _, m := range slices.Concat(t.Comment(declared).Markers, t.PackageMarkers[ref.Path]) {
		if prefix, ok := strings.CutPrefix(m.Text, modelPackage); ok && prefix != "" {
			return prefix + "." + ref.Name
		}
	}
	return ref.OpenAPIName()
}
