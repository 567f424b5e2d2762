package describe

import (
	"go/ast"
	"slices"
	"strconv"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// jsonField is a field of a struct, and the JSON name in its tag, or "-" for a field outside of JSON. JSON inlines an
// embedded field without a name.
type jsonField struct {
	file  *ast.File
	field *ast.Field
	name  string
	// isRemote reports whether the struct embeds the field through a pointer or an instance of a generic type.
	isRemote bool
}

// jsonFields returns the fields of a struct, and of the structs of its package that JSON inlines. outer are the structs
// that embed t.
func jsonFields(in *syntax.Scope, t syntax.TypeDecl, outer []*ast.TypeSpec) (fields []jsonField) {
	structType, ok := t.Spec.Type.(*ast.StructType)
	if !ok || slices.Contains(outer, t.Spec) {
		return nil
	}
	for _, field := range structType.Fields.List {
		tag := jsonTag(field)
		fields = append(fields, jsonField{file: t.File, field: field, name: tag.Name})
		if len(field.Names) > 0 || tag.Name != "" {
			continue
		}
		if local, ok := in.Types[syntax.TypeName(field.Type)]; ok {
			_, isName := field.Type.(*ast.Ident)
			for _, inner := range jsonFields(in, local, append(outer, t.Spec)) {
				inner.isRemote = inner.isRemote || !isName
				fields = append(fields, inner)
			}
		}
	}
	return fields
}

// jsonTag returns the tag of a field.
func jsonTag(field *ast.Field) gotype.JSONTag {
	return gotype.ParseJSONTag(tagOf(field))
}

func tagOf(field *ast.Field) string {
	if field.Tag == nil {
		return ""
	}
	text, _ := strconv.Unquote(field.Tag.Value) // the parser has refused other literals
	return text
}

// embeds reports whether a struct embeds a type of meta/v1 under the JSON name of API servers, itself or through an
// embedded struct of its package.
func embeds(in *syntax.Scope, t syntax.TypeDecl, metaType string) bool {
	return slices.ContainsFunc(jsonFields(in, t, nil), func(f jsonField) bool {
		return !f.isRemote && len(f.field.Names) == 0 && f.name == gotype.Metas[metaType].JSONName && isMeta(f.file, f.field.Type, metaType)
	})
}

// hasPlainNames reports whether the names of the fields of a struct show that none is in the way of the metadata of an
// object or of a method that clients call, and that the field Status, if there is one, has the name of the subresource.
func hasPlainNames(in *syntax.Scope, t syntax.TypeDecl, metaType string) bool {
	names, methods := map[string]int{}, gotype.Metas[metaType].ClientMethods()
	for _, f := range jsonFields(in, t, nil) {
		names[f.name]++
		if slices.ContainsFunc(f.field.Names, func(name *ast.Ident) bool { return slices.Contains(methods, name.Name) }) {
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
	return ok && syntax.ImportPath(file, qualifier.Name) == gotype.MetaV1
}

// fieldType returns the type of a field of a struct with that JSON name, or nil.
func fieldType(t syntax.TypeDecl, name, jsonName string) ast.Expr {
	structType, ok := t.Spec.Type.(*ast.StructType)
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
func hasField(t syntax.TypeDecl, name string) bool {
	structType, ok := t.Spec.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(structType.Fields.List, func(field *ast.Field) bool {
		if len(field.Names) == 0 {
			embedded := syntax.EmbeddedName(field.Type)
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
