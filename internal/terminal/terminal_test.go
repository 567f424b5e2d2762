package terminal

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"api/types.go:3:1: a\n\tb\r\nc": "api/types.go:3:1: a\n\tb\r\nc",
		"\x1b[2J\x1b]0;title\x07":       `\x1b[2J\x1b]0;title\x07`,
		"wrong\rright":                  `wrong\x0dright`,
		"end\r":                         `end\x0d`,
		"a\x00b\bc\x7f":                 `a\x00b\x08c\x7f`,
		"\u009b31m":                     `\u009b31m`, // the one-byte form of ESC [
		"\x9b31m \xff":                  `\x9b31m \xff`,
		"a\u202eb\u2066c\u200fd":        `a\u202eb\u2066c\u200fd`,
		"a\u2028b\u2029c":               `a\u2028b\u2029c`,
		"Größe 大きさ 👩\u200d🚀\u00a0\ufffd": "Größe 大きさ 👩\u200d🚀\u00a0\ufffd",
	} {
		var b strings.Builder
		if n, err := fmt.Fprint(Writer(&b), text); b.String() != want || n != len(text) || err != nil {
			t.Errorf("%q is printed as %q, want %q (%d, %v)", text, b.String(), want, n, err)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b\r\u202e\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := Printable(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(strings.ReplaceAll(got, "\r\n", "\n"), isHidden) {
			t.Errorf("%q is printed as %q", text, got)
		}
		if again := Printable(got); again != got {
			t.Errorf("%q is printed as %q, and that as %q", text, got, again)
		}
	})
}

// TestQuote lets a shell read the words.
func TestQuote(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	if got, want := Quote("k8s.io/api@v0.34.0", "--a=b,c", "./x"), "k8s.io/api@v0.34.0 --a=b,c ./x"; got != want {
		t.Errorf("plain words are %q, want %q", got, want)
	}
	words := []string{"", "a b", "'", "'; touch ran; '", "$(touch ran)", "`touch ran`", `\`, `"`, "a\nb", "*", "~", "#", "a;b", "a&b", "a|b", "a>b", "!x", "{a,b}", "\x1b", "é", "\xff"}
	out, err := exec.CommandContext(t.Context(), shell, "-c", `printf '%s\0' `+Quote(words...)).Output()
	if err != nil || string(out) != strings.Join(words, "\x00")+"\x00" {
		t.Errorf("the shell reads %q (%v), want %q", out, err, words)
	}
}

// TestCommandsAreQuoted checks that messages of the generator quote each word of a command that is not constant.
func TestCommandsAreQuoted(t *testing.T) {
	command := regexp.MustCompile(`\b(go (get|mod|install|run|env)|grep|rm|mv|git)( [^"%` + "`" + `]*)?(%[a-z\[]|"\s*\+)`)
	files := 0
	for _, root := range []string{"../../generator", "../../cmd/informer-gen"} {
		err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			files++
			content, err := os.ReadFile(file)
			for n, line := range strings.Split(string(content), "\n") {
				if code, _, _ := strings.Cut(line, " // "); command.MatchString(code) && !quotes.MatchString(code) {
					t.Errorf("%s:%d: this command has a word that is not quoted; use terminal.Quote: %s", file, n+1, code)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 50 {
		t.Errorf("only %d files were read", files)
	}
}

// quotes matches the calls that quote the words of a command, and two commands without a word of the input.
var quotes = regexp.MustCompile(`terminal\.Quote\(|quotedModule\(|go mod init|go get before informer-gen`)
