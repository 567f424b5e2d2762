package shard

import (
	"slices"
	"strings"
	"testing"
)

func TestOwnersOfTable(t *testing.T) {
	owners := []string{"a/1", "a/1", "", "b/2", "a/1", "b/2"}
	text := formatOwners(owners)
	if want := `{"a/1":"0-1,4","b/2":"3,5"}`; text != want {
		t.Errorf("formatOwners returned %s, want %s", text, want)
	}
	if got, err := parseOwners(text, len(owners)); err != nil || !slices.Equal(got, owners) {
		t.Errorf("parseOwners returned %q, %v", got, err)
	}
	for text, want := range map[string]string{
		"":                        "unexpected end",
		`{"a/1":""}`:              "is not a range",
		`{"a/1":"3-1"}`:           "is not a range",
		`{"a/1":"0-6"}`:           "slots 0 to 5",
		`{"a/1":"-1"}`:            "is not a range",
		`{"a/1":"0,1","b":"1-2"}`: "slot 1 has two owners",
		`{"":"1"}`:                "has no name",
	} {
		if _, err := parseOwners(text, 6); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseOwners(%s) returned %v, want an error with %q", text, err, want)
		}
	}
}

func FuzzOwnersOfTable(f *testing.F) {
	f.Add([]byte{1, 1, 0, 2})
	f.Fuzz(func(t *testing.T, of []byte) {
		owners := make([]string, len(of)+1)
		for i, b := range of {
			if b%5 > 0 {
				owners[i] = "member/" + string(rune('a'+b%5))
			}
		}
		if got, err := parseOwners(formatOwners(owners), len(owners)); err != nil || !slices.Equal(got, owners) {
			t.Errorf("%q became %q, %v", owners, got, err)
		}
	})
}
