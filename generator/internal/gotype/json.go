package gotype

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// JSONField is a field of a struct in JSON.
type JSONField struct {
	// Name is the JSON name.
	Name  string
	Field *types.Var
	// Through are the embedded structs that hold the field.
	Through []*types.Var
	// Quoted reports whether its tag has the option ",string".
	Quoted bool
	// OmitsEmpty reports whether its tag has the option ",omitempty" or ",omitzero".
	OmitsEmpty bool
}

// IsMeta reports whether the field belongs to the metadata of every object.
func (f JSONField) IsMeta() bool {
	return f.Name == "metadata" && MetaName(f.Field.Type()) == "ObjectMeta" ||
		slices.ContainsFunc(f.Through, func(embedded *types.Var) bool { return MetaName(embedded.Type()) == "TypeMeta" })
}

// inlinedStruct is a struct whose fields count as fields of another struct.
type inlinedStruct struct {
	structType *types.Struct
	through    []*types.Var
}

// JSONFields returns the fields of a struct under their JSON names. It follows encoding/json: of two
// fields with one name, the one in fewer embedded structs counts, and neither counts if they are equal.
// sure is false if the struct inlines an unknown type.
func JSONFields(structType *types.Struct) (fields []JSONField, sure bool) {
	sure = true
	taken, seen := map[string]bool{}, map[*types.Struct]bool{}
	for level := []inlinedStruct{{structType, nil}}; len(level) > 0; {
		var next []inlinedStruct
		var found []JSONField
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
				of := PointedTo(field.Type())
				inner, isStruct := StructOf(of)
				switch {
				case tag == "-":
					continue
				case field.Embedded() && name == "" && isStruct:
					next = append(next, inlinedStruct{inner, append(slices.Clone(in.through), field)})
					continue
				case field.Embedded() && name == "" && !IsValid(of):
					sure = false
					continue
				case !field.Exported():
					continue
				case name == "":
					name = field.Name()
				}
				if !taken[name] {
					has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
					found = append(found, JSONField{name, field, in.through, has("string"), has("omitempty") || has("omitzero")})
					count[name]++
				}
			}
		}
		for _, f := range found {
			if taken[f.Name] = true; count[f.Name] == 1 {
				fields = append(fields, f)
			}
		}
		level = next
	}
	return fields, sure
}
