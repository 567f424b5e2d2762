package scoping

import (
	"testing"

	"github.com/typedinformers/informer-gen/runtime/sharding"
)

func TestRule(t *testing.T) {
	for name, test := range map[string]struct {
		fields        string
		excluded, has [][2]string // namespace and name
	}{
		"nothing":       {has: [][2]string{{"a", "x"}, {"", "x"}}},
		"a field":       {fields: "spec.nodeName=n", has: [][2]string{{"a", "x"}}},
		"a name":        {fields: "metadata.name=x", excluded: [][2]string{{"a", "y"}}, has: [][2]string{{"a", "x"}}},
		"no such names": {fields: "metadata.name!=x,metadata.name!=y", excluded: [][2]string{{"a", "x"}, {"a", "y"}}, has: [][2]string{{"a", "z"}}},
		"other namespaces": {fields: "metadata.namespace!=a,metadata.namespace!=b", excluded: [][2]string{{"a", "x"}, {"b", "x"}},
			has: [][2]string{{"c", "x"}}},
		"both": {fields: "metadata.namespace==a,spec.x!=1", excluded: [][2]string{{"b", "x"}}, has: [][2]string{{"a", "x"}}},
	} {
		r := NewRule(test.fields, sharding.Selector{})
		if r.HasTerms() != (len(test.excluded) > 0) {
			t.Errorf("%s: has terms %v", name, r.HasTerms())
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
