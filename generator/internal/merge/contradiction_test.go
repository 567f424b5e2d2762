package merge

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// schemas makes random schemas of CRDs.
type schemas struct{ *rand.Rand }

// kind returns the schema of a kind.
func (r schemas) kind() *input.JSONSchema {
	return &input.JSONSchema{Type: "object", HasProperties: true, Properties: []input.JSONProperty{
		{Name: input.Placed{Value: "spec"}, Schema: r.object(4)},
		{Name: input.Placed{Value: "status"}, Schema: r.object(2)},
	}}
}

func (r schemas) value(depth int) *input.JSONSchema {
	if depth == 0 {
		return r.scalar()
	}
	switch r.IntN(6) {
	case 0:
		return r.array(depth - 1)
	case 1, 2:
		return r.object(depth - 1)
	case 3:
		free := &input.JSONSchema{PreservesUnknown: true}
		if r.IntN(2) == 0 {
			free.Type = "object"
		}
		return free
	}
	return r.scalar()
}

func (r schemas) scalar() *input.JSONSchema {
	types := []string{"string", "integer", "boolean"}
	return &input.JSONSchema{Type: types[r.IntN(len(types))]}
}

func (r schemas) object(depth int) *input.JSONSchema {
	s := &input.JSONSchema{Type: "object"}
	if r.IntN(4) == 0 {
		s.MapType.Value = "atomic"
	}
	if r.IntN(4) == 0 {
		s.Additional = r.value(depth)
		return s
	}
	s.PreservesUnknown = r.IntN(8) == 0
	s.HasProperties = true
	for _, name := range []string{"a", "b", "c", "name"} {
		if r.IntN(3) > 0 {
			s.Properties = append(s.Properties, input.JSONProperty{Name: input.Placed{Value: name}, Schema: r.value(depth)})
		}
	}
	return s
}

func (r schemas) array(depth int) *input.JSONSchema {
	s := &input.JSONSchema{Type: "array", Items: r.value(depth)}
	switch {
	case s.Items.Type == "object" && s.Items.Property("name") != nil && r.IntN(2) == 0:
		s.ListType.Value, s.MapKeys = "map", []input.Placed{{Value: "name"}}
		if r.IntN(2) == 0 {
			s.Items.Property("name").Default = `"x"`
		}
	case s.Items.Type == "string":
		s.ListType.Value = []string{"", "atomic", "set"}[r.IntN(3)]
	}
	return s
}

// changed returns a copy of a schema with some parts that are others.
func (r schemas) changed(s *input.JSONSchema) *input.JSONSchema {
	if s == nil {
		return nil
	}
	if r.IntN(30) == 0 {
		return r.value(2)
	}
	next := *s
	if r.IntN(12) == 0 && s.Type == "object" {
		next.MapType.Value = []string{"", "atomic", "granular"}[r.IntN(3)]
	}
	if r.IntN(6) == 0 && s.Type == "array" {
		next.ListType.Value, next.MapKeys = "", nil
	}
	next.Items, next.Additional = r.changed(s.Items), r.changed(s.Additional)
	next.Properties = nil
	for _, p := range s.Properties {
		if r.IntN(12) > 0 || p.Name.Value == "name" {
			next.Properties = append(next.Properties, input.JSONProperty{Name: p.Name, Schema: r.changed(p.Schema)})
		}
	}
	if next.ListType.Value == "map" && next.Items.Property("name") == nil || next.ListType.Value == "set" && next.Items.Type != "string" {
		next.ListType.Value, next.MapKeys = "", nil
	}
	return &next
}

// TestComparisonFollowsCRD compares random Go types with random CRDs. The result merges like the CRD, although
// parts of it come from Go.
func TestComparisonFollowsCRD(t *testing.T) {
	const name = "example.com.v1.Widget"
	contradictions, equal := 0, 0
	for seed := range uint64(3000) {
		r := schemas{rand.New(rand.NewPCG(seed, 0))}
		crd := r.kind()
		named := map[string]model.SchemaAtom{}
		goType := rootOf(name, r.changed(crd))
		naming{named}.atom("T", &goType.Atom)
		named[name] = goType.Atom
		for _, common := range untypedTypes() {
			named[common.Name] = common.Atom
		}
		before := fmt.Sprintf("%v", expanded(named, model.SchemaRef{Named: name}))
		c := &comparison{kind: "Widget", named: named}
		merged := c.root(name, crd)
		served := rootOf(name, crd)
		if difference := differ(expanded(named, model.SchemaRef{Inline: merged.Atom}), expanded(named, model.SchemaRef{Inline: served.Atom}), "", false); difference != "" {
			t.Fatalf("seed %d: %s\nGo:     %s", seed, difference, before)
		}
		if after := fmt.Sprintf("%v", expanded(named, model.SchemaRef{Named: name})); after != before {
			t.Fatalf("seed %d: the comparison has changed the Go types", seed)
		}
		contradictions += len(c.found)
		if reflect.DeepEqual(merged.Atom, goType.Atom) {
			equal++
			if len(c.found)+len(c.extra) > 0 {
				t.Fatalf("seed %d: %v, but the result is the Go type", seed, c.found)
			}
		}
	}
	if contradictions < 1000 || equal < 100 {
		t.Errorf("%d contradictions, and %d of 3000 types are equal", contradictions, equal)
	}
}

// naming gives names to the structs in a type, as Go has them.
type naming struct{ named map[string]model.SchemaAtom }

func (n naming) ref(name string, ref *model.SchemaRef) {
	if ref.Named != "" {
		return
	}
	n.atom(name, &ref.Inline)
	if ref.Inline.Map != nil && len(ref.Inline.Map.Fields) > 0 {
		n.named[name] = ref.Inline
		*ref = model.SchemaRef{Named: name}
	}
}

func (n naming) atom(name string, atom *model.SchemaAtom) {
	if atom.List != nil {
		n.ref(name+"_list", &atom.List.Element)
	}
	if atom.Map != nil {
		for i := range atom.Map.Fields {
			n.ref(name+"_"+atom.Map.Fields[i].Name, &atom.Map.Fields[i].Type)
		}
		if atom.Map.Element != nil {
			n.ref(name+"_map", atom.Map.Element)
		}
	}
}

// tree is a type without names, except for the names of values of any type.
type tree struct {
	scalar, relationship string
	list, element        *tree
	fields               map[string]*tree
	keys, defaults       []string
}

func (t *tree) String() string {
	if t == nil {
		return "-"
	}
	var names []string
	for name, field := range t.fields {
		names = append(names, name+":"+field.String())
	}
	slices.Sort(names)
	return fmt.Sprintf("{%s%s %s[%v]{%s %v}%v}", t.scalar, t.relationship, t.keys, t.list, strings.Join(names, " "), t.element, t.defaults)
}

func expanded(named map[string]model.SchemaAtom, ref model.SchemaRef) *tree {
	if ref.Named == untypedDeduced || ref.Named == untypedAtomic || strings.HasSuffix(ref.Named, ".ObjectMeta") {
		return &tree{scalar: ref.Named}
	}
	atom := ref.Inline
	if ref.Named != "" {
		atom = named[ref.Named]
	}
	if atom.Map != nil {
		t := &tree{relationship: string(atom.Map.Relationship), fields: map[string]*tree{}}
		if ref.Relationship != "" {
			t.relationship = string(ref.Relationship)
		}
		for _, field := range atom.Map.Fields {
			t.fields[field.Name] = expanded(named, field.Type)
		}
		if atom.Map.Element != nil {
			t.element = expanded(named, *atom.Map.Element)
		}
		return t
	}
	if atom.List != nil {
		t := &tree{relationship: string(atom.List.Relationship), list: expanded(named, atom.List.Element), keys: atom.List.Keys}
		element := atom.List.Element.Inline
		if atom.List.Element.Named != "" {
			element = named[atom.List.Element.Named]
		}
		for _, key := range atom.List.Keys {
			for _, field := range element.Map.Fields {
				if field.Name == key {
					t.defaults = append(t.defaults, key+"="+field.Default)
				}
			}
		}
		return t
	}
	return &tree{scalar: atom.Scalar}
}

// differ returns how one type merges differently from another, or "". isFree reports whether the other one is a
// member of an object with values of any type, where scalars of Go may stay.
func differ(one, other *tree, path string, isFree bool) string {
	if one == nil || other == nil {
		if one != other {
			return fmt.Sprintf("%s: %v and %v", path, one, other)
		}
		return ""
	}
	if other.scalar == untypedDeduced && isScalarTree(one) {
		return "" // a scalar of Go stays a scalar
	}
	if one.scalar != other.scalar || one.relationship != other.relationship || !slices.Equal(one.keys, other.keys) || !slices.Equal(one.defaults, other.defaults) {
		return fmt.Sprintf("%s: %v and %v", path, one, other)
	}
	if difference := differ(one.list, other.list, path+"[]", false); difference != "" {
		return difference
	}
	if difference := differ(one.element, other.element, path+".*", true); difference != "" {
		return difference
	}
	for name, field := range one.fields {
		with := other.fields[name]
		if with == nil {
			with = other.element
		}
		if difference := differ(field, with, path+"."+name, true); difference != "" {
			return difference
		}
	}
	for name, field := range other.fields {
		if one.fields[name] == nil {
			return fmt.Sprintf("%s.%s: nothing and %v", path, name, field)
		}
	}
	return ""
}

func isScalarTree(t *tree) bool {
	return t.relationship == "" && t.scalar != untypedDeduced && t.scalar != untypedAtomic
}
