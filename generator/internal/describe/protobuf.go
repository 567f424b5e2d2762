package describe

import (
	"go/ast"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// protobufPath returns the import path of the package if the syntax shows that clients can encode and decode a
// kind and its list type as protobuf, and "" otherwise. See input.Type.Protobuf.
func protobufPath(src *syntax.Package, kind string) string {
	_, hasList := src.Scope().Types[kind+"List"]
	if !hasProtobuf(src.Scope(), kind) || hasList && !hasProtobuf(src.Scope(), kind+"List") {
		return ""
	}
	return src.Path
}

// hasProtobuf reports whether a type has the methods and the tags that protobuf needs.
func hasProtobuf(in *syntax.Scope, name string) bool {
	t := in.Types[name]
	structType, ok := t.Spec.Type.(*ast.StructType)
	if !ok || slices.ContainsFunc(gotype.ProtobufMethods, func(method string) bool { return !in.Has(name, method) }) {
		return false
	}
	return !slices.ContainsFunc(structType.Fields.List, func(field *ast.Field) bool {
		isHidden := len(field.Names) > 0 && !slices.ContainsFunc(field.Names, (*ast.Ident).IsExported)
		if isHidden || len(field.Names) == 0 && isMeta(t.File, field.Type, "TypeMeta") {
			return false
		}
		return !gotype.HasProtobufTag(tagOf(field))
	})
}
