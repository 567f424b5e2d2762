package faithful

import (
	"fmt"
	"strings"
)

// acceptance is a difference between the real server and apitest that is wanted, or not worth
// the code that would remove it.
type acceptance struct {
	// where is SCRIPT/TITLE, with * for any text.
	where string
	// paths are the fields that differ, separated by spaces, with * for any text.
	paths string
	// reason is a sentence.
	reason string
}

// Servers are the ways to set up apitest.
type Servers string

const (
	// WithoutSchema is apitest with kinds that have no schema.
	WithoutSchema Servers = "without schema"
	// WithSchema is apitest with the CustomResourceDefinitions of the real server.
	WithSchema Servers = "with schema"
)

// always has the differences with and without schemas.
var always = []acceptance{}

// withoutSchema has the further differences of kinds without a schema.
var withoutSchema = []acceptance{}

// Accepted has the accepted differences of a way to set up apitest.
type Accepted struct {
	rows []acceptance
	used map[string]bool // rows and their patterns of paths
}

// NewAccepted returns the accepted differences, none of which has occurred.
func NewAccepted(servers Servers) *Accepted {
	a := &Accepted{used: map[string]bool{}}
	a.rows = append(a.rows, always...)
	if servers == WithoutSchema {
		a.rows = append(a.rows, withoutSchema...)
	}
	return a
}

// Accepts reports whether a difference is accepted.
func (a *Accepted) Accepts(script, title string, difference Difference) bool {
	accepted := false
	for _, row := range a.rows {
		if !matches(row.where, script+"/"+title) {
			continue
		}
		for pattern := range strings.FieldsSeq(row.paths) {
			if matches(pattern, difference.Path) {
				a.used[row.where+" "+pattern] = true
				accepted = true
			}
		}
	}
	return accepted
}

// Unused returns a line for each accepted difference that has not occurred.
func (a *Accepted) Unused() []string {
	var unused []string
	for _, row := range a.rows {
		for pattern := range strings.FieldsSeq(row.paths) {
			if !a.used[row.where+" "+pattern] {
				unused = append(unused, fmt.Sprintf("accepted.go: the difference %q of %q no longer occurs; remove it", pattern, row.where))
			}
		}
	}
	return unused
}

// matches reports whether a text is that of a pattern, in which * stands for any text.
func matches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[last])
}
