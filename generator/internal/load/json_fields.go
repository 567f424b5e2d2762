package load

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// jsonField is a field of a struct in JSON.
type jsonField struct {
	name  string
	field *types.Var
	// through are the embedded structs that hold the field.
	through []*types.Var
	// quoted reports whether its tag has the option ",string".
	quoted bool
}

// isMeta reports whether the field belongs to the metadata of every object.
func (f jsonField) isMeta() bool {
	return f.name == "metadata" && metaName(f.field.Type()) == "ObjectMeta" ||
		slices.ContainsFunc(f.through, func(embedded *types.Var) bool { return metaName(embedded.Type()) == "TypeMeta" })
}

// inlinedStruct is a struct whose fields count as fields of another struct.
type inlinedStruct struct {
	structType *types.Struct
	through    []*types.Var
}

// jsonFields returns the fields of a struct under their JSON names. It follows encoding/json: of two
// fields with one name, the one in fewer embedded structs counts, and neither counts if they are equal.
// sure is false if the struct inlines an unknown type.
func jsonFields(structType *types.Struct) (fields []jsonField, sure bool) {
	sure = true
	taken, seen := map[string]bool{}, map[*types.Struct]bool{}
	for level := []inlinedStruct{{structType, nil}}; len(level) > 0; {
		var next []inlinedStruct
		var found []jsonField
		count := map[string]int{}
		for _, in := range level {
			if seen[in.structType] {
				continue
			}
			seen[in.structType] = true
			for i := range in.structType.NumFields() {
				field := in.structType.Field(i)
				tag := reflect.StructTag(in.structType.Tag(i)).Get("json")
				name, options, _ := strings.Cut(tag, ",")
				of := pointedTo(field.Type())
				inner, isStruct := structOf(of)
				switch {
				case tag == "-":
					continue
				case field.Embedded() && name == "" && isStruct:
					next = append(next, inlinedStruct{inner, append(slices.Clone(in.through), field)})
					continue
				case field.Embedded() && name == "" && !isValid(of):
					sure = false
					continue
				case !field.Exported():
					continue
				case name == "":
					name = field.Name()
				}
				if !taken[name] {
					found = append(found, jsonField{name, field, in.through, slices.Contains(strings.Split(options, ","), "string")})
					count[name]++
				}
			}
		}
		for _, f := range found {
			if taken[f.name] = true; count[f.name] == 1 {
				fields = append(fields, f)
			}
		}
		level = next
	}
	return fields, sure
}

// fieldNames returns the JSON names of fields.
func fieldNames(fields []jsonField) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}
