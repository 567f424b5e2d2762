package manifest

import "testing"

// TestJSONParserEnds asks for more tokens than a text can have, as a loop that ignores errors would. Texts
// with one token per byte come closest to the limit.
func TestJSONParserEnds(t *testing.T) {
	for _, text := range []string{"", "{", "[1", "]", "[[[]]]", `{"a":]`, "[[1],2,", "\x00"} {
		p := newJSONParser([]byte(text))
		for range len(text) + 1 {
			_, _, _ = p.next()
		}
		if !panics(func() { _, _, _ = p.next() }) {
			t.Errorf("%q: the parser can be asked forever", text)
		}
		if panics(func() { _, _, _ = parseJSON([]byte(text)) }) {
			t.Errorf("%q: the parser asks for more tokens than that", text)
		}
	}
}

func panics(call func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	call()
	return false
}
