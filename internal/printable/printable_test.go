package printable

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"a/b-c":                  "a/b-c",
		`"é" \ 世界`:               `"é" \ 世界`,
		"a\nb\r\t":               `a\nb\r\t`,
		"\x1b[31mred\x1b]0;x\a":  `\x1b[31mred\x1b]0;x\a`,
		"\u009b31m\u202eabc\x7f": `\u009b31m\u202eabc\x7f`,
		"\xffa\xc3":              `\xffa\xc3`,
		"\ufffd":                 "\ufffd",
		"\u2028":                 `\u2028`,
	} {
		if got := Text(text); got != want {
			t.Errorf("%q becomes %s, want %s", text, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}`: "`{\"a\":1}`", "a`b": "\"a`b\"", "a\tb": `"a\tb"`, "\u009b": `"\u009b"`, "\u202e": `"\u202e"`,
	} {
		if got := Quote(text); got != want {
			t.Errorf("%q becomes %s, want %s", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"abcd", "abcd"}, {"abcde", "abcd…"}, {"abcé", "abc…"}, {"abcé!", "abc…"}, {"abéd", "abé…"[:4] + "…"}, {"a世界", "a世…"}, {"ab世界", "ab…"}, {"a\xffbcd", "a?bc…"},
	} {
		if got := Cut(test.text, 4); got != test.want || !utf8.ValidString(got) {
			t.Errorf("%q becomes %q, want %q", test.text, got, test.want)
		}
	}
}

// FuzzText checks that no text needs escapes after it was escaped.
func FuzzText(f *testing.F) {
	f.Add("a\x1b[0m\xff\u202e")
	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		for _, r := range got {
			if !strconv.IsPrint(r) {
				t.Errorf("%q is in %q", r, got)
			}
		}
		if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) && got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
