package gotype

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// JSONTag is the tag of a field with the key json, as encoding/json reads it.
type JSONTag struct {
	// Name is the name in the tag, or empty. encoding/json ignores a name with other characters than letters, digits and
	// some signs. Then Name is empty, and Invalid has that name.
	Name, Invalid string
	// Exists reports whether there is a tag, and IsHidden whether it leaves the field out of JSON.
	Exists, IsHidden bool
	// IsQuoted reports whether it has the option string, and OmitsEmpty whether it has omitempty or omitzero.
	IsQuoted, OmitsEmpty bool
	// Embeds reports whether it has the option embed. encoding/json of Go 1.27 inlines such a field. The decoder
	// of apimachinery does not.
	Embeds bool
}

// JSONTagOf returns the tag of a field of a struct.
func JSONTagOf(of *types.Struct, field int) JSONTag { return ParseJSONTag(of.Tag(field)) }

// ParseJSONTag returns the part of the tag of a field with the key json.
func ParseJSONTag(tag string) JSONTag {
	text, exists := reflect.StructTag(tag).Lookup("json")
	name, options, _ := strings.Cut(text, ",")
	t := JSONTag{Name: name, Exists: exists, IsHidden: text == "-"}
	if strings.ContainsFunc(name, isForeign) {
		t.Name, t.Invalid = "", name
	}
	for option := range strings.SplitSeq(options, ",") {
		t.Embeds = t.Embeds || option == "embed"
		t.IsQuoted = t.IsQuoted || option == "string"
		t.OmitsEmpty = t.OmitsEmpty || option == "omitempty" || option == "omitzero"
	}
	return t
}

// isForeign reports whether encoding/json does not accept a character in a name.
func isForeign(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
}

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

	// tagged reports whether the name is in the tag.
	tagged bool
}

func (f JSONField) isTagged() bool { return f.tagged }

// IsMeta reports whether the field belongs to the metadata of every object.
func (f JSONField) IsMeta() bool {
	return f.Name == "metadata" && MetaName(f.Field.Type()) == "ObjectMeta" ||
		slices.ContainsFunc(f.Through, func(embedded *types.Var) bool { return MetaName(embedded.Type()) == "TypeMeta" })
}

// Unexported returns the field of a struct, or of a struct embedded in it, that has a JSON name in its tag and is not exported, so
// that JSON does not have it. It returns nil without such a field.
func Unexported(structType *types.Struct, name string) *types.Var {
	seen := map[*types.Struct]bool{}
	for level := []*types.Struct{structType}; len(level) > 0; level = level[1:] {
		if seen[level[0]] {
			continue
		}
		seen[level[0]] = true
		for i := range level[0].NumFields() {
			field, tag := level[0].Field(i), JSONTagOf(level[0], i)
			inner, isStruct := StructOf(PointedTo(field.Type()))
			switch {
			case field.Embedded() && tag.Name == "" && isStruct:
				level = append(level, inner)
			case !field.Exported() && !tag.IsHidden && tag.Name == name:
				return field
			}
		}
	}
	return nil
}

// inlinedStruct is a struct whose fields count as fields of another struct.
type inlinedStruct struct {
	structType *types.Struct
	through    []*types.Var
}

// JSONFields returns the fields of a struct under their JSON names. It follows encoding/json: of several
// fields with one name, those in the fewest embedded structs count, and of these the ones with a tag. If that
// leaves more than one, none counts. sure is false if the struct inlines an unknown type.
func JSONFields(structType *types.Struct) (fields []JSONField, sure bool) {
	fields, _, _, sure = dominant(structType)
	return fields, sure
}

// JSONConflicts returns the fields of a struct that are not in JSON because others have the same JSON name. Each
// element has all fields of one name.
func JSONConflicts(structType *types.Struct) [][]JSONField {
	_, conflicts, _, _ := dominant(structType)
	return conflicts
}

// JSONLosses returns the fields of a struct that are not in JSON because one that is embedded less deeply has the same JSON name.
func JSONLosses(structType *types.Struct) []JSONField {
	_, _, lost, _ := dominant(structType)
	return lost
}

// dominant returns the fields that encoding/json encodes, those that it drops because of each other, and those that it drops because
// of others that are embedded less deeply.
func dominant(structType *types.Struct) (fields []JSONField, conflicts [][]JSONField, lost []JSONField, sure bool) {
	sure = true
	taken, seen := map[string]bool{}, map[*types.Struct]bool{}
	for level := []inlinedStruct{{structType, nil}}; len(level) > 0; {
		var next []inlinedStruct
		var names []string
		found := map[string][]JSONField{}
		for _, in := range level {
			inner, all, known := in.fields()
			sure = sure && known
			for _, f := range all {
				if taken[f.Name] {
					lost = append(lost, f)
					continue
				}
				if found[f.Name] == nil {
					names = append(names, f.Name)
				}
				found[f.Name] = append(found[f.Name], f)
			}
			next = append(next, inner...)
		}
		for _, name := range names {
			taken[name] = true
			candidates := found[name]
			if slices.ContainsFunc(candidates, JSONField.isTagged) {
				candidates = slices.DeleteFunc(candidates, func(f JSONField) bool { return !f.isTagged() })
			}
			if len(candidates) == 1 {
				fields = append(fields, candidates[0])
			} else {
				conflicts = append(conflicts, candidates)
			}
		}
		for _, in := range level {
			seen[in.structType] = true
		}
		level = slices.DeleteFunc(next, func(in inlinedStruct) bool { return seen[in.structType] })
	}
	return fields, conflicts, lost, sure
}

// fields returns the fields of a struct itself, and the structs that it inlines. sure is false if it inlines an
// unknown type.
func (in inlinedStruct) fields() (inner []inlinedStruct, fields []JSONField, sure bool) {
	sure = true
	for i := range in.structType.NumFields() {
		field := in.structType.Field(i)
		tag := JSONTagOf(in.structType, i)
		of := PointedTo(field.Type())
		inlined, isStruct := StructOf(of)
		f := JSONField{Name: tag.Name, Field: field, Through: in.through, Quoted: tag.IsQuoted, OmitsEmpty: tag.OmitsEmpty,
			tagged: tag.Name != ""}
		switch {
		case tag.IsHidden:
			continue
		case field.Embedded() && tag.Name == "" && isStruct:
			inner = append(inner, inlinedStruct{inlined, append(slices.Clone(in.through), field)})
			continue
		case field.Embedded() && tag.Name == "" && !IsValid(of):
			sure = false
			continue
		case !field.Exported():
			continue
		case tag.Name == "":
			f.Name = field.Name()
		}
		fields = append(fields, f)
	}
	return inner, fields, sure
}
