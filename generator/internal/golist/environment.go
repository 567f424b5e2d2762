package golist

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// environ returns the environment of all go commands, and flags for those that list packages.
//
// They execute no version control, because go.mod would choose the program and the server: by default, a module that
// the proxies do not have is fetched from its repository. GOVCS allows it.
//
// go/packages also runs go commands without modules, which refuse -modfile in GOFLAGS (golang/go#48482).
func environ() (env, flags []string) {
	env = os.Environ()
	if setting("GOVCS") == "" {
		env = append(env, "GOVCS=*:off")
	}
	goFlags := setting("GOFLAGS")
	others := " " // not empty, which would mean the setting of go env -w
	for _, word := range words(goFlags) {
		flag := unquoted(word)
		if name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "="); name == "modfile" {
			flags = append(flags, flag)
		} else {
			others += word + " "
		}
	}
	if len(flags) > 0 {
		env = append(env, "GOFLAGS="+others)
	}
	return env, flags
}

// words splits GOFLAGS as the go command does: at white space that is not in quotes.
func words(text string) (all []string) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		end := strings.IndexAny(text, " \t\r\n")
		if text[0] == '"' || text[0] == '\'' {
			if end = strings.IndexByte(text[1:], text[0]); end >= 0 {
				end += 2
			}
		}
		if end < 0 { // the last word, or one with an open quote, which the go command refuses
			end = len(text)
		}
		all, text = append(all, text[:end]), text[end:]
	}
	return all
}

// unquoted returns a word of GOFLAGS without quotes.
func unquoted(word string) string {
	if quote := word[:1]; len(word) > 1 && (quote == `"` || quote == "'") {
		return strings.TrimSuffix(word[1:], quote)
	}
	return word
}

// errNoModules is the error of a run with GO111MODULE=off.
var errNoModules = errors.New("GO111MODULE=off is set, but informer-gen reads packages of modules; " +
	"unset it, or run go env -u GO111MODULE if go env -w has set it")

// setting returns a setting of the go command from the environment or, if that has none, from the file of go env -w.
func setting(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	file := os.Getenv("GOENV")
	if file == "off" {
		return ""
	}
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return "" // the go command finds no file either
		}
		file = filepath.Join(dir, "go", "env")
	}
	content, err := regular.ReadFile(file)
	if err != nil {
		return ""
	}
	value := ""
	for line := range strings.Lines(string(content)) {
		if text, ok := strings.CutPrefix(line, name+"="); ok {
			value = strings.TrimSpace(text) // the last line counts
		}
	}
	return value
}
