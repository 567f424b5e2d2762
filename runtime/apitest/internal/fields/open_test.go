package fields

import (
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// TestOpen opens the schema of a Go type whose structs are closed.
func TestOpen(t *testing.T) {
	name, meta := "widget", metaModels+"ObjectMeta"
	part := schema.TypeRef{Inlined: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{{Name: "size", Type: inlineScalar(schema.Numeric)}}}}}
	closed := &schema.Schema{Types: []schema.TypeDef{
		{Name: meta, Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{{Name: "name", Type: inlineScalar(schema.String)}}}}},
		{Name: name, Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
			{Name: "metadata", Type: schema.TypeRef{NamedType: &meta}},
			{Name: "part", Type: part},
			{Name: "parts", Type: inlineList(schema.List{ElementType: part, ElementRelationship: schema.Atomic})},
			{Name: "labels", Type: schema.TypeRef{Inlined: schema.Atom{Map: &schema.Map{ElementType: inlineScalar(schema.String)}}}},
		}}}},
	}}
	next := openSchema(closed)
	isOpen := func(s *schema.Schema, path ...string) bool {
		ref := schema.TypeRef{NamedType: &name}
		for _, step := range path {
			atom, _ := s.Resolve(ref)
			if atom.List != nil {
				ref = atom.List.ElementType
				continue
			}
			field, _ := atom.Map.FindField(step)
			ref = field.Type
		}
		atom, _ := s.Resolve(ref)
		return atom.Map.ElementType.NamedType == &deducedName
	}
	for _, test := range []struct {
		path []string
		want bool
	}{
		{nil, true}, {[]string{"part"}, true}, {[]string{"parts", "0"}, true}, {[]string{"metadata"}, false}, {[]string{"labels"}, false},
	} {
		if got := isOpen(next, test.path...); got != test.want {
			t.Errorf("%v: open %v, want %v", test.path, got, test.want)
		}
		if isOpen(closed, test.path...) {
			t.Errorf("%v: the original has changed", test.path)
		}
	}
	if _, ok := next.FindNamedType(deducedName); !ok {
		t.Error("the type of other fields is missing")
	}
}
