package upstream

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

const original = `// A comment.
package cache

import "testing"

func TestKept(t *testing.T) {
	informer := NewInformer(1)
	handler := &wrapper[*Pod]{handler: f(2)}
	none := wrapper[Pod]{}
	_ = x.NewInformer(3) // of another package
	_ = other[Pod]{NewInformer(4)}
}

func count(i int) int {
	return i.(*informer).n
}

func (r *receiver) TestMethod() { NewInformer(5) }

func TestInternal(t *testing.T) {
	if x.period != 7 {
		t.Error(x)
	}
}

var _ = wrapper[Pod]{}

func TestMain(m *testing.M) {}
`

const adapted = `// A comment.
package upstream; import . "example.com/cache"

import "testing"

func TestKept(t *testing.T) {
	informer := newInformer(1)
	handler := newWrapper[*Pod](f(2))
	none := newWrapper[Pod](nil)
	_ = x.NewInformer(3) // of another package
	_ = other[Pod]{newInformer(4)}
}





func (r *receiver) TestMethod() { newInformer(5) }







var _ = newWrapper[Pod](nil)

func TestMain(m *testing.M) {}
`

func testRules() Rules {
	return Rules{
		Package:   "upstream",
		Import:    "example.com/cache",
		Rename:    map[string]string{"NewInformer": "newInformer"},
		Construct: map[string]string{"wrapper": "newWrapper"},
		Remove:    []string{"count"},
		Internal:  map[string]string{"TestInternal": "period"},
	}
}

func TestAdapt(t *testing.T) {
	result, err := Adapt("cache_test.go", []byte(original), testRules())
	if err != nil {
		t.Fatal(err)
	}
	if got := string(result.Source); got != adapted {
		t.Errorf("got:\n%s", got)
	}
	if strings.Count(original, "\n") != strings.Count(adapted, "\n") {
		t.Error("the lines have other numbers")
	}
	if !slices.Equal(result.Tests, []string{"TestKept"}) || !slices.Equal(result.Internal, []string{"TestInternal"}) {
		t.Errorf("the tests are %q and %q", result.Tests, result.Internal)
	}
}

func TestAdaptFails(t *testing.T) {
	rules := testRules()
	rules.Internal["TestInternal"] = "interval"
	if _, err := Adapt("cache_test.go", []byte(original), rules); err == nil || err.Error() != "TestInternal does not use interval any more" {
		t.Errorf("without the internal name: %v", err)
	}
	if _, err := Adapt("cache_test.go", []byte("package"), rules); err == nil {
		t.Error("a broken file was adapted")
	}
}

func TestProblems(t *testing.T) {
	report := Report{
		Tests:    []string{"Good", "Bad", "New", "Differs", "Agrees", "NoReason"},
		Internal: []string{"Inside", "Unlisted"},
		Results:  map[string]string{"Good": "pass", "Bad": "fail", "Differs": "fail", "Agrees": "pass", "NoReason": "skip"},
		Skipped:  map[string]string{"Differs": "row", "Agrees": "row", "NoReason": "other", "Inside": "row", "Gone": "row"},
		Reasons:  []string{"row"},
	}
	var got []string
	problems := report.Problems()
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		got = append(got, fmt.Sprintf("%s: %v", name, problems[name]))
	}
	want := []string{
		"Agrees: it passes; remove it from the list of skipped tests",
		`Bad: it ends with "fail"`,
		"Gone: it is skipped, but there is no such test",
		"New: it did not run",
		`NoReason: it is skipped because of "other", which is no known difference`,
		"Unlisted: it uses internals, but is not in the list of skipped tests",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
