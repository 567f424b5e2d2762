package main

import "testing"

func TestReplaceSection(t *testing.T) {
	const before = "# Title\n<!-- bench:one -->\nold\n<!-- /bench:one -->\nbetween\n<!-- bench:two -->\n<!-- /bench:two -->\n"
	const want = "# Title\n<!-- bench:one -->\nnew\n<!-- /bench:one -->\nbetween\n<!-- bench:two -->\n<!-- /bench:two -->\n"
	for _, document := range []string{before, want} {
		if got, err := replaceSection([]byte(document), "one", "new\n"); err != nil || string(got) != want {
			t.Errorf("%v, it is now:\n%s", err, got)
		}
	}
	for _, document := range []string{"", "<!-- bench:one -->\n", "<!-- /bench:one -->\n<!-- bench:one -->\n"} {
		if got, err := replaceSection([]byte(document), "one", "new\n"); err == nil {
			t.Errorf("%q has become %q", document, got)
		}
	}
}
