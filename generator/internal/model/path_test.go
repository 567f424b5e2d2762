package model

import (
	"strings"
	"testing"
)

func TestParsePath(t *testing.T) {
	for text, want := range map[string]string{
		"spec":                           "spec",
		".spec.nodeName":                 "spec.nodeName",
		"spec.tools[*].name":             "spec.tools[*].name",
		"spec.extra[a.b/c].d":            "spec.extra[a.b/c].d",
		`spec.extra["a]"]`:               "",
		`spec.extra["a b"]`:              "spec.extra[a b]",
		"metadata.labels['app.io/name']": "metadata.labels[app.io/name]",
		"a[*][*]":                        "a[*][*]",
		"":                               "",
		".":                              "",
		"a.":                             "",
		"a..b":                           "",
		"..a":                            "",
		"a[":                             "",
		"a[]":                            "",
		"a['']":                          "",
		"a.[b]":                          "",
		"a[b]c":                          "",
	} {
		path, err := ParsePath(text)
		if got := path.String(); got != want || (err != nil) != (want == "") {
			t.Errorf("ParsePath(%q) = %q, %v; want %q", text, got, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "; ") && !strings.Contains(err.Error(), "write ") {
			t.Errorf("ParsePath(%q) does not say what to do: %v", text, err)
		}
	}
}

// FuzzMarker reads arbitrary markers in all the ways there are. What is read from a
// path is what it says.
func FuzzMarker(f *testing.F) {
	for _, seed := range []string{
		"informer:index:name=byX=spec.x", "informer:index=name=a,path=b[*].c['d']", "kubebuilder:resource:path=a,shortName={b,c}=",
		"kubebuilder:selectablefield:JSONPath=`.a.b`", "genclient:method=A,verb=get,subresource=b", "a:b:c=d,e=\"f,g\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, value, _ := strings.Cut(text, "=")
		m := Marker{Name: name, Value: value}
		for _, prefix := range []string{"informer:index", "kubebuilder:resource", "kubebuilder:subresource:scale", "genclient", ""} {
			if arguments, ok := m.Arguments(prefix); !ok && arguments != nil {
				t.Errorf("Arguments(%q) of %q are %v, for another marker", prefix, text, arguments)
			}
		}
		written, _ := m.FieldPath()
		for _, candidate := range []string{written, text} {
			path, err := ParsePath(candidate)
			if err != nil {
				continue
			}
			for _, element := range path {
				if element.Each == (element.Name != "") {
					t.Errorf("ParsePath(%q) has the element %+v", candidate, element)
				}
				if !strings.Contains(candidate, element.Name) {
					t.Errorf("ParsePath(%q) has a name %q", candidate, element.Name)
				}
			}
		}
		ExternalPaths(m)
		Misspelt(name)
	})
}

func TestArguments(t *testing.T) {
	for _, test := range []struct{ name, value, prefix, want string }{
		{"informer:index:name", "a,path=b.c", "informer:index", "name=a path=b.c"},
		{"informer:index", "name=a,path=b", "informer:index", "name=a path=b"},
		{"informer:index", "", "informer:index", ""},
		{"informer:indexes:name", "a", "informer:index", "no"},
		{"kubebuilder:resource:path", "a,shortName={b,c},scope=Cluster", "kubebuilder:resource", "path=a shortName={b,c} scope=Cluster"},
		{"kubebuilder:resource:categories", `"a,b",singular=x`, "kubebuilder:resource", "categories=a,b singular=x"},
		{"kubebuilder:selectablefield:JSONPath", "`.spec.color`", "kubebuilder:selectablefield", "JSONPath=.spec.color"},
		{"kubebuilder:resource:flag", "", "kubebuilder:resource", "flag="},
	} {
		arguments, ok := Marker{Name: test.name, Value: test.value}.Arguments(test.prefix)
		var words []string
		for _, a := range arguments {
			words = append(words, a.Key+"="+a.Value)
		}
		got := strings.Join(words, " ")
		if !ok {
			got = "no"
		}
		if got != test.want {
			t.Errorf("%s=%s: %s, want %s", test.name, test.value, got, test.want)
		}
	}
}
