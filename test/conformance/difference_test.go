package conformance

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
)

// differences says of each scenario in which client-go differs why ours is
// wanted. docs/design/differences.md has the whole story.
var differences = map[string]string{
	"list-version":                "time never runs back: a list is what a quorum has",
	"list-paging":                 "at resourceVersion 0 the server ignores the limit and builds one huge answer",
	"list-page-refused":           "a refused request costs one page, not the list",
	"watch-cut-at-once":           "a server that ends watches early shall not be asked for lists on top",
	"watch-opened-in-vain":        "a watch that cannot be opened for a moment has not expired",
	"watch-error-event":           "a server that fails for a moment has not forgotten anything",
	"watch-deleted-unknown":       "who did not hear of an object cannot do anything with its end",
	"watch-deleted-predecessor":   "the end of one object is not that of its successor",
	"watch-recreated":             "another UID is another object",
	"relist-recreated":            "another UID is another object",
	"relist-unchanged":            "what did not change is no news",
	"relist-tombstone":            "a type assertion that forgets the tombstone ends programs",
	"forbidden-pace":              "a missing right is mended by people",
	"retry-after":                 "the server knows best when it can answer",
	"handler-of-another-informer": "to mix up registrations is a mistake, and the handler would live on",
	"handler-filtered-end":        "what was shown is taken back",
	"resync-not-a-multiple":       "a period is the period",
	"resync-of-a-late-handler":    "a period is the period",
	"resync-of-a-handler-alone":   "a period is the period",
	"resync-below-a-second":       "a period is the period",
	"resync-of-a-blocked-handler": "who lags must not lag more",
	"index-by-namespace":          "listers of a namespace never scan",
	"index-after-stop":            "the cache outlives its informer",
	"transform-fails":             "an object must not be missing in silence",
	"stop-during-list":            "after Run nothing of ours is left",
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
		if sc.clientgo == nil {
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
