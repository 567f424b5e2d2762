package conformance

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
)

// differences has the reason for each scenario in which this runtime differs from
// client-go. docs/design/differences.md has the details.
var differences = map[string]string{
	"list-version":                "the cache never goes back to an older state: a list reads from a quorum",
	"list-paging":                 "the limit has no effect at resourceVersion 0, and pages of the newest version can cost the server much more",
	"list-too-large":              "pages can cost the server much more, so they are for lists that fail in one piece",
	"list-page-refused":           "a failed request repeats one page, not the list",
	"watch-cut-at-once":           "a server that ends watches early must not get lists in addition",
	"watch-opened-in-vain":        "a watch that fails for a moment has not expired",
	"watch-error-event":           "a server that fails for a moment has not lost any versions",
	"watch-deleted-unknown":       "OnDelete follows an OnAdd",
	"watch-deleted-predecessor":   "the deletion of an object is not that of its successor",
	"watch-recreated":             "another UID is another object",
	"relist-recreated":            "another UID is another object",
	"relist-unchanged":            "an object that did not change needs no event",
	"relist-tombstone":            "a type assertion that ignores the tombstone crashes programs",
	"forbidden-pace":              "people fix a missing permission",
	"retry-after":                 "the server knows when it can answer",
	"handler-of-another-informer": "it is a mistake of the program, and the handler would stay registered",
	"handler-filtered-end":        "an accepted object is deleted",
	"resync-not-a-multiple":       "a handler gets the period that it asks for",
	"resync-of-a-late-handler":    "a handler gets the period that it asks for",
	"resync-of-a-handler-alone":   "a handler gets the period that it asks for",
	"resync-below-a-second":       "a handler gets the period that it asks for",
	"resync-of-a-blocked-handler": "resyncs must not make a slow handler slower",
	"index-by-namespace":          "a list of one namespace never scans all objects",
	"index-after-stop":            "a program can read the cache after the end",
	"transform-fails":             "an object must not be missing without an error",
	"transform-fails-in-list":     "an object must not be missing without an error",
	"transform-renames":           "a reader looks for an object under the name that the server has",
	"own-update":                  "a controller must not act on a state that it has replaced",
	"own-delete":                  "a controller must not act on an object that it has deleted",
	"stop-during-list":            "after Run no goroutine of the package runs",
}

// documented finds the scenario that ends each row of the page.
var documented = regexp.MustCompile("(?m)^\\|.*\\| `([a-z-]+)` \\|$")

func TestDifferencesAreListed(t *testing.T) {
	page, err := os.ReadFile("../../docs/design/differences.md")
	if err != nil {
		t.Fatal(err)
	}
	var onPage []string
	for _, row := range documented.FindAllSubmatch(page, -1) {
		onPage = append(onPage, string(row[1]))
	}
	slices.Sort(onPage)
	inTable := slices.Sorted(maps.Keys(differences))
	if !slices.Equal(onPage, inTable) {
		t.Errorf("differences.md has rows for\n%q\nand the table is of\n%q", onPage, inTable)
	}

	// TestConformance holds each informer to its lines; here it remains to say that
	// they are not the same lines.
	var inSuite []string
	for _, sc := range suite {
		if sc.clientgo == nil && slices.Equal(sc.wantStreamed(false), sc.wantStreamed(true)) {
			continue
		}
		inSuite = append(inSuite, sc.name)
		if slices.Equal(sc.want, sc.clientgo) {
			t.Errorf("%s: there is no difference between the expectations", sc.name)
		}
	}
	slices.Sort(inSuite)
	if !slices.Equal(inSuite, inTable) {
		t.Errorf("scenarios differ in\n%q\nand the table is of\n%q", inSuite, inTable)
	}
	for name, reason := range differences {
		if reason == "" {
			t.Errorf("%s: why is it wanted?", name)
		}
	}
}

func TestScenarioNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, sc := range suite {
		if seen[sc.name] {
			t.Errorf("two scenarios have the name %s", sc.name)
		}
		seen[sc.name] = true
	}
}
