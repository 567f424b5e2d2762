package fieldmask

import (
	"fmt"
	"testing"
)

func TestParse(t *testing.T) {
	for _, text := range []string{"spec", "spec.containers.image", "metadata.annotations[example.com/a.b]", "a[b][c].d", "data[.dockerconfigjson]", "spec.$ref"} {
		if path, err := Parse(text); err != nil || path.String() != text {
			t.Errorf("%s is read as %s, %v", text, path, err)
		}
	}
	const isNone = " is no path; write the names of fields in JSON with dots between them, such as spec.containers.image, and the key of a map in brackets, such as metadata.labels[app]"
	for text, want := range map[string]string{
		"":                         `""` + isNone,
		".spec":                    `".spec"` + isNone,
		"spec.":                    `"spec."` + isNone,
		"spec..a":                  `"spec..a"` + isNone,
		"[a]":                      `"[a]"` + isNone,
		"spec.containers[].image":  `"spec.containers[].image" has brackets without a key; write spec.containers.image, which goes through the items of a list`,
		`spec.x[?(@.type=="a")].b`: `"spec.x[?(@.type==\"a\")].b" chooses items of a list, which no path can; leave [?(@.type=="a")] out for all items`,
		"spec.containers[*].image": `"spec.containers[*].image" has brackets without a key; write spec.containers.image, which goes through the items of a list`,
		"metadata.labels[app":      `"metadata.labels[app" has a bracket that does not end; write the key of a map as metadata.labels[app]`,
		"metadata.labels[app]x":    `"metadata.labels[app]x" has "x" after a key; write a dot before the name of a field`,
	} {
		if path, err := Parse(text); fmt.Sprint(err) != want {
			t.Errorf("%s: %v, %v", text, path, err)
		}
	}
}

// TestMasks asks masks whether they keep fields.
func TestMasks(t *testing.T) {
	paths := func(texts []string) (all []Path) {
		for _, text := range texts {
			path, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, path)
		}
		return all
	}
	type list = []string
	for _, test := range []struct {
		only, without     list
		keeps, does, none list // whole, in part, not at all
	}{
		{nil, nil, list{"spec", "metadata.name"}, nil, nil},
		{list{"spec.a"}, nil, list{"spec.a", "spec.a.b", "kind", "metadata.generation", "metadata.ownerReferences.name"}, list{"spec", "metadata"}, list{"status", "spec.b", "metadata.labels"}},
		{list{"spec.a.b", "spec.a", "spec.a.c"}, nil, list{"spec.a"}, list{"spec"}, list{"spec.b"}},
		{list{"metadata"}, nil, list{"metadata", "metadata.labels"}, nil, list{"spec"}},
		{list{"metadata.labels[app]"}, nil, list{"metadata.labels[app]"}, list{"metadata.labels"}, list{"metadata.labels[tier]"}},
		{nil, list{"spec.a"}, list{"spec.b", "status", "metadata"}, list{"spec"}, list{"spec.a", "spec.a.b"}},
		{nil, list{"spec.a.b", "spec.a"}, list{"spec.b"}, list{"spec"}, list{"spec.a", "spec.a.c"}},
		{nil, list{"spec.a", "spec.a.b"}, list{"spec.b"}, list{"spec"}, list{"spec.a", "spec.a.c"}},
		{nil, list{"metadata"}, list{"metadata.name", "metadata.finalizers", "spec"}, list{"metadata"}, list{"metadata.labels"}},
		{list{"spec"}, list{"spec.a"}, list{"spec.b"}, list{"spec"}, list{"spec.a", "status"}},
		{list{"spec.a"}, list{"spec.a"}, list{"kind"}, nil, list{"spec"}},
		{list{"spec.a"}, list{"status"}, list{"spec.a"}, list{"spec"}, list{"status"}},
	} {
		mask, err := New(paths(test.only), paths(test.without))
		if err != nil {
			t.Errorf("%v: %v", test, err)
		}
		state := func(path Path) string {
			at := mask
			for _, step := range path {
				at = at.At(step.Name)
			}
			switch {
			case at == nil:
				return "whole"
			case at.KeepsNothing():
				return "not at all"
			}
			return "in part"
		}
		for want, texts := range map[string]list{"whole": test.keeps, "in part": test.does, "not at all": test.none} {
			for _, path := range paths(texts) {
				if got := state(path); got != want {
					t.Errorf("only %v, without %v: %s is kept %s, want %s", test.only, test.without, path, got, want)
				}
			}
		}
	}
	for _, text := range []string{"metadata.name", "metadata.ownerReferences.uid", "kind", "metadata.deletionTimestamp"} {
		if mask, err := New(nil, paths(list{text})); err == nil {
			t.Errorf("%s is left out: %s", text, mask)
		}
	}
	one, _ := New(paths(list{"spec.a", "spec.b"}), nil)
	other, _ := New(paths(list{"spec.b", "spec.a"}), nil)
	if one.String() != other.String() {
		t.Errorf("%s and %s are equal", one, other)
	}
}
