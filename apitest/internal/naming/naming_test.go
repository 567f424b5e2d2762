package naming

import (
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func TestNamesRepeat(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$`)
	var one, other Names
	free := func(string) bool { return false }
	seen := map[types.UID]bool{}
	for range 1000 {
		uid := one.UID()
		if uid != other.UID() || seen[uid] || !form.MatchString(string(uid)) {
			t.Fatalf("the UID %s is not the same in both, is there twice, or is malformed", uid)
		}
		seen[uid] = true
		if a, b := one.Generate("a-", free), other.Generate("a-", free); a != b || len(a) != 7 {
			t.Fatalf("the names are %s and %s", a, b)
		}
	}
	before := one
	first := one.UID()
	if one = before; one.UID() != first {
		t.Error("a copy does not lead back")
	}
}

func TestGenerateAvoidsTakenNames(t *testing.T) {
	var c Names
	var refused string
	name := c.Generate(strings.Repeat("a", 100), func(name string) bool {
		first := refused == ""
		if first {
			refused = name
		}
		return first
	})
	if name == refused || len(name) != 63 {
		t.Errorf("%s of %d characters, after %s", name, len(name), refused)
	}
}
