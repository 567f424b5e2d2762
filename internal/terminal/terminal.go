// Package terminal makes text of the input safe to print, and to paste into a shell.
package terminal

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Writer returns a writer that prints each text as Printable returns it. A text is one call of Write.
func Writer(w io.Writer) io.Writer { return writer{w} }

type writer struct{ to io.Writer }

func (w writer) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.to, Printable(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Printable returns text with escapes such as \x1b in place of characters that a terminal would execute or hide: control
// characters, those that change the direction of text, and bytes that are not UTF-8. Line ends and tabs stay.
func Printable(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == utf8.RuneError && size == 1, r < utf8.RuneSelf && isHidden(r) && !strings.HasPrefix(text[at:], "\r\n"):
			fmt.Fprintf(&b, `\x%02x`, text[at])
		case r >= utf8.RuneSelf && isHidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[at : at+size])
		}
		at += size
	}
	return b.String()
}

func isHidden(r rune) bool {
	return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// plain matches a word without a character that is special to a shell.
var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Quote returns words for a POSIX shell, as part of a command that a message suggests.
func Quote(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		if quoted[i] = word; !plain.MatchString(word) {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
