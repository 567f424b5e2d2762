package behavior

import (
	"bytes"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The types of theirs. Those of ours have the same fields, and a mistake each.
type (
	item   struct{ Name *string }
	good   struct{ fields }
	fields struct {
		APIVersion *string
		Count      *int
		Since      *metav1.Time
		Items      []item
		Labels     map[string]string
		*Meta
	}
	Meta struct{ Name *string }
)

func (b *good) WithCount(value int) *good { b.Count = &value; return b }

func (b *good) WithSince(value metav1.Time) *good { b.Since = &value; return b }

func (b *good) WithItems(values ...*item) *good {
	for _, value := range values {
		if value == nil {
			panic("nil value passed to WithItems")
		}
		b.Items = append(b.Items, *value)
	}
	return b
}

func (b *good) WithLabels(entries map[string]string) *good {
	if b.Labels == nil && len(entries) > 0 {
		b.Labels = map[string]string{}
	}
	for key, value := range entries {
		b.Labels[key] = value
	}
	return b
}

func (b *good) WithName(value string) *good {
	if b.Meta == nil {
		b.Meta = &Meta{}
	}
	b.Meta.Name = &value
	return b
}

func (b *good) GetName() *string {
	if b.Meta == nil {
		return nil
	}
	return b.Meta.Name
}

type drops struct{ good }

func (b *drops) WithCount(int) *drops { return b }

type empties struct{ good }

func (b *empties) WithLabels(entries map[string]string) *empties {
	if b.Labels == nil {
		b.Labels = map[string]string{}
	}
	b.good.WithLabels(entries)
	return b
}

type aliases struct{ good }

func (b *aliases) WithLabels(entries map[string]string) *aliases {
	if b.Labels == nil && len(entries) > 0 {
		b.Labels = entries
		return b
	}
	b.good.WithLabels(entries)
	return b
}

type replaces struct{ good }

func (b *replaces) WithItems(values ...*item) *replaces {
	b.Items = nil
	b.good.WithItems(values...)
	return b
}

type nils struct{ good }

func (b *nils) WithItems(values ...*item) *nils {
	for _, value := range values {
		if value != nil {
			b.Items = append(b.Items, *value)
		}
	}
	return b
}

type copies struct{ good }

func (b *copies) WithCount(value int) *copies { c := *b; c.good.WithCount(value); return &c }

type creates struct{ good }

func (b *creates) GetName() *string {
	if b.Meta == nil {
		b.Meta = &Meta{}
	}
	return b.Meta.Name
}

type misnames struct{ good }

func (b *misnames) GetName() *string { b.good.GetName(); return b.APIVersion }

func newGood(name string) *good { return &good{fields{Meta: &Meta{Name: &name}}} }
func newBad(string) *good       { return newGood("other") }
func newObject(name string) *good {
	version := "a/v1"
	b := newGood(name)
	b.APIVersion = &version
	return b
}

// TestRun compares a type with itself, and with types that have a mistake each.
func TestRun(t *testing.T) {
	forKind := func(kind schema.GroupVersionKind) any {
		if kind == (schema.GroupVersionKind{Group: "a", Version: "v1", Kind: "good"}) {
			return &good{}
		}
		return nil
	}
	noKinds := func(schema.GroupVersionKind) any { return nil }
	drop := TypeOf[good, drops]("good")
	for name, test := range map[string]struct {
		typ     Type
		funcs   []Func
		forKind Func
		want    string // a part of the output; "" for nothing
	}{
		"same":             {typ: TypeOf[good, good]("good"), funcs: []Func{FuncOf("New", newGood, newGood)}},
		"without fields":   {typ: drop, want: "p good.WithCount: differs"},
		"empty map":        {typ: TypeOf[good, empties]("good"), want: "p good.WithLabels: differs"},
		"alias":            {typ: TypeOf[good, aliases]("good"), want: "differs"},
		"replaced list":    {typ: TypeOf[good, replaces]("good"), want: "differs"},
		"nil":              {typ: TypeOf[good, nils]("good"), want: `p good.WithItems(nil): theirs panics with "nil value passed to WithItems", ours with ""`},
		"other receiver":   {typ: TypeOf[good, copies]("good"), want: "p good.WithCount: the result is not the receiver"},
		"getter":           {typ: TypeOf[good, misnames]("good"), want: "p good.GetName: result: differs"},
		"constructor":      {funcs: []Func{FuncOf("New", newGood, newBad)}, want: "p New: differs"},
		"kind":             {typ: TypeOf[good, good]("good"), funcs: []Func{FuncOf("New", newObject, newObject)}, forKind: FuncOf("ForKind", forKind, forKind)},
		"no kind":          {typ: TypeOf[good, good]("good"), funcs: []Func{FuncOf("New", newObject, newObject)}, forKind: FuncOf("ForKind", forKind, noKinds), want: "p ForKind(a/v1, Kind=good): theirs"},
		"kind of a theirs": {typ: drop, funcs: []Func{FuncOf("New", newObject, newObject)}, forKind: FuncOf("ForKind", forKind, forKind), want: "p ForKind(a/v1, Kind=good): is a *behavior.good"},
		"other getter":     {typ: TypeOf[good, creates]("good"), want: "differs"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			pkg := Package{Name: "p", Funcs: test.funcs}
			if test.typ.Theirs != nil {
				pkg.Types = []Type{test.typ}
			}
			Run(&out, test.forKind, []Package{pkg})
			if got := out.String(); !strings.Contains(got, test.want) || test.want == "" && got != "" {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
