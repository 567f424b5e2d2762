package load

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
)

// marked returns the types with a marker that informer-gen reads, sorted by name. candidates adds
// exported types that have a list type.
func (src *source) marked(candidates bool) []*input.Type {
	scope := src.scope()
	comments := map[*ast.File]commentIndex{}
	for _, file := range src.files {
		comments[file] = indexComments(src.fset, file)
	}
	var found []*input.Type
	for name, t := range scope.types {
		var ours markers.List
		var detached markers.List
		for _, m := range markersOf(src.fset, freestanding(src.fset, t), name) {
			switch {
			case m.Value == nil:
			case strings.HasPrefix(m.Name, "kubebuilder:") && m.Name != "kubebuilder:skip": // that is one of the package there
				ours = append(ours, m)
			default:
				detached = append(detached, m)
			}
		}
		for _, group := range comments[t.file].aboveType(src.fset, t) {
			for _, m := range markersOf(src.fset, group, name) {
				if m.Value != nil {
					ours = append(ours, m)
				}
			}
		}
		_, hasList := scope.types[name+"List"]
		isCandidate := candidates && token.IsExported(name) && hasList
		if len(ours)+len(detached) > 0 || isCandidate {
			described := src.describeType(name, t)
			doc, _ := t.doc()
			described.Detached = detached
			described.Markers, described.IsCandidate, described.Doc = ours, isCandidate, withoutMarkers(doc.Text())
			found = append(found, described)
		}
	}
	slices.SortFunc(found, func(a, b *input.Type) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// describeType returns what the syntax shows of a type and its list type.
func (src *source) describeType(name string, t typeDecl) *input.Type {
	scope := src.scope()
	_, isStruct := t.spec.Type.(*ast.StructType)
	described := &input.Type{
		Name:            name,
		Pos:             src.fset.Position(t.spec.Name.Pos()),
		IsStruct:        isStruct && !t.spec.Assign.IsValid(),
		IsGeneric:       t.spec.TypeParams != nil,
		BuildConstraint: src.constraint(t.file),
		HasTypeMeta:     scope.embeds(t, "TypeMeta"),
		HasObjectMeta:   scope.embeds(t, "ObjectMeta"),
		WritesCopy:      src.writesCopy(t),
		WritesList:      slices.Contains(src.lists, name),
		HasStatus:       hasField(t, "Status"),
		Protobuf:        src.protobuf(name),
	}
	described.HasDeepCopyObject = scope.deepCopied[name] || described.WritesCopy
	described.ListPos = described.Pos
	list, ok := scope.types[name+"List"]
	if !ok {
		described.ListProblem = "has no list type " + name + "List in its package; " + input.RegisterFix + "add: type " + name + "List struct { metav1.TypeMeta `json:\",inline\"`; metav1.ListMeta `json:\"metadata,omitempty\"`; Items []" + name + " `json:\"items\"` }, and its DeepCopyObject as for " + name
		return described
	}
	described.DeclaresList = true
	described.ListPos = src.fset.Position(list.spec.Name.Pos())
	described.WritesDeclaredListCopy = src.writesCopy(list)
	if described.WritesList {
		described.ListPos = described.Pos
		described.WritesListCopy = !scope.deepCopied[name+"List"] && !described.WritesDeclaredListCopy
		described.HasDeepCopyInto = scope.has(scope.resolve(t).spec.Name.Name, "DeepCopyInto")
		described.ListMentioned = src.mentions(name + "List")
	}
	pointers, hasItems := isSliceOf(fieldType(list, "Items", "items"), name)
	setList(described, scope.embeds(list, "TypeMeta"), scope.embeds(list, "ListMeta"), hasItems, scope.deepCopied[name+"List"] || described.WritesDeclaredListCopy || described.WritesListCopy)
	described.List.ItemsArePointers = pointers && described.HasList
	return described
}

// setList sets whether clients can use the list type of a kind and, if not, what is wrong.
func setList(t *input.Type, hasTypeMeta, hasListMeta, hasItems, hasDeepCopy bool) {
	problem := ""
	t.ListLacksCopy = false
	switch items := "Items []" + t.Name; {
	case !hasTypeMeta:
		problem = "that does not embed metav1.TypeMeta; add: metav1.TypeMeta `json:\",inline\"`"
	case !hasListMeta:
		problem = "that does not embed metav1.ListMeta; add: metav1.ListMeta `json:\"metadata,omitempty\"`"
	case !hasItems:
		problem = "without a field " + items + "; add: " + items + " `json:\"items\"`"
	case !hasDeepCopy:
		problem = "without a method DeepCopyObject; " + input.DeepCopyFix
		t.ListLacksCopy = true
	default:
		t.HasList, t.ListProblem = true, ""
		return
	}
	t.HasList, t.ListProblem = false, "has a list type "+t.Name+"List "+problem
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

// jsonField is a field of a struct, and the JSON name in its tag, or "-" for a field outside of JSON. JSON inlines an
// embedded field without a name.
type jsonField struct {
	file  *ast.File
	field *ast.Field
	name  string
	// isRemote reports whether the struct embeds the field through a pointer or an instance of a generic type.
	isRemote bool
}

// jsonFields returns the fields of a struct, and those of structs of its package that JSON inlines. outer are the structs
// that embed t.
func (s *scope) jsonFields(t typeDecl, outer []*ast.TypeSpec) (fields []jsonField) {
	structType, ok := t.spec.Type.(*ast.StructType)
	if !ok || slices.Contains(outer, t.spec) {
		return nil
	}
	for _, field := range structType.Fields.List {
		tag := jsonTag(field)
		fields = append(fields, jsonField{file: t.file, field: field, name: tag.Name})
		if len(field.Names) > 0 || tag.Name != "" {
			continue
		}
		if local, ok := s.types[typeName(field.Type)]; ok {
			_, isName := field.Type.(*ast.Ident)
			for _, inner := range s.jsonFields(local, append(outer, t.spec)) {
				inner.isRemote = inner.isRemote || !isName
				fields = append(fields, inner)
			}
		}
	}
	return fields
}

// jsonTag returns the tag of a field.
func jsonTag(field *ast.Field) gotype.JSONTag {
	if field.Tag == nil {
		return gotype.JSONTag{}
	}
	text, _ := strconv.Unquote(field.Tag.Value) // the parser has refused other literals
	return gotype.ParseJSONTag(text)
}

// embeds reports whether a struct embeds a type of meta/v1 under the JSON name of API servers, itself or through an
// embedded struct of its package.
func (s *scope) embeds(t typeDecl, metaType string) bool {
	return slices.ContainsFunc(s.jsonFields(t, nil), func(f jsonField) bool {
		return !f.isRemote && len(f.field.Names) == 0 && f.name == metaNames[metaType] && isMeta(f.file, f.field.Type, metaType)
	})
}

// hasPlainNames reports whether the names of the fields of a struct show that none is in the way of the metadata of an
// object or of a method that clients call, and that the field Status, if there is one, has the name of the subresource.
func (s *scope) hasPlainNames(t typeDecl, meta string) bool {
	names := map[string]int{}
	for _, f := range s.jsonFields(t, nil) {
		names[f.name]++
		if slices.ContainsFunc(f.field.Names, func(name *ast.Ident) bool { return slices.Contains(clientMethods[meta], name.Name) }) {
			return false
		}
	}
	return names["kind"]+names["apiVersion"] == 0 && names["metadata"] <= 1 && (names["status"] == 1 || !hasField(t, "Status"))
}

// isMeta reports whether an expression in a file is a type of meta/v1.
func isMeta(file *ast.File, expr ast.Expr, metaType string) bool {
	selector, ok := expr.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != metaType {
		return false
	}
	qualifier, ok := selector.X.(*ast.Ident)
	return ok && importPath(file, qualifier.Name) == gotype.MetaV1
}

// fieldType returns the type of a field of a struct with that JSON name, or nil.
func fieldType(t typeDecl, name, jsonName string) ast.Expr {
	structType, ok := t.spec.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, field := range structType.Fields.List {
		for _, fieldName := range field.Names {
			if fieldName.Name == name && jsonTag(field).Name == jsonName {
				return field.Type
			}
		}
	}
	return nil
}

// hasField reports whether a struct has a field of that name, which may be embedded. Fields that it promotes do not
// count, as for client-gen.
func hasField(t typeDecl, name string) bool {
	structType, ok := t.spec.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(structType.Fields.List, func(field *ast.Field) bool {
		if len(field.Names) == 0 {
			embedded := embeddedName(field.Type)
			return embedded != nil && embedded.Name == name
		}
		return slices.ContainsFunc(field.Names, func(n *ast.Ident) bool { return n.Name == name })
	})
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
