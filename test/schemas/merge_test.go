package schemas

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/typedinformers/informer-gen/generator"
)

// filler makes values of the types of a schema.
type filler struct {
	schema *schema.Schema
	random *rand.Rand
}

// value returns a value for a type. Strings and numbers are few, so that the keys of two lists often are
// equal. Some values do not fit.
func (f *filler) value(ref schema.TypeRef, depth int) any {
	atom, _ := f.schema.Resolve(ref)
	choices := []func() any{}
	if atom.Scalar != nil {
		choices = append(choices, func() any { return f.scalar(*atom.Scalar) })
	}
	if atom.List != nil && depth > 0 {
		choices = append(choices, func() any {
			list := []any{}
			for range f.random.IntN(4) {
				list = append(list, f.value(atom.List.ElementType, depth-1))
			}
			return list
		})
	}
	if atom.Map != nil && depth > 0 {
		choices = append(choices, func() any { return f.object(atom.Map, depth) })
	}
	if len(choices) == 0 {
		return nil
	}
	return choices[f.random.IntN(len(choices))]()
}

func (f *filler) scalar(kind schema.Scalar) any {
	if f.random.IntN(500) == 0 {
		kind = schema.Untyped
	}
	switch kind {
	case schema.String:
		return string(rune('a' + f.random.IntN(3)))
	case schema.Numeric:
		return int64(f.random.IntN(3))
	case schema.Boolean:
		return f.random.IntN(2) == 0
	}
	return []any{"a", "b", int64(1), true}[f.random.IntN(4)]
}

func (f *filler) object(of *schema.Map, depth int) map[string]any {
	object := map[string]any{}
	for _, field := range of.Fields {
		if f.random.IntN(3) > 0 {
			if v := f.value(field.Type, depth-1); v != nil || f.random.IntN(20) == 0 {
				object[field.Name] = v
			}
		}
	}
	if of.ElementType != (schema.TypeRef{}) {
		for range f.random.IntN(3) {
			object[string(rune('x'+f.random.IntN(3)))] = f.value(of.ElementType, depth-1)
		}
	}
	return object
}

// outcome is what structured merge makes of two objects: texts by the name of the operation.
type outcome map[string]string

func text(of value.Value) string {
	encoded, err := json.Marshal(of.Unstructured()) // sorts members, unlike value.ToString
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}

// merge runs the operations of structured merge that Extract and a server use.
func merge(of typed.ParseableType, live, applied any) outcome {
	results := outcome{}
	x, err := of.FromUnstructured(live)
	results["live"] = fmt.Sprint(err != nil)
	y, otherErr := of.FromUnstructured(applied)
	results["applied"] = fmt.Sprint(otherErr != nil)
	if err != nil || otherErr != nil {
		return results
	}
	if merged, err := x.Merge(y); err == nil {
		results["merged"] = text(merged.AsValue())
	}
	if comparison, err := x.Compare(y); err == nil {
		results["compared"] = comparison.String()
	}
	owned, err := y.ToFieldSet()
	if err == nil {
		results["owned"] = owned.String()
		results["extracted"] = text(x.ExtractItems(owned.Leaves(), typed.WithAppendKeyFields()).AsValue())
		results["all"] = text(x.ExtractItems(owned).AsValue())
		results["removed"] = text(x.RemoveItems(fieldpath.NewSet().Union(owned.Leaves())).AsValue())
	}
	return results
}

// twoSchemas merges objects of built-in kinds with the schema of client-go and with ours.
type twoSchemas struct {
	theirs, ours *typed.Parser
	names        []string
}

func newTwoSchemas(t testing.TB) *twoSchemas {
	theirs, err := clientGo()
	if err != nil {
		t.Fatal(err)
	}
	s := &twoSchemas{theirs: theirs, ours: generated(t, generator.Options{Patterns: []string{"k8s.io/api/..."}})}
	for _, name := range theirs.TypeNames() {
		if s.ours.Type(name).IsValid() {
			s.names = append(s.names, name)
		}
	}
	return s
}

// merge merges two objects that follow from seed with both schemas. It returns the outcome.
func (s *twoSchemas) merge(t *testing.T, seed uint64) outcome {
	name := s.names[seed%uint64(len(s.names))]
	fill := &filler{schema: &s.theirs.Schema, random: rand.New(rand.NewPCG(seed, 1))}
	of := schema.TypeRef{NamedType: &name}
	live, applied := fill.value(of, 9), fill.value(of, 9)
	want, got := merge(s.theirs.Type(name), live, applied), merge(s.ours.Type(name), live, applied)
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%s: with the schema of client-go:\n%v\nwith ours:\n%v\nlive %v\napplied %v", name, want, got, live, applied)
	}
	return want
}

func TestMerge(t *testing.T) {
	s := newTwoSchemas(t)
	merged, total := 0, uint64(5*len(s.names))
	for seed := range total {
		if s.merge(t, seed)["merged"] != "" {
			merged++
		}
	}
	t.Logf("%d of %d pairs of objects were merged", merged, total)
	if merged < int(total)/2 {
		t.Errorf("only %d of %d pairs of objects were merged", merged, total)
	}
}

func FuzzMerge(f *testing.F) {
	s := newTwoSchemas(f)
	f.Fuzz(func(t *testing.T, seed uint64) { s.merge(t, seed) })
}
