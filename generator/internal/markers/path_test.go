package markers

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
