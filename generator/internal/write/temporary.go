package write

import (
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"strconv"
	"time"
)

const temporaryPrefix = ".informer-gen-"

// temporaryName returns a path next to name for a new file, such as
// .informer-gen-1763726400-123456. The go command ignores such files. The first number is the Unix
// time in seconds, because the modification time of a second link to an old file does not show when
// the link was made. The second number is random, so that no other file has the name.
func temporaryName(name string) string {
	return path.Join(path.Dir(name), fmt.Sprintf("%s%d-%d", temporaryPrefix, time.Now().Unix(), rand.Uint64()))
}

// abandonedAfter is the age from which a temporary file belongs to no run, because a run takes
// seconds. A younger file may belong to another run, which needs it to undo its changes.
const abandonedAfter = time.Hour

var temporaryPattern = regexp.MustCompile(`^` + regexp.QuoteMeta(temporaryPrefix) + `([0-9]{1,12})-[0-9]+$`)

// isAbandoned reports whether a file is a temporary file of a killed run, by its name.
func isAbandoned(name string, now time.Time) bool {
	match := temporaryPattern.FindStringSubmatch(name)
	if match == nil {
		return false
	}
	seconds, err := strconv.ParseInt(match[1], 10, 64)
	return err == nil && now.Sub(time.Unix(seconds, 0)) > abandonedAfter
}
