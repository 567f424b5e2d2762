// Package printable makes text of a server safe for errors and logs: short, in one line,
// and without escape sequences.
package printable

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text returns s with each rune escaped, as by strconv.Quote, that is not printable:
// newlines, escape sequences, marks that change the direction of text, and bytes that
// are not UTF-8. Quotes and backslashes stay.
func Text(s string) string {
	at := unprintable(s)
	if at == len(s) {
		return s
	}
	var text strings.Builder
	for at < len(s) {
		_, size := utf8.DecodeRuneInString(s[at:])
		quoted := strconv.Quote(s[at : at+size])
		text.WriteString(s[:at])
		text.WriteString(quoted[1 : len(quoted)-1])
		s = s[at+size:]
		at = unprintable(s)
	}
	text.WriteString(s)
	return text.String()
}

// unprintable returns the index of the first rune that is not printable, or len(s).
func unprintable(s string) int {
	for i, r := range s {
		if !strconv.IsPrint(r) {
			return i
		}
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return len(s)
}

// Quote returns s between backquotes if s has none and nothing to escape. Otherwise it
// returns strconv.Quote(s).
func Quote(s string) string {
	if unprintable(s) == len(s) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// Cut returns s if it has at most limit bytes. Otherwise it returns the whole runes in the
// first limit bytes, and an ellipsis. In a text that is cut, ? replaces invalid UTF-8.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit
	for end > limit-utf8.UTFMax && end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.ToValidUTF8(s[:end], "?") + "…"
}

// maxVersion is the number of bytes of a version in a text. Only servers other than
// Kubernetes have longer ones.
const maxVersion = 64

// Version returns a resourceVersion for a text.
func Version(s string) string { return Text(Cut(s, maxVersion)) }
