package manifest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestBadLine breaks a CRD at many offsets. It compares the line with the one after the longest beginning
// that parses.
func TestBadLine(t *testing.T) {
	broken := 0
	stride := 3
	if testing.Short() {
		stride = 17
	}
	for offset := 0; offset < len(orderCRD); offset += stride {
		for _, insert := range []string{`"`, "'", "{", "]", ": ", "\t", "*", "&", "\x00", "\n", "\n\n\n  ", "|\n", "%"} {
			content := []byte(orderCRD[:offset] + insert + orderCRD[offset:])
			_, err := parseYAML(bytes.NewReader(content))
			if err == nil {
				continue
			}
			broken++
			lines, want := bytes.SplitAfter(content, []byte("\n")), 1
			if last := len(lines) - 1; len(lines[last]) == 0 {
				lines = lines[:last]
			}
			for count := 1; count < len(lines); count++ {
				if _, err := parseYAML(bytes.NewReader(bytes.Join(lines[:count], nil))); err == nil {
					want = count + 1
				}
			}
			search := lineSearch{content: content}
			if got := search.badLine(err); got != want {
				t.Errorf("%q at %d: the line is %d, want %d: %v", insert, offset, got, want, err)
			}
		}
	}
	if broken < 1500/stride {
		t.Errorf("only %d files do not parse", broken)
	}
}

// TestBadLineOfLargeFile counts the bytes that are parsed because of a mistake in a file of 300 KB.
func TestBadLineOfLargeFile(t *testing.T) {
	const lines = 8000
	for _, test := range []struct {
		name string
		// at is the number of the line that is replaced by line, of which the mistake is.
		at, want int
		line     string
	}{
		{"at the end", lines - 2, lines - 2, "   bad: 1"},
		{"at the end, in a key", lines - 2, lines - 2, "\tbad: 1"},
		{"in the middle", lines / 2, lines / 2, "   bad: 1"},
		{"at the beginning", 10, 10, "   bad: 1"},
		{"a quote that is not closed", lines / 2, lines / 2, `    bad: "text`},
		{"a bracket that is not closed", lines / 2, lines / 2, `    bad: [text`},
		// The line with the bracket would be the right one, and is too far away.
		{"a bracket and a quote", 10, lines + 11, "    bad: [" + strings.Repeat("\n      text,", lines) + "\n      \"text"},
		{"after a long text", 10, 1011, "    bad: >\n" + strings.Repeat("      text\n", 1000) + "   bad: 1"},
	} {
		all := make([]string, lines)
		for n := range all {
			all[n] = fmt.Sprintf("    key%06d: value of a description", n)
		}
		all[0] = "a:"
		all[test.at-1] = test.line
		content := []byte(strings.Join(all, "\n") + "\n")
		_, err := parseYAML(bytes.NewReader(content))
		if err == nil {
			t.Fatalf("%s: it parses", test.name)
		}
		search := lineSearch{content: content}
		if got := search.badLine(err); got != test.want {
			t.Errorf("%s: the line is %d, want %d: %v", test.name, got, test.want, err)
		}
		if times := float64(search.parsed) / float64(len(content)); times > 8 {
			t.Errorf("%s: the file is parsed %.1f times", test.name, times)
		} else {
			t.Logf("%s: the file is parsed %.1f times", test.name, times)
		}
	}
}

// TestManifestCost reads files in which a few bytes stand for many values. It counts the values that are
// read.
func TestManifestCost(t *testing.T) {
	versions := strings.Replace(orderCRD, "  versions:\n", "  versions:\n"+strings.Repeat("  - &v {name: v1, served: true}\n", 1)+strings.Repeat("  - *v\n", 1000), 1)
	item := "- &crd\n  " + strings.TrimSuffix(strings.ReplaceAll(versions, "\n", "\n  "), "  ")
	for name, content := range map[string]string{
		"items.yaml":    "kind: List\nitems:\n" + item + strings.Repeat("- *crd\n", 1000),
		"mappings.yaml": "kind: List\nitems:\n- &m {" + strings.Repeat("a: b, ", 1000) + "kind: CustomResourceDefinition}\n" + strings.Repeat("- *m\n", 1000),
		"fields.yaml": strings.Replace(orderCRD, "  versions:\n", "  versions:\n  - &v {name: v0, served: true, selectableFields: ["+strings.Repeat("{jsonPath: .a}, ", 1000)+"]}\n"+
			strings.Repeat("  - *v\n", 1000), 1),
	} {
		f := &manifestFile{name: name}
		f.parse([]byte(content))
		if len(f.errs) != 1 || !strings.Contains(f.errs[0].Message, "has too many YAML aliases") || len(f.manifests) != 0 {
			t.Errorf("%s: %d manifests and %d errors, such as %v", name, len(f.manifests), len(f.errs), append(f.errs, nil)[0])
		}
	}
	// So many directives take the parser minutes, and a few are compared quickly.
	for count, want := range map[int]bool{maxTags: false, maxTags + 1: true, 200_000: true} {
		var content strings.Builder
		for n := range count {
			fmt.Fprintf(&content, "\n%%TAG !a%d! x", n)
		}
		content.WriteString("\n---\n" + orderCRD)
		f := &manifestFile{name: "tags.yaml"}
		f.parse([]byte(content.String()))
		if got := len(f.errs) > 0; got != want || got && f.errs[0].Pos.Line != maxTags+2 {
			t.Errorf("%d directives: the errors are %v", count, f.errs)
		}
	}
}
