package scoping

import (
	"testing"

	"github.com/typedinformers/informer-gen/runtime/sharding"
)

func TestRule(t *testing.T) {
	for name, test := range map[string]struct {
		labels, fields string
		moves          bool
		excluded, has  [][2]string // namespace and name
	}{
		"nothing":       {has: [][2]string{{"a", "x"}, {"", "x"}}},
		"labels":        {labels: "app=web", moves: true, has: [][2]string{{"a", "x"}}},
		"a field":       {fields: "spec.nodeName=n", moves: true, has: [][2]string{{"a", "x"}}},
		"a name":        {fields: "metadata.name=x", excluded: [][2]string{{"a", "y"}}, has: [][2]string{{"a", "x"}}},
		"no such names": {fields: "metadata.name!=x,metadata.name!=y", excluded: [][2]string{{"a", "x"}, {"a", "y"}}, has: [][2]string{{"a", "z"}}},
		"other namespaces": {fields: "metadata.namespace!=a,metadata.namespace!=b", excluded: [][2]string{{"a", "x"}, {"b", "x"}},
			has: [][2]string{{"c", "x"}}},
		"both": {labels: "app", fields: "metadata.namespace==a,spec.x!=1", moves: true, excluded: [][2]string{{"b", "x"}}, has: [][2]string{{"a", "x"}}},
	} {
		r := NewRule("", test.labels, test.fields, sharding.Selector{})
		if r.Moves != test.moves || r.HasTerms() != (len(test.excluded) > 0) {
			t.Errorf("%s: moves %v, has terms %v", name, r.Moves, r.HasTerms())
		}
		for _, object := range test.excluded {
			if !r.Excludes(object[0], object[1]) {
				t.Errorf("%s does not exclude %s", name, object)
			}
		}
		for _, object := range test.has {
			if r.Excludes(object[0], object[1]) {
				t.Errorf("%s excludes %s", name, object)
			}
		}
	}
}

func TestOverlap(t *testing.T) {
	halves := sharding.Split(sharding.UID, 2)
	byNamespace := sharding.Split(sharding.Namespace, 2)
	in := func(namespace, fields string, shard sharding.Selector) *Rule {
		rule := NewRule(namespace, "", fields, shard)
		return &rule
	}
	var whole sharding.Selector
	for name, test := range map[string]struct {
		rules    []*Rule
		overlaps bool
	}{
		"none":                         {nil, false},
		"two namespaces":               {[]*Rule{in("a", "", whole), in("b", "", whole)}, false},
		"one namespace twice":          {[]*Rule{in("a", "", whole), in("b", "", whole), in("a", "spec.x=1", whole)}, true},
		"all and one":                  {[]*Rule{in("a", "", whole), in("", "", whole)}, true},
		"all others and one":           {[]*Rule{in("a", "", whole), in("", "metadata.namespace!=a", whole)}, false},
		"others and one more":          {[]*Rule{in("", "metadata.namespace!=a", whole), in("a", "", whole), in("b", "", whole)}, true},
		"all but a name":               {[]*Rule{in("", "metadata.name!=a", whole), in("a", "", whole)}, true},
		"two shards":                   {[]*Rule{in("", "", halves[0]), in("", "", halves[1])}, false},
		"a shard twice":                {[]*Rule{in("", "", halves[0]), in("", "", halves[0])}, true},
		"a shard and all":              {[]*Rule{in("a", "", halves[0]), in("a", "", whole)}, true},
		"shards by different keys":     {[]*Rule{in("a", "", halves[0]), in("a", "", byNamespace[1])}, true},
		"a shard of all and one of a":  {[]*Rule{in("", "", halves[0]), in("a", "", halves[1])}, false},
		"a shard of all and that of a": {[]*Rule{in("", "", halves[0]), in("a", "", halves[0])}, true},
	} {
		a, b, found := Overlap(test.rules)
		if found != test.overlaps || found && a == b {
			t.Errorf("%s: %d and %d overlap: %v", name, a, b, found)
		}
	}
}

func TestNormalForms(t *testing.T) {
	for selector, want := range map[string]string{
		"": "", "b=1,a in (y,x)": "a in (x,y),b=1", "a==1,a=1": "a=1", "!a, b": "!a,b", "tier notin (web)": "tier notin (web)",
	} {
		if got, err := Labels(selector); err != nil || got != want {
			t.Errorf("labels %q: %q, %v", selector, got, err)
		}
	}
	for selector, want := range map[string]string{
		"": "", "b=1,a!=2": "a!=2,b=1", "a==1,a=1": "a=1", `a=x\,y,b=z\=`: `a=x\,y,b=z\=`,
	} {
		if got, err := Fields(selector); err != nil || got != want {
			t.Errorf("fields %q: %q, %v", selector, got, err)
		}
	}
	if _, err := Labels("a in ("); err == nil {
		t.Error("a label selector without an end parses")
	}
	if _, err := Fields("a"); err == nil {
		t.Error("a field selector without a value parses")
	}
}
