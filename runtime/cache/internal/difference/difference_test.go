package difference

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type crate struct {
	metav1.ObjectMeta
	Spec crateSpec
}

type crateSpec struct {
	Count  *int32
	Limit  resource.Quantity
	Data   map[string][]byte
	Parts  []part
	ByID   map[int]part
	Any    any
	Grid   [2][2]bool
	Notify func()
	hidden struct{ a, b int }
}

type part struct{ Name, Text string }

func newCrate() *crate {
	one := int32(1)
	return &crate{
		ObjectMeta: metav1.ObjectMeta{Name: "c", Labels: map[string]string{"a": "1", "b": "2"}, CreationTimestamp: metav1.NewTime(time.Unix(1, 0))},
		Spec: crateSpec{
			Count: &one, Limit: *resource.NewQuantity(1, resource.DecimalSI), Data: map[string][]byte{"password": []byte("hunter1")},
			Parts: []part{{"p", "q"}, {"r", "s"}}, ByID: map[int]part{7: {"seven", ""}}, Any: map[string]any{"x": []any{int64(1), "2"}},
		},
	}
}

func TestDescribe(t *testing.T) {
	two := int32(2)
	for _, test := range []struct {
		change func(*crate)
		want   string
	}{
		{func(c *crate) { c.Labels["a"] = "x" }, `Labels["a"]`},
		{func(c *crate) { delete(c.Labels, "a"); c.Labels["c"] = "3" }, `Labels["a"], Labels["c"]`},
		{func(c *crate) { c.Labels = nil }, `Labels`},
		{func(c *crate) { c.Annotations = map[string]string{} }, `Annotations`},
		{func(c *crate) { c.CreationTimestamp = metav1.NewTime(time.Unix(2, 0).UTC()) }, `CreationTimestamp`},
		{func(c *crate) { *c.Spec.Count = 2 }, `Spec.Count`},
		{func(c *crate) { c.Spec.Count = &two }, `Spec.Count`},
		{func(c *crate) { c.Spec.Count = nil }, `Spec.Count`},
		{func(c *crate) { c.Spec.Data["password"][6] = '2' }, `Spec.Data["password"]`},
		{func(c *crate) { c.Spec.Data["password"] = nil }, `Spec.Data["password"]`},
		{func(c *crate) { c.Spec.Parts[1].Text = "x\x1b[2J" }, `Spec.Parts[1].Text`},
		{func(c *crate) { c.Spec.Parts = c.Spec.Parts[:1] }, `len(Spec.Parts)`},
		{func(c *crate) { c.Spec.ByID[7] = part{Name: "eight"} }, `Spec.ByID[7].Name`},
		{func(c *crate) { c.Spec.Any.(map[string]any)["x"].([]any)[0] = "1" }, `Spec.Any["x"][0]`},
		{func(c *crate) { c.Spec.Any = nil }, `Spec.Any`},
		{func(c *crate) { c.Spec.Grid[1][0] = true }, `Spec.Grid[1][0]`},
		{func(c *crate) { c.Spec.Notify = func() {} }, `Spec.Notify`},
		{func(c *crate) { c.Spec.hidden.b = 1; c.Spec.hidden.a = 1 }, `Spec`},
		{func(c *crate) { c.Labels["\n\x1b[2J"] = "x" }, `Labels["\n\x1b[2J"]`},
		{func(c *crate) { *c = crate{} }, `Name, CreationTimestamp, Labels, Spec.Count, Spec.Limit.Format, Spec.Limit, Spec.Data, Spec.Parts, Spec.ByID, Spec.Any`},
		{func(c *crate) {}, `a function or another value that cannot be compared`},
	} {
		before, after := newCrate(), newCrate()
		test.change(after)
		if got := Describe(before, after); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestDescribeOfUntyped(t *testing.T) {
	before := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"replicas": int64(1)}}}
	after := before.DeepCopy()
	after.Object["spec"].(map[string]any)["replicas"] = int64(2)
	if got, want := Describe(before, after), `Object["spec"]["replicas"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestDescribeIsBounded changes large keys, large values, many fields and deep
// ones.
func TestDescribeIsBounded(t *testing.T) {
	const most = maxDifferences*(3*4*maxPrinted) + 100 // quoting makes four bytes of one
	large := strings.Repeat("\x1b", 1<<20)
	deep := func(leaf string) (value any) {
		value = leaf
		for range 10000 {
			value = map[string]any{"key": []any{value}}
		}
		return value
	}
	for name, change := range map[string]func(*crate){
		"a large key":   func(c *crate) { c.Labels[large] = "x" },
		"a large value": func(c *crate) { c.Labels["a"] = large },
		"many fields": func(c *crate) {
			for i := range 10000 {
				c.Labels[fmt.Sprint(large[:1000], i)] = "x"
			}
		},
		"many elements": func(c *crate) { c.Spec.Any = make([]any, 100000) },
		"deep ones":     func(c *crate) { c.Spec.Any = deep("x") },
	} {
		before, after := newCrate(), newCrate()
		if name == "deep ones" {
			before.Spec.Any = deep("y")
		}
		change(after)
		text := Describe(before, after)
		if len(text) > most || strings.ContainsAny(text, "\x1b\n") {
			t.Errorf("%s are described in %d bytes: %.300q", name, len(text), text)
		}
		if strings.HasPrefix(text, "a function") {
			t.Errorf("%s are not found", name)
		}
	}
}

// TestFields compares objects without their keys and indexes.
func TestFields(t *testing.T) {
	two := int32(2)
	a := &crate{Spec: crateSpec{Parts: []part{{}, {}}, Data: map[string][]byte{}}}
	b := &crate{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"secret": "1"}}, Spec: crateSpec{Count: &two, Parts: []part{{}, {}}}}
	b.Spec.ByID = map[int]part{}
	if got, want := fmt.Sprint(Fields(a, b, false)), "[Labels Spec.Count Spec.Data Spec.ByID]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(Fields(a, b, true)), "[Labels Spec.Count]"; got != want {
		t.Errorf("if empty is nil, got %s, want %s", got, want)
	}
	a.Labels, a.Spec.Count = map[string]string{"secret": "2", "other": "3"}, &two
	if got, want := fmt.Sprint(Fields(a, b, true)), "[Labels[]]"; got != want {
		t.Errorf("of maps, got %s, want %s", got, want)
	}
	if got := Fields(b, b, false); got != nil {
		t.Errorf("of equal objects, got %v", got)
	}
}

// FuzzDifference agrees with reflect.DeepEqual.
func FuzzDifference(f *testing.F) {
	f.Add([]byte("abcdef"), []byte("abcdeg"))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7}, []byte{0, 1, 2, 3, 4, 5, 6, 8})
	f.Add([]byte("mmmmmm"), []byte("mmmmmmm"))
	f.Fuzz(func(t *testing.T, x, y []byte) {
		before, after := anyOf(x), anyOf(y)
		got := Describe(&before, &after)
		if found := !strings.HasPrefix(got, "a function"); found == reflect.DeepEqual(before, after) {
			t.Errorf("%#v and %#v: %s", before, after, got)
		}
	})
}

// anyOf makes a value of bytes.
func anyOf(text []byte) any {
	if len(text) == 0 {
		return nil
	}
	rest := text[1:]
	half := len(rest) / 2
	switch text[0] % 8 {
	case 0:
		return map[string]any{string(rest[:half]): anyOf(rest[half:]), "b": anyOf(rest[:half])}
	case 1:
		return []any{anyOf(rest[:half]), anyOf(rest[half:])}
	case 2:
		return string(rest)
	case 3:
		return int64(len(rest))
	case 4:
		return map[any]*part{len(rest): {Name: string(rest)}, int64(len(rest)): nil}
	case 5:
		return part{string(rest[:half]), string(rest[half:])}
	case 6:
		return struct{ a any }{anyOf(rest)}
	}
	return append([]byte(nil), rest...)
}
