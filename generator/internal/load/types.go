package load

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
)

// metaV1 is the package of TypeMeta, ObjectMeta and ListMeta.
const metaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// typeReader collects the types of a package, because a kind and its list are described
// together.
type typeReader struct {
	src   *source
	types map[string]*declaredType
	// deepCopied has the types with a method DeepCopyObject.
	deepCopied map[string]bool
}

type declaredType struct {
	spec *ast.TypeSpec
	file *ast.File
	// comments are the comments that may hold markers.
	comments []*ast.CommentGroup
}

func newTypeReader(src *source) *typeReader {
	return &typeReader{src: src, types: map[string]*declaredType{}, deepCopied: map[string]bool{}}
}

func (r *typeReader) addFile(file *ast.File) {
	comments := indexComments(r.src.fset, file)
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Name.Name == "DeepCopyObject" && decl.Recv != nil {
				r.deepCopied[receiver(decl)] = true
			}
		case *ast.GenDecl:
			if decl.Tok != token.TYPE {
				continue
			}
			for _, spec := range decl.Specs {
				spec := spec.(*ast.TypeSpec)
				doc, start := spec.Doc, spec.Pos()
				if !decl.Lparen.IsValid() {
					doc, start = decl.Doc, decl.Pos()
				}
				r.types[spec.Name.Name] = &declaredType{spec, file, comments.above(r.src.fset, doc, start)}
			}
		}
	}
}

// receiver returns the name of the type that has the method.
func receiver(decl *ast.FuncDecl) string {
	if len(decl.Recv.List) == 0 { // func () f(), which parses
		return ""
	}
	expr := decl.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	switch generic := expr.(type) {
	case *ast.IndexExpr:
		expr = generic.X
	case *ast.IndexListExpr:
		expr = generic.X
	}
	if name, ok := expr.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// marked returns the types with a marker that informer-gen reads, sorted by name. candidates adds
// exported types that have a list type.
func (r *typeReader) marked(candidates bool) []*input.Type {
	var found []*input.Type
	for name, t := range r.types {
		var ours markers.List
		for _, group := range t.comments {
			for _, m := range markersOf(r.src.fset, group, name) {
				if m.Value != nil {
					ours = append(ours, m)
				}
			}
		}
		isCandidate := candidates && token.IsExported(name) && r.types[name+"List"] != nil
		if len(ours) > 0 || isCandidate {
			found = append(found, r.describe(name, t, ours))
			found[len(found)-1].IsCandidate = isCandidate
		}
	}
	slices.SortFunc(found, func(a, b *input.Type) int { return strings.Compare(a.Name, b.Name) })
	return found
}

func (r *typeReader) describe(name string, t *declaredType, ours markers.List) *input.Type {
	described := &input.Type{
		Name:              name,
		Pos:               r.src.fset.Position(t.spec.Name.Pos()),
		Markers:           ours,
		HasDeepCopyObject: r.deepCopied[name],
		BuildConstraint:   tagged(t.file),
	}
	if doc := t.comments[len(t.comments)-1]; doc != nil {
		described.Doc = withoutMarkers(doc.Text())
	}
	_, described.IsStruct = t.spec.Type.(*ast.StructType)
	described.IsStruct = described.IsStruct && !t.spec.Assign.IsValid()
	described.IsGeneric = t.spec.TypeParams != nil
	described.HasTypeMeta = r.embeds(t, "TypeMeta", nil)
	described.HasObjectMeta = r.embeds(t, "ObjectMeta", nil)
	described.HasStatus = hasField(t, "Status")
	described.HasList, described.ListProblem = r.list(name)
	if described.HasList {
		described.List.ItemsArePointers, _ = isSliceOf(fieldType(r.types[name+"List"], "Items"), name)
	}
	described.ListPos = described.Pos
	described.DeclaresList = r.types[name+"List"] != nil
	if list := r.types[name+"List"]; list != nil {
		described.ListPos = r.src.fset.Position(list.spec.Name.Pos())
	}
	return described
}

func withoutMarkers(doc string) string {
	var kept []string
	for line := range strings.Lines(doc) {
		if !strings.HasPrefix(strings.TrimSpace(line), "+") {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, ""))
}

// embeds reports whether a struct embeds a type of meta/v1, itself or through an embedded
// struct of its package.
func (r *typeReader) embeds(t *declaredType, metaType string, seen []*declaredType) bool {
	structType, ok := t.spec.Type.(*ast.StructType)
	if !ok || slices.Contains(seen, t) {
		return false
	}
	for _, field := range structType.Fields.List {
		if len(field.Names) > 0 {
			continue
		}
		switch embedded := field.Type.(type) {
		case *ast.SelectorExpr:
			qualifier, ok := embedded.X.(*ast.Ident)
			if ok && embedded.Sel.Name == metaType && importPath(t.file, qualifier.Name) == metaV1 {
				return true
			}
		case *ast.Ident:
			if local := r.types[embedded.Name]; local != nil && r.embeds(local, metaType, append(seen, t)) {
				return true
			}
		}
	}
	return false
}

func hasField(t *declaredType, name string) bool {
	return fieldType(t, name) != nil
}

func fieldType(t *declaredType, name string) ast.Expr {
	structType, ok := t.spec.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, field := range structType.Fields.List {
		for _, fieldName := range field.Names {
			if fieldName.Name == name {
				return field.Type
			}
		}
	}
	return nil
}

// list reports whether a kind has a list type that clients can use, and what is wrong
// otherwise.
func (r *typeReader) list(kind string) (ok bool, problem string) {
	name := kind + "List"
	t := r.types[name]
	switch {
	case t == nil:
		return false, "has no list type " + name + " in its package; add: type " + name + " struct { metav1.TypeMeta `json:\",inline\"`; metav1.ListMeta `json:\"metadata,omitempty\"`; Items []" + kind + " `json:\"items\"` }, and its DeepCopyObject as for " + kind
	case !r.embeds(t, "TypeMeta", nil):
		return false, listWithoutType(name)
	case !r.embeds(t, "ListMeta", nil):
		return false, listWithoutMeta(name)
	case !hasItems(t, kind):
		return false, listWithoutItems(name, kind)
	case !r.deepCopied[name]:
		return false, listWithoutDeepCopy(name)
	}
	return true, ""
}

func listWithoutType(list string) string {
	return "has a list type " + list + " that does not embed metav1.TypeMeta; add: metav1.TypeMeta `json:\",inline\"`"
}

func listWithoutMeta(list string) string {
	return "has a list type " + list + " that does not embed metav1.ListMeta; add: metav1.ListMeta `json:\"metadata,omitempty\"`"
}

func listWithoutItems(list, kind string) string {
	return "has a list type " + list + " without a field Items []" + kind + "; add: Items []" + kind + " `json:\"items\"`"
}

func listWithoutDeepCopy(list string) string {
	return "has a list type " + list + " without a method DeepCopyObject; " + input.DeepCopyFix
}

func hasItems(list *declaredType, kind string) bool {
	_, ok := isSliceOf(fieldType(list, "Items"), kind)
	return ok
}

// isSliceOf reports whether expr is []elem or, with pointers, []*elem.
func isSliceOf(expr ast.Expr, elem string) (pointers, ok bool) {
	slice, ok := expr.(*ast.ArrayType)
	if !ok || slice.Len != nil {
		return false, false
	}
	of := slice.Elt
	star, pointers := of.(*ast.StarExpr)
	if pointers {
		of = star.X
	}
	name, ok := of.(*ast.Ident)
	return pointers, ok && name.Name == elem
}
