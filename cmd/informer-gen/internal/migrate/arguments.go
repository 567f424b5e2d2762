package migrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/cmd/informer-gen/internal/shell"
)

// arguments are the arguments of one call of a generator.
type arguments struct {
	flags map[string]string
	// values are the arguments that are no flags.
	values []string
}

// booleans are the flags without a value in the next word.
var booleans = []string{"with-watch", "with-applyconfig", "prefers-protobuf", "fake-clientset", "single-directory", "clientset-only", "logtostderr", "alsologtostderr", "verify-only"}

// needless are the flags that informer-gen does not need: it writes to the folder of the module, and decides the rest itself.
var needless = []string{
	"v", "o", "logtostderr", "alsologtostderr", "stderrthreshold", "with-watch", "lint-rules", "listers-package", "output-base", "output-dir",
	"output-pkg-root", "input-pkg-root", "output-package", "trim-path-prefix", "input-base", "input-dirs", "input", "output-pkg",
}

// readArguments reads the words after the name of a generator.
func readArguments(words []string) (arguments, error) {
	a := arguments{flags: map[string]string{}}
	for n := 0; n < len(words); n++ {
		word := words[n]
		if name := shell.Unknown(word); name != "" && strings.HasPrefix(strings.TrimSpace(word), "\x00") && !strings.Contains(word, "/") {
			return a, fmt.Errorf("the value of %s is unknown", name)
		}
		if strings.ContainsAny(word, "<>") {
			continue // a redirection
		}
		name, isFlag := strings.CutPrefix(word, "-")
		if !isFlag {
			a.values = append(a.values, word)
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		switch {
		case hasValue:
		case slices.Contains(booleans, name):
			value = "true"
		case n+1 < len(words):
			n++
			value = words[n]
		}
		if old := a.flags[name]; old != "" && (name == "input" || name == "input-dirs") {
			value = old + "," + value
		}
		a.flags[name] = value
	}
	return a, nil
}

// take returns the value of a flag, and removes it.
func (a arguments) take(names ...string) (value string) {
	for _, name := range names {
		if v, ok := a.flags[name]; ok {
			value = v
			delete(a.flags, name)
		}
	}
	return value
}

// list returns the parts of a value with commas or spaces between them.
func list(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
}
