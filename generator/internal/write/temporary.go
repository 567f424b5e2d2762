package write

import (
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"strconv"
	"time"
)

// temporaryName returns the name of a new file next to the one of that name, which
// the go command does not look at, such as .informer-gen-1763726400-123456. It has
// the time in it, in seconds: the file's own time does not tell when a second name of
// an old file was made. The number is random, so no other file has it.
func temporaryName(name string) string {
	return path.Join(path.Dir(name), fmt.Sprintf(".informer-gen-%d-%d", time.Now().Unix(), rand.Uint64()))
}

// abandonedAfter is how old a temporary file is that surely belongs to no run: a run
// needs seconds. What is younger may be of a run beside this one, which needs it to
// go back.
const abandonedAfter = time.Hour

var temporaryPattern = regexp.MustCompile(`^\.informer-gen-([0-9]{1,12})-[0-9]+$`)

// isAbandoned says whether a file of that name was left behind by a run that was
// killed.
func isAbandoned(name string, now time.Time) bool {
	match := temporaryPattern.FindStringSubmatch(name)
	if match == nil {
		return false
	}
	seconds, err := strconv.ParseInt(match[1], 10, 64)
	return err == nil && now.Sub(time.Unix(seconds, 0)) > abandonedAfter
}
