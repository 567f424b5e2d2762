package main

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/test/compare"
)

func TestTable(t *testing.T) {
	rows, err := selected(table(), "")
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]bool{}
	for _, row := range rows {
		modules[row.Module] = true
	}
	if len(modules) < 46 {
		t.Errorf("only %d modules are in the table", len(modules))
	}
}

func TestSelected(t *testing.T) {
	valid := func(name string) Row {
		return Row{Name: name, Module: "example.com/m", Version: "v1.0.0", Packages: []string{"..."}}
	}
	latest, refused := valid("latest"), valid("refused")
	latest.Version, refused.Refused = "latest", "no"
	for name, test := range map[string]struct {
		rows []Row
		only string
		want string // the names, or a part of the error
	}{
		"all":            {[]Row{valid("a"), valid("b")}, "", "[a b]"},
		"one":            {[]Row{valid("a"), valid("b")}, "^b$", "[b]"},
		"none":           {[]Row{valid("a")}, "x", `no row matches "x"`},
		"bad pattern":    {[]Row{valid("a")}, "(", "--only"},
		"same name":      {[]Row{valid("a"), valid("a")}, "", "two rows are called a"},
		"not pinned":     {[]Row{latest}, "", "pinned"},
		"without reason": {[]Row{refused}, "", "a refusal needs"},
		"empty":          {[]Row{{}}, "", "needs a module"},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := selected(test.rows, test.only)
			got := []string{}
			for _, row := range found {
				got = append(got, row.name())
			}
			if err != nil && strings.Contains(err.Error(), test.want) {
				return
			}
			if text := fmt.Sprint(got); err != nil || text != test.want {
				t.Errorf("got %s, %v; want %s", text, err, test.want)
			}
		})
	}
}

func TestPatterns(t *testing.T) {
	row := Row{Module: "example.com/m", Packages: []string{"...", "api.example.com/v1"}, Others: []string{"other.com/n/v1"}}
	want := []string{"example.com/m/...", "example.com/m/api.example.com/v1", "other.com/n/v1"}
	if got := row.patterns(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDefinition has a row that is itself one of the modules that all rows require.
func TestDefinition(t *testing.T) {
	w := workspace{repo: "/repo", kubernetes: "v0.37.2", row: Row{
		Module: "k8s.io/metrics", Version: "v0.36.0", ClientModule: "example.com/client@v1.2.3",
	}}
	text := w.definition()
	for _, line := range []string{
		"\tk8s.io/metrics v0.36.0\n", "\nreplace k8s.io/client-go => k8s.io/client-go v0.37.2\n", "\texample.com/client v1.2.3\n",
		"replace github.com/typedinformers/informer-gen => /repo\n",
	} {
		if strings.Count(text, line) != 1 {
			t.Errorf("%q has to be in go.mod once:\n%s", line, text)
		}
	}
	if strings.Contains(text, "replace k8s.io/metrics") {
		t.Errorf("the row's own version counts:\n%s", text)
	}
}

var missing = compare.Difference{Package: "typed/a/v1", Name: "Foo", Kind: compare.Missing, Theirs: "struct"}

func TestJudge(t *testing.T) {
	accepts := []compare.Accepted{{Pattern: `typed/a/v1 Foo: missing: .*`, Reason: "why"}}
	refused := fmt.Errorf("%w: exit status 1\nfoo.go:1:2: no\nmore", errRefused)
	for name, test := range map[string]struct {
		row         Row
		differences []compare.Difference
		failing     []string
		failure     error
		want        string // a part of the error; "" for none
		line        string // the failure in the table
	}{
		"ok":                   {},
		"accepted":             {row: Row{Accepted: accepts}, differences: []compare.Difference{missing}},
		"difference":           {differences: []compare.Difference{missing}, want: "typed/a/v1 Foo: missing"},
		"failing kind":         {failing: []string{"XV1().Foos: get: no"}, want: "XV1().Foos: get: no"},
		"failing as meant":     {row: Row{Failing: map[string]string{"XV1().Foos: get": "why"}}, failing: []string{"XV1().Foos: get: no"}},
		"no longer failing":    {row: Row{Failing: map[string]string{"XV1().Foos: get": "why"}}, want: "no kind fails any more"},
		"unused":               {row: Row{Accepted: accepts}, want: "matches nothing"},
		"failure":              {failure: refused, want: "foo.go:1:2: no", line: "foo.go:1:2: no"},
		"expected refusal":     {row: Row{Refused: "no", Reason: "why"}, failure: refused, line: "foo.go:1:2: no"},
		"other refusal":        {row: Row{Refused: "yes", Reason: "why"}, failure: refused, want: "foo.go:1:2: no", line: "foo.go:1:2: no"},
		"no longer refused":    {row: Row{Refused: "no", Reason: "why"}, want: "no longer refused"},
		"not of informer-gen":  {failure: errors.New("no such module\nmore"), want: "no such module", line: "no such module"},
		"common, without rows": {differences: []compare.Difference{oldDiscovery}},
	} {
		t.Run(name, func(t *testing.T) {
			result := Result{Failing: test.failing}
			err := test.row.judge(&result, test.differences, test.failure)
			if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if result.Failure != test.line {
				t.Errorf("the table says %q, want %q", result.Failure, test.line)
			}
		})
	}
}

var oldDiscovery = compare.Difference{
	Package: "fake", Name: "*Clientset.Discovery", Kind: compare.Changed,
	Theirs: "func() client-go/discovery.DiscoveryInterface", Ours: "func() client-go/discovery.DiscoveryInterfaces",
}

func TestSummarize(t *testing.T) {
	extra := compare.Difference{Package: "typed/a/v1", Name: "FooInterface.Apply", Kind: compare.Extra}
	accepts := []compare.Accepted{{Pattern: `typed/a/v1 Foo.*`, Reason: "one reason"}}
	got := summarize([]compare.Difference{missing, extra, {Package: "b", Kind: compare.Missing}}, accepts)
	want := []Difference{
		{Count: 2, Reason: "one reason", Kinds: []string{"extra", "missing"}},
		{Count: 1, Reason: "not yet explained", Kinds: []string{"missing"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestMerge has a row that ran again, one that did not, and one that is gone.
func TestMerge(t *testing.T) {
	rows := []Row{{Name: "a"}, {Name: "b"}}
	old := []Result{{Name: "a", Kinds: 1}, {Name: "b", Kinds: 2}, {Name: "gone"}}
	got := merge(old, []Result{{Name: "a", Kinds: 3}}, rows)
	if want := []Result{{Name: "a", Kinds: 3}, {Name: "b", Kinds: 2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestPortable(t *testing.T) {
	w := workspace{dir: "/home/u/build/wild/a", cache: "/home/u/go/pkg/mod"}
	got := w.portable("/home/u/go/pkg/mod/example.com/m@v1.0.0/a.go:1:2: see /home/u/build/wild/a/go.mod")
	if want := "example.com/m@v1.0.0/a.go:1:2: see go.mod"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBlamesOthers(t *testing.T) {
	for text, want := range map[string]bool{
		"go test: exit status 1\n# example.com/other\na.go:1:2: no\nFAIL\n":                                                                         true,
		"go test: exit status 1\n# example.com/other\na.go:1:2: no\n# example.com/wild/generated/a\nb.go:1:2: no\n":                                 false,
		"go test: exit status 1\n--- FAIL: TestKinds\n":                                                                                             false,
		"go test: exit status 1\ngo: example.com/old@v1.0.0 requires\n\texample.com/gone@v1.0.0: reading https://proxy.example.com/gone.mod: 403\n": true,
	} {
		if got := blamesOthers(errors.New(text)); got != want {
			t.Errorf("got %v, want %v, of\n%s", got, want, text)
		}
	}
}

func TestFirstLine(t *testing.T) {
	if got := firstLine(errors.New("go test: exit status 1\n# example.com/other\na.go:1:2: no\n")); got != "a.go:1:2: no" {
		t.Errorf("got %q", got)
	}
}
