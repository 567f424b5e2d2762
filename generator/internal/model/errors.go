package model

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Error is a mistake in the input: where it is, what is wrong, and what to
// write instead.
type Error struct {
	Pos     token.Position
	Message string
}

// Error returns "file:line:col: message", or the message where there is no
// place.
func (e *Error) Error() string {
	if !e.Pos.IsValid() {
		if e.Pos.Filename != "" {
			return e.Pos.Filename + ": " + e.Message
		}
		return e.Message
	}
	return e.Pos.String() + ": " + e.Message
}

// HasPlace says whether the message begins with a place.
func (e *Error) HasPlace() bool { return e.Pos.Filename != "" }

// Errorf makes an Error at a place.
func Errorf(pos token.Position, format string, args ...any) *Error {
	return &Error{Pos: pos, Message: fmt.Sprintf(format, args...)}
}

// Errors collects all mistakes of a run, so that they can be mended at one go.
type Errors struct {
	all []*Error
}

// Add notes a mistake.
func (e *Errors) Add(pos token.Position, format string, args ...any) {
	e.all = append(e.all, Errorf(pos, format, args...))
}

// sortByPlace sorts errors by file, line and column.
func sortByPlace(all []*Error) {
	slices.SortStableFunc(all, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.Pos.Filename, b.Pos.Filename), a.Pos.Line-b.Pos.Line, a.Pos.Column-b.Pos.Column)
	})
}

// Join returns the mistakes sorted by place, one a line, or nil.
func (e *Errors) Join() error {
	sortByPlace(e.all)
	var errs []error
	for i, err := range e.all {
		if i == 0 || *err != *e.all[i-1] {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
