package load

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strconv"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
)

// protobufMethods are the methods with which apimachinery encodes and decodes an object as protobuf.
var protobufMethods = []string{"Marshal", "Reset", "Unmarshal"}

// hasProtobufTag reports whether the tag of a field has the number of the field in protobuf. It is also true
// for a field that is not in JSON.
func hasProtobufTag(tag reflect.StructTag) bool {
	number := tag.Get("protobuf")
	return number != "" && number != "-" || tag.Get("json") == "-"
}

// protobuf returns the import path of the package if the syntax shows that clients can encode and decode a
// kind and its list type as protobuf, and "" otherwise. See input.Type.Protobuf.
func (src *source) protobuf(kind string) string {
	scope := src.scope()
	_, hasList := scope.types[kind+"List"]
	if !scope.hasProtobuf(kind) || hasList && !scope.hasProtobuf(kind+"List") {
		return ""
	}
	return src.path
}

// hasProtobuf reports whether a type has the methods and the tags that protobuf needs.
func (s *scope) hasProtobuf(name string) bool {
	t := s.types[name]
	structType, ok := t.spec.Type.(*ast.StructType)
	if !ok || s.protobufMethods[name] < len(protobufMethods) {
		return false
	}
	return !slices.ContainsFunc(structType.Fields.List, func(field *ast.Field) bool {
		isHidden := len(field.Names) > 0 && !slices.ContainsFunc(field.Names, (*ast.Ident).IsExported)
		if isHidden || len(field.Names) == 0 && isMeta(t.file, field.Type, "TypeMeta") {
			return false
		}
		tag := ""
		if field.Tag != nil {
			tag, _ = strconv.Unquote(field.Tag.Value)
		}
		return !hasProtobufTag(reflect.StructTag(tag))
	})
}

// protobufOf is source.protobuf from types instead of syntax. list is nil if there is no list type.
func protobufOf(kind types.Type, list types.Object) string {
	named, ok := types.Unalias(kind).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || !hasProtobuf(kind) || list != nil && !hasProtobuf(list.Type()) {
		return ""
	}
	return named.Obj().Pkg().Path()
}

// hasProtobuf is scope.hasProtobuf from types instead of syntax.
func hasProtobuf(t types.Type) bool {
	structType, ok := gotype.StructOf(t)
	has := gotype.MethodsOf(t)
	if !ok || slices.ContainsFunc(protobufMethods, func(name string) bool { return !has(name) }) {
		return false
	}
	for i := range structType.NumFields() {
		field := structType.Field(i)
		isTypeMeta := field.Embedded() && gotype.MetaName(field.Type()) == "TypeMeta"
		if field.Exported() && !isTypeMeta && !hasProtobufTag(reflect.StructTag(structType.Tag(i))) {
			return false
		}
	}
	return true
}
