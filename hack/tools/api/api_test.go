package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shop is the earlier version of a package.
const shop = `package shop

import (
	"io"
	"iter"
)

type Getter interface{ Get(name string) (int, error) }

type Order struct {
	Name string
	hidden int
}

func (o *Order) Total() int { return o.hidden }

type List[T any] struct{ Items []T }

func (l List[T]) Len() int { return len(l.Items) }

const Limit = 3

func New(name string) *Order { return &Order{Name: name} }

type number interface{ ~int | ~float64 }

func Sum[T number, R any](items []T) (r R) { return r }

func All() iter.Seq[int] { return nil }

type File interface {
	io.ReadCloser
	Name() string
}
`

// TestChanges changes the package in one way at a time.
func TestChanges(t *testing.T) {
	for name, test := range map[string]struct {
		old, new string
		// breaks is the beginning of the line that is printed, after the position; "" for a compatible change.
		breaks string
		// named is a line of the changelog that names the change.
		named string
		adds  string
	}{
		"function renamed":       {old: "func New(", new: "func Make(", breaks: "shop.New is incompatible: removed", named: "- **Changed:** `shop.New` is `shop.Make`.", adds: "shop.Make: added"},
		"interface has a method": {old: "Getter interface{", new: "Getter interface{ Close(); ", breaks: "shop.Getter.Close is incompatible: added", named: "Getter.Close is new."},
		"field has another type": {old: "Name string", new: "Name any", breaks: "shop.Order.Name is incompatible: changed from string to any", named: "`shop.Order.Name` is any."},
		"field removed":          {old: "Name string\n", new: "name string\n", breaks: "shop.Order.Name is incompatible: removed", named: "Order.Name"},
		"method removed":         {old: "Total()", new: "total()", breaks: "shop.Order.Total is incompatible: removed", named: "Order.T*"},
		"method of a generic":    {old: "Len()", new: "Length()", breaks: "shop.List.Len is incompatible: removed", named: "*.Len", adds: "shop.List.Length: added"},
		"constant has a value":   {old: "Limit = 3", new: "Limit = 4", breaks: "shop.Limit is incompatible: value changed from 3 to 4", named: "shop.Limit"},
		"function added":         {old: "const Limit", new: "func Two() int { return 2 }\n\nconst Limit", adds: "shop.Two: added"},
		"field added":            {old: "hidden int", new: "hidden int\n\tPrice int", adds: "shop.Order.Price: added"},
		"constraint of a type":   {old: "List[T any]", new: "List[T comparable]", breaks: "shop.List is incompatible: changed from List[T any] to List[T comparable]", named: "shop.List"},
		"hidden constraint":      {old: "~int | ~float64", new: "~int", breaks: "shop.Sum is incompatible: type parameters changed from [interface{~int | ~float64}, any] to [interface{~int}, any]", named: "shop.Sum"},
		"type parameter removed": {old: "Sum[T number, R any](items []T) (r R) { return r }", new: "Sum[T number](items []T) {}", breaks: "shop.Sum is incompatible: ", named: "shop.Sum"},
		"type of an iterator":    {old: "iter.Seq[int]", new: "iter.Seq[string]", breaks: "shop.All is incompatible: type arguments changed from iter.Seq[int] to iter.Seq[string]", named: "shop.All"},
		"embedded method lost":   {old: "io.ReadCloser", new: "io.Reader", breaks: "shop.File.Close is incompatible: removed", named: "shop.File.Close"},
		"parameter renamed":      {old: "List[T any] struct{ Items []T }", new: "List[E any] struct{ Items []E }"},
		"body changed":           {old: "return len(l.Items)", new: "return 0"},
		"hidden field changed":   {old: "hidden int\n", new: "hidden, more int\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(shop, test.old) {
				t.Fatalf("the package does not have %q", test.old)
			}
			changed := strings.ReplaceAll(shop, test.old, test.new)
			if strings.HasPrefix(test.old, "Name string") { // its other use
				changed = strings.Replace(changed, "{Name: name}", "{}", 1)
			}
			r := newRepository(t, map[string]string{"shop/shop.go": shop}, map[string]string{"shop/shop.go": changed})
			code, output := r.check()
			if want := test.breaks != ""; want != (code == exitBreaking) {
				t.Errorf("exit code %d\n%s", code, output)
			}
			if test.breaks != "" && !regexp.MustCompile(`(?m)^shop/shop\.go:\d+:\d+( \(before the change\))?: `+regexp.QuoteMeta(test.breaks)).MatchString(output) {
				t.Errorf("want a line with %q, got\n%s", test.breaks, output)
			}
			if !strings.Contains(output, test.adds) {
				t.Errorf("want %q, got\n%s", test.adds, output)
			}
			if test.breaks == "" {
				return
			}
			r.write("after/CHANGELOG.md", changelog+test.named+"\n")
			if code, output := r.check(); code != exitOK {
				t.Errorf("with %q in the changelog the exit code is %d\n%s", test.named, code, output)
			}
			if code, output := r.check("--no-breaks"); code != exitBreaking || !strings.Contains(output, "release a minor version") {
				t.Errorf("with --no-breaks the exit code is %d\n%s", code, output)
			}
			// The same line does not count if the earlier version has it, or another section, or below another heading.
			for heading, want := range map[string]int{"Removed": exitOK, "Deprecated": exitOK, "Security": exitOK, "Added": exitBreaking, "Fixed": exitBreaking} {
				r.write("after/CHANGELOG.md", changelog+"\n### "+heading+"\n\n"+test.named+"\n")
				if code, output := r.check(); code != want {
					t.Errorf("with %q below %s in the changelog the exit code is %d\n%s", test.named, heading, code, output)
				}
			}
			r.write("after/CHANGELOG.md", changelog+test.named+"\n")
			r.write("before/CHANGELOG.md", changelog+test.named+"\n")
			if code, _ := r.check(); code != exitBreaking {
				t.Errorf("a line of the earlier changelog counts")
			}
			r.write("before/CHANGELOG.md", changelog)
			r.write("after/CHANGELOG.md", changelog+"\n## v0.1.0\n\n### Changed\n\n"+test.named+"\n")
			if code, _ := r.check(); code != exitBreaking {
				t.Errorf("a line below another heading counts")
			}
		})
	}
}

// TestSuggestion adds the line that a message asks for.
func TestSuggestion(t *testing.T) {
	r := newRepository(t, map[string]string{"shop/shop.go": shop}, map[string]string{"shop/shop.go": "package shop\n\ntype Order struct{}\n"})
	code, output := r.check()
	lines := regexp.MustCompile(`add to CHANGELOG\.md: (- .*)`).FindAllStringSubmatch(output, -1)
	if code != exitBreaking || len(lines) < 5 {
		t.Fatalf("exit code %d\n%s", code, output)
	}
	text := changelog
	for _, line := range lines {
		text += line[1] + "\n"
	}
	r.write("after/CHANGELOG.md", text)
	if code, output := r.check(); code != exitOK {
		t.Errorf("with all lines the exit code is %d\n%s", code, output)
	}
}

// TestPackages adds and removes packages. Internal packages, commands and nested modules do not count.
func TestPackages(t *testing.T) {
	r := newRepository(t, map[string]string{
		"old/a.go":          "package old\n",
		"internal/x/a.go":   "package x\n\nfunc F() {}\n",
		"cmd/tool/a.go":     "package main\n\nfunc F() {}\n\nfunc main() {}\n",
		"nested/go.mod":     "module " + repository + "/nested\n",
		"nested/a.go":       "package nested\n\nfunc F() {}\n",
		"same/a.go":         "package same\n\nimport \"fmt\"\n\nfunc F() fmt.Stringer { return nil }\n",
		"same/only_test.go": "package same\n\nfunc G() {}\n",
	}, map[string]string{
		"new/a.go":        "package new\n",
		"internal/x/a.go": "package x\n",
		"cmd/tool/a.go":   "package main\n\nfunc main() {}\n",
		"nested/go.mod":   "module " + repository + "/nested\n",
		"nested/a.go":     "package nested\n",
		"same/a.go":       "package same\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc F() fmt.Stringer { _ = os.Args; return nil }\n",
	})
	code, output := r.check()
	if code != exitBreaking || strings.Count(output, "incompatible:") != 1 || !strings.Contains(output, repository+"/old is incompatible: package removed") ||
		!strings.Contains(output, "new: package "+repository+"/new") {
		t.Errorf("exit code %d\n%s", code, output)
	}
	r.write("after/CHANGELOG.md", changelog+"- The package `old` is gone.\n")
	if code, output := r.check(); code != exitOK {
		t.Errorf("exit code %d\n%s", code, output)
	}
}

// TestRemovedModule removes a module, and names it in the changelog.
func TestRemovedModule(t *testing.T) {
	r := newRepository(t, map[string]string{"metrics/go.mod": "module " + repository + "/metrics\n"}, nil)
	code, output := r.check("metrics")
	if code != exitBreaking || !strings.Contains(output, "metrics is incompatible: module removed") {
		t.Errorf("exit code %d\n%s", code, output)
	}
	r.write("after/CHANGELOG.md", changelog+"- `metrics` is gone; use the library itself.\n")
	if code, output := r.check("metrics"); code != exitOK {
		t.Errorf("exit code %d\n%s", code, output)
	}
	if code, output := r.check("--no-breaks", "metrics"); code != exitBreaking {
		t.Errorf("exit code %d\n%s", code, output)
	}
	if code, output := r.check("missing"); code != exitBreaking || !strings.Contains(output, "cannot compare") {
		t.Errorf("exit code %d\n%s", code, output)
	}
}

// TestInternalTypes changes a type of an internal package that users see.
func TestInternalTypes(t *testing.T) {
	const head = "package shop\n\nimport \"" + repository + "/internal/x\"\n\n"
	for name, test := range map[string]struct {
		shop, old, new string // shop is the package of users, old and new those of the type
		breaks         string // "" for none
	}{
		"field of an alias":           {"type O = x.H", "type H struct{ Name string }", "type H struct{ Title string }", "shop.O.Name is incompatible: removed"},
		"underlying type":             {"type O = x.H", "type H func(int)", "type H func(string)", "shop.O is incompatible: changed"},
		"kind of type":                {"type O = x.H", "type H struct{}", "type H string", "shop.O is incompatible: changed"},
		"comparability":               {"type O = x.H", "type H struct{ n int }", "type H struct{ n []int }", "shop.O is incompatible: old is comparable"},
		"alias of a generic":          {"type O[T any] = x.H[T]", "type H[T any] struct{ Name T }", "type H[T any] struct{}", "shop.O.Name is incompatible: removed"},
		"result":                      {"func F() *x.H { return nil }", "type H struct{}\n\nfunc (H) Do() {}", "type H struct{}", "x.H.Do is incompatible: removed; users see this type through shop.F"},
		"parameter of a method":       {"type O struct{}\n\nfunc (O) M(func(...x.H)) {}", "type H struct{ Name string }", "type H struct{}", "x.H.Name is incompatible: removed; users see this type through shop.O"},
		"field":                       {"type O struct{ M map[string][]x.H }", "type H struct{ Name string }", "type H struct{}", "x.H.Name is incompatible"},
		"embedded in an unexported":   {"type O struct{ o }\n\ntype o struct{ *x.H }", "type H struct{ Name string }", "type H struct{}", "x.H.Name is incompatible"},
		"constraint":                  {"func F[T x.H]() {}", "type H interface{ Do() }", "type H interface{ Do(); Go() }", "x.H.Go is incompatible: added"},
		"type argument":               {"type O[T any] struct{}\n\nvar V O[x.H]", "type H struct{ Name string }", "type H struct{}", "x.H.Name is incompatible"},
		"through another":             {"var V chan x.G", "type G interface{ Do() H }\n\ntype H struct{ Name string }", "type G interface{ Do() H }\n\ntype H struct{}", "x.H.Name is incompatible: removed; users see this type through shop.V"},
		"alias through another":       {"type A = x.A\n\ntype O = x.H", "type A struct{ *H }\n\ntype H struct{ Name string }", "type A struct{ *H }\n\ntype H struct{}", "shop.O.Name is incompatible"},
		"unexported field":            {"type O struct{ h x.H }", "type H struct{ Name string }", "type H struct{}", ""},
		"unexported function":         {"func f() x.H { return x.H{} }", "type H struct{ Name string }", "type H struct{}", ""},
		"another type of the package": {"func F() *x.H { return nil }", "type H struct{}\n\ntype G struct{ Name string }", "type H struct{}\n\ntype G struct{}", ""},
		"addition":                    {"func F() *x.H { return nil }", "type H struct{}", "type H struct{ Name string }", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t,
				map[string]string{"shop/a.go": head + test.shop + "\n", "internal/x/a.go": "package x\n\n" + test.old + "\n"},
				map[string]string{"shop/a.go": head + test.shop + "\n", "internal/x/a.go": "package x\n\n" + test.new + "\n"})
			code, output := r.check()
			if want := test.breaks != ""; (code == exitBreaking) != want || !strings.Contains(output, test.breaks) {
				t.Errorf("exit code %d, want %q\n%s", code, test.breaks, output)
			}
		})
	}
}

// TestBroken checks that a package that does not compile is an error, and not an API without names.
func TestBroken(t *testing.T) {
	for _, broken := range []string{"package shop\n\nfunc F() Missing\n", "package shop\n\nfunc {\n", "package shop\n\nimport \"example.com/missing\"\n\nvar V missing.T\n"} {
		r := newRepository(t, map[string]string{"shop/shop.go": "package shop\n"}, map[string]string{"shop/shop.go": broken})
		if code, output := r.check(); code != exitBreaking || !strings.Contains(output, "cannot compare the API") {
			t.Errorf("exit code %d\n%s", code, output)
		}
	}
}

// TestIdentifier has the forms of messages of apidiff.
func TestIdentifier(t *testing.T) {
	for message, want := range map[string]string{
		"Foo: removed":                                   "Foo",
		"Foo.Bar: changed from int to string":            "Foo.Bar",
		"(*Foo).Bar: removed":                            "Foo.Bar",
		"Foo.Bar, method set of *Foo: removed":           "Foo.Bar",
		"(*Foo[T]).Bar: removed":                         "Foo.Bar",
		"Foo[K, V].Bar: removed":                         "Foo.Bar",
		"./v1.Foo.Bar: removed":                          "Foo.Bar",
		"k8s.io/api/core/v1.Pod: old is comparable":      "Pod",
		"Foo: changed from func(a: int) to func(b: int)": "Foo",
	} {
		match := identifier.FindStringSubmatch(message)
		if match == nil {
			t.Errorf("%s is no message", message)
			continue
		}
		if got := strings.TrimSuffix(match[1]+"."+match[2], "."); got != want {
			t.Errorf("%s is about %s, want %s", message, got, want)
		}
	}
}

const changelog = "# Changelog\n\n## Unreleased\n\n### Changed\n\n- Something.\n"

// testRepository has two versions of a module, in the folders before and after.
type testRepository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T, before, after map[string]string) testRepository {
	r := testRepository{t, t.TempDir()}
	for version, files := range map[string]map[string]string{"before": before, "after": after} {
		r.write(version+"/go.mod", "module "+repository+"\n\ngo 1.25.0\n")
		r.write(version+"/CHANGELOG.md", changelog)
		for name, text := range files {
			r.write(version+"/"+name, text)
		}
	}
	t.Chdir(filepath.Join(r.dir, "after"))
	return r
}

func (r testRepository) write(name, text string) {
	r.t.Helper()
	file := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

func (r testRepository) check(args ...string) (code int, output string) {
	r.t.Helper()
	var b strings.Builder
	if len(args) == 0 || args[len(args)-1][0] == '-' {
		args = append(args, ".")
	}
	code = run(append([]string{"--base=../before"}, args...), &b, &b)
	return code, b.String()
}
