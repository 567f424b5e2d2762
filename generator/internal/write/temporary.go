package write

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// temporaryName is the pattern of a new file that the go command does not look at,
// such as .informer-gen-1763726400-123456. It has the time in it, in seconds: the
// file's own time does not tell when a second name of an old file was made.
func temporaryName() string {
	return fmt.Sprintf(".informer-gen-%d-*", time.Now().Unix())
}

// freeName returns the name of no file, beside file.
func freeName(file string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(file), temporaryName())
	if err != nil {
		return "", err
	}
	return f.Name(), errors.Join(f.Close(), os.Remove(f.Name()))
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

// removeAbandoned deletes what killed runs have left. One that cannot be deleted does
// no harm where it is.
func (p *Plan) removeAbandoned() {
	for _, name := range p.abandoned {
		_ = os.Remove(p.file(name))
	}
}
