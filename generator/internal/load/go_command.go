package load

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// environ returns the environment of all go commands. They execute no version control, because go.mod would
// choose the program and the server: a module that the proxies do not have is fetched from its repository by
// default. A user who wants that sets GOVCS.
func environ() []string {
	if os.Getenv("GOVCS") != "" || isWritten("GOVCS") {
		return os.Environ()
	}
	return append(os.Environ(), "GOVCS=*:off")
}

// isWritten reports whether go env -w has set a setting. It reads the file that the go command reads.
func isWritten(setting string) bool {
	file := os.Getenv("GOENV")
	if file == "off" {
		return false
	}
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return false // the go command finds no file either
		}
		file = filepath.Join(dir, "go", "env")
	}
	content, err := regular.ReadFile(file)
	if err != nil {
		return false
	}
	value := ""
	for line := range strings.Lines(string(content)) {
		if text, ok := strings.CutPrefix(line, setting+"="); ok {
			value = strings.TrimSpace(text) // the last line counts
		}
	}
	return value != ""
}

// advised returns an error of the go command with what to do about a module that only version control has.
func advised(text string) string {
	if !strings.Contains(text, "GOVCS disallows using") {
		return text
	}
	return strings.ReplaceAll(text, "see 'go help vcs'", "if you trust the module, run go mod download first, or set GOVCS as in 'go help vcs'")
}
