package markers

import (
	"flag"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of docs/markers.md")

const page = "../../../docs/markers.md"

// TestDocsTable compares the table of docs/markers.md with the registry.
func TestDocsTable(t *testing.T) {
	var table strings.Builder
	table.WriteString("| marker | meaning |\n|---|---|\n")
	for _, s := range registry {
		table.WriteString("| `+" + s.Name + s.Form + "` | " + s.Doc + " |\n")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	written := regexp.MustCompile(`(?m)^\| marker \|(.*\n\|)+.*\n`).Find(text)
	if string(written) == table.String() {
		return
	}
	if !*update || written == nil {
		t.Fatalf("the table of %s differs from the registry, which is\n%srun go test ./generator/internal/markers -update", page, table.String())
	}
	if err := os.WriteFile(page, []byte(strings.Replace(string(text), string(written), table.String(), 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDocsSections checks that the headings in docs/markers.md name each marker with its arguments, and no
// other markers.
func TestDocsSections(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, heading := range regexp.MustCompile("(?m)^### .*`.*$").FindAllString(string(text), -1) {
		for _, form := range regexp.MustCompile("`\\+([^`]*)`").FindAllStringSubmatch(heading, -1) {
			at := slices.IndexFunc(registry, func(s Spec) bool {
				return strings.TrimSuffix(s.Name+s.Form, "…") == strings.TrimSuffix(form[1], "…")
			})
			if at < 0 {
				t.Errorf("%q is the heading of a section, but no marker is written +%s", heading, form[1])
				continue
			}
			spec := registry[at]
			found[spec.Name] = true
			if onPackage := strings.Contains(heading, "above the package clause"); onPackage != (spec.On == OnPackage) {
				t.Errorf("%q does not tell where the marker may be", heading)
			}
		}
	}
	for _, s := range registry {
		if !found[s.Name] {
			t.Errorf("no section has +%s%s in its heading", s.Name, s.Form)
		}
	}
}

// TestRegistry parses each marker in its own form, where it is allowed and where it is not.
func TestRegistry(t *testing.T) {
	for _, s := range registry {
		line := "+" + s.Name + strings.NewReplacer("verb=…", "verb=update", "scope=…", "scope=Cluster", "type=…", "type=string", "…", "A").Replace(s.Form)
		if strings.HasSuffix(s.Name, "Verbs") {
			line = "+" + s.Name + "=get"
		}
		for target, on := range map[Target]string{OnType: "Order", OnPackage: ""} {
			m := Parse(line, token.Position{}, on)
			isRead := m.Value != nil && m.Name == s.Name
			if isRead != (s.On&target != 0) || len(m.Problems) > 0 {
				t.Errorf("%s above %q is %+v", line, on, m)
			}
		}
		if !strings.HasSuffix(s.Doc, ".") || strings.Contains(s.Doc, "|") {
			t.Errorf("the line about +%s is %q", s.Name, s.Doc)
		}
	}
}
