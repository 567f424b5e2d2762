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

func TestMarkdown(t *testing.T) {
	got := markdown([]Row{
		{Name: "work", Unit: "s", Ours: 0.5, Peer: 6.25, Ratio: 0.08, Reach: 0.1},
		{Name: "memory", Unit: "MB", Ours: 200, Peer: 400, Ratio: 0.5, Reach: 0.25},
		{Name: "more", Unit: "s", Ours: 1, Peer: 1, Ratio: 1},
	})
	const want = `| what | ours | peer | ratio | reach | |
|---|---|---|---|---|---|
| work | 0.5 s | 6.25 s | 1/12.5 | 1/10 | ok |
| memory | 200 MB | 400 MB | 0.5 | 1/4 | **missed** |
| more | 1 s | 1 s | 1 |  |  |
`
	if got != want {
		t.Errorf("it is:\n%s", got)
	}
}
