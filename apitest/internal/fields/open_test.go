package fields

import (
	"slices"
	"testing"

	"github.com/typedinformers/informer-gen/internal/smd"
)

// TestOpen opens the schema of a Go type whose structs are closed.
func TestOpen(t *testing.T) {
	name, meta := "widget", metaModels+"ObjectMeta"
	part := smd.TypeRef{Inlined: smd.Atom{Map: &smd.Map{Fields: []smd.StructField{{Name: "size", Type: inlineScalar(smd.Numeric)}}}}}
	closed := &smd.Schema{Types: []smd.TypeDef{
		{Name: meta, Atom: smd.Atom{Map: &smd.Map{Fields: []smd.StructField{{Name: "name", Type: inlineScalar(smd.String)}}}}},
		{Name: name, Atom: smd.Atom{Map: &smd.Map{Fields: []smd.StructField{
			{Name: "metadata", Type: smd.TypeRef{NamedType: &meta}},
			{Name: "part", Type: part},
			{Name: "parts", Type: inlineList(smd.List{ElementType: part, ElementRelationship: smd.Atomic})},
			{Name: "labels", Type: smd.TypeRef{Inlined: smd.Atom{Map: &smd.Map{ElementType: inlineScalar(smd.String)}}}},
		}}}},
	}}
	next := openSchema(closed)
	isOpen := func(s *smd.Schema, path ...string) bool {
		ref := smd.TypeRef{NamedType: &name}
		for _, step := range path {
			atom, _ := resolve(s, ref)
			if atom.List != nil {
				ref = atom.List.ElementType
				continue
			}
			i := slices.IndexFunc(atom.Map.Fields, func(f smd.StructField) bool { return f.Name == step })
			ref = atom.Map.Fields[i].Type
		}
		atom, _ := resolve(s, ref)
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
	if _, ok := resolve(next, deducedRef); !ok {
		t.Error("the type of other fields is missing")
	}
}
