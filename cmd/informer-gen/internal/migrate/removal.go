package migrate

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/cmd/informer-gen/internal/shell"
)

// removal is a command of a script that deletes files.
type removal struct {
	position
	start int
	// paths are absolute.
	paths []string
}

// remover matches the programs and functions that delete files.
var remover = regexp.MustCompile(`^@?-?(rm|find|.*(clean|remove|delete).*)$`)

// removal returns the removal of a command, and whether it is one.
func (r *reader) removal(command shell.Command) (removal, bool) {
	words := r.scope.Words(command)
	found := removal{position: position{r.path, command.Line}, start: command.Start}
	if len(words) == 0 || !remover.MatchString(path.Base(words[0])) || words[0] == "find" && !slices.Contains(words, "-delete") {
		return found, false
	}
	for _, word := range words[1:] {
		if dir, err := r.pathOf(word); err == nil && strings.Contains(word, "/") {
			found.paths = append(found.paths, dir)
		}
	}
	return found, true
}
