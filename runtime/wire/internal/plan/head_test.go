package plan

import (
	"strings"
	"testing"
)

// TestContentHashIsOfTheContent compares the texts of one state, and those of others.
func TestContentHashIsOfTheContent(t *testing.T) {
	const rest = `"metadata":{"name":"a","resourceVersion":"1"},"spec":{"kind":"x"}}`
	want := ContentHash([]byte("{" + rest))
	for text, same := range map[string]bool{
		`{"kind":"Widget","apiVersion":"v1",` + rest:                true, // built-in kinds in a WATCH
		`{"apiVersion":"v1","kind":"Widget",` + rest:                true, // custom resources
		"{ \"kind\" : \"Widget\" ,\n\"apiVersion\":\"v1\", " + rest: true,
		`{"kind":"Widget",` + rest:                                  true,
		`{"kind2":"Widget",` + rest:                                 false,
		`{"spec":{"kind":"x"},"metadata":{"name":"a"}}`:             false,
		"{" + strings.Replace(rest, `"x"`, `"y"`, 1):                false,
		"{" + strings.Replace(rest, `"x"`, `"x" `, 1):               false, // of other texts it says nothing
	} {
		if got := ContentHash([]byte(text)); (got == want) != same {
			t.Errorf("%s: the hash is that of %s: %v", text, rest, got == want)
		}
	}
	// Whatever the text, there is a hash.
	for _, text := range []string{"", " ", "[", "{", "{}", `{"kind"`, `{"kind":`, `{"kind":"x`, `{"kind":"x"`, `{"kind":"x",`, `{"kind":"x"}`, `{5`} {
		if ContentHash([]byte(text)) == 0 {
			t.Errorf("%q has no hash", text)
		}
	}
}
