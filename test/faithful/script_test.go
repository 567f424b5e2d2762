package faithful

import (
	"bytes"
	"os"
	"testing"
)

// TestScriptsAreFormatted fails if a script is not what Format writes, so that the flag -update
// would change lines that are no answers.
func TestScriptsAreFormatted(t *testing.T) {
	t.Parallel()
	scripts, err := ReadScripts("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		content, err := os.ReadFile(script.Path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(content, script.Format()) {
			t.Errorf("%s: lines that are not part of a case, or empty lines; run go test ./faithful/real -update and look at the difference", script.Path)
		}
		for _, c := range script.Cases {
			for _, step := range c.Steps {
				if step.Given != (step.Answer == "") {
					t.Errorf("%s:%d: want an answer unless the request prepares the case; run go test ./faithful/real -update", script.Path, step.Line)
				}
			}
		}
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	const answer = "200\nWarning: a\n\tmetadata:\n\t  name: a\n\titems:\n\t- 1"
	for got, want := range map[string]string{
		answer: "",
		"201\nWarning: a\n\tmetadata:\n\t  name: a\n\titems:\n\t- 1":        "code",
		"200\n\tmetadata:\n\t  name: a\n\titems:\n\t- 1":                    "header.Warning",
		"200\nWarning: b\n\tmetadata:\n\t  name: a\n\titems:\n\t- 1":        "header.Warning",
		"200\nWarning: a\n\tmetadata:\n\t  name: b\n\titems:\n\t- 1":        "body.metadata.name",
		"200\nWarning: a\n\tmetadata: {}\n\titems:\n\t- 1":                  "body.metadata.name",
		"200\nWarning: a\n\tmetadata:\n\t  name: a\n\titems:\n\t- 1\n\t- 2": "body.items[1]",
		"200\nWarning: a\n\tmetadata:\n\t  name: a\n\titems:\n\t- \"1\"":    "body.items[0]",
		"200\nWarning: a\n\tmetadata:\n\t  name: a":                         "body.items",
	} {
		differences := Differences(answer, got)
		if want == "" && len(differences) > 0 || want != "" && (len(differences) != 1 || differences[0].Path != want) {
			t.Errorf("%q differs in %v, want %q", got, differences, want)
		}
	}
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	a := &Accepted{used: map[string]bool{}, rows: []acceptance{{where: "create/*name*", paths: "body.*.x code=201", reason: "It is a test."}}}
	if unused := a.Unused(); len(unused) != 2 {
		t.Errorf("two patterns have not occurred, but Unused returns %q", unused)
	}
	for _, test := range []struct {
		script, title string
		difference    Difference
		want          bool
	}{
		{"create", "a name", Difference{Path: "body.spec.x"}, true},
		{"create", "a title", Difference{Path: "body.spec.x"}, false},
		{"update", "a name", Difference{Path: "body.spec.x"}, false},
		{"create", "a name", Difference{Path: "body.spec.y"}, false},
		{"create", "a name", Difference{Path: "code", Got: `"201"`}, true},
		{"create", "a name", Difference{Path: "code", Got: `"500"`}, false},
	} {
		if got := a.Accepts(test.script, test.title, test.difference); got != test.want {
			t.Errorf("Accepts(%s, %s, %+v) is %v", test.script, test.title, test.difference, got)
		}
	}
	if unused := a.Unused(); len(unused) != 0 {
		t.Errorf("both patterns have occurred, but Unused returns %q", unused)
	}
}
