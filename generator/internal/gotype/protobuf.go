package gotype

import (
	"go/types"
	"reflect"
)

// ProtobufMethods are the methods with which apimachinery encodes and decodes an object as protobuf.
var ProtobufMethods = []string{"Marshal", "Reset", "Unmarshal"}

// HasProtobufTag reports whether the tag of a field has the number of the field in protobuf. It is also true
// for a field that is not in JSON.
func HasProtobufTag(tag string) bool {
	number := reflect.StructTag(tag).Get("protobuf")
	return number != "" && number != "-" || reflect.StructTag(tag).Get("json") == "-"
}

// HasProtobuf reports whether a type has the methods and the tags that protobuf needs.
func HasProtobuf(t types.Type) bool {
	structType, ok := StructOf(t)
	if !ok || MissingMethod(t, ProtobufMethods) != "" {
		return false
	}
	for i := range structType.NumFields() {
		field := structType.Field(i)
		isTypeMeta := field.Embedded() && MetaName(field.Type()) == "TypeMeta"
		if field.Exported() && !isTypeMeta && !HasProtobufTag(structType.Tag(i)) {
			return false
		}
	}
	return true
}
