package migrate

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/cmd/informer-gen/internal/shell"
)

// controllerGen returns a call of controller-gen that writes deep copies, after which informer-gen runs; nil if the command is none.
func (r *reader) controllerGen(command shell.Command) *call {
	words := r.scope.Words(command)
	at := slices.IndexFunc(words, func(word string) bool {
		return strings.HasPrefix(path.Base(word), "controller-gen") || strings.Contains(word, "\x00CONTROLLER_GEN\x00")
	})
	if at < 0 {
		return nil
	}
	object := slices.IndexFunc(words, func(word string) bool { return word == "object" || strings.HasPrefix(word, "object:") })
	if object < 0 {
		return nil
	}
	c := &call{
		position: position{r.path, command.Line}, start: command.Start, end: command.End, generator: "controller-gen", form: r.form,
		flags: map[string]string{}, dir: r.scope.Dir, module: r.project.moduleOfFile(r.path),
	}
	if _, header, ok := strings.Cut(words[object], "headerFile="); ok {
		if file, err := r.pathOf(header); err == nil && exists(file) {
			c.flags["go-header-file"] = file
		}
	}
	return c
}

// kindFolders returns patterns for the packages with kinds of kubebuilder: the first folder of each.
func kindFolders(dir string) (patterns []string, err error) {
	err = (&project{dir: dir}).walk(func(path string) error {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !kubebuilderAll.Match(text) {
			return err
		}
		way := relative(dir, filepath.Dir(path))
		first, _, isDeep := strings.Cut(way, "/")
		if first == "." {
			return fmt.Errorf("%s has kinds in the root folder of the module; generate code for them with --exclude of the other packages", path)
		}
		pattern := filepath.Join(dir, first)
		if isDeep {
			pattern += "/..."
		}
		if !slices.Contains(patterns, pattern) {
			patterns = append(patterns, pattern)
		}
		return nil
	})
	return patterns, err
}
