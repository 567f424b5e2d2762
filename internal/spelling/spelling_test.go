package spelling

import (
	"strings"
	"testing"
)

func TestEditDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"list", "lst", 1}, {"watch", "wacth", 2}, {"get", "patch", 4}} {
		if got := editDistance(test.a, test.b); got != test.want {
			t.Errorf("from %q to %q it is %d, want %d", test.a, test.b, got, test.want)
		}
		if got := editDistance(test.b, test.a); got != test.want {
			t.Errorf("from %q to %q it is %d, want %d", test.b, test.a, got, test.want)
		}
	}
}

// TestNearestCost checks that very different words are not compared byte by byte. A word of a megabyte
// against each name of a package would take minutes.
func TestNearestCost(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	known := make([]string, 2000)
	for i := range known {
		known[i] = "SomeTypeOfThePackage"
	}
	if got := Nearest(long, known); got != "" {
		t.Errorf("the nearest word is %s", got)
	}
}

func TestIsNear(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"", "", true}, {"ab", "ab", true}, {"", "a", true}, {"abc", "bc", true}, {"abc", "abd", true}, {"abc", "acb", true}, {"ba", "ab", true},
		{"", "ab", false}, {"abc", "cba", false}, {"abcd", "badc", false}, {"abc", "acd", false}, {"abc", "bca", false},
	} {
		if got := IsNear(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: %v, want %v", test.a, test.b, got, test.want)
		}
		if got := IsNear(test.b, test.a); got != test.want {
			t.Errorf("%q and %q: %v, want %v", test.b, test.a, got, test.want)
		}
	}
}
