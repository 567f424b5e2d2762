package model

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Error is a mistake in the input, with its position and its fix.
type Error struct {
	Pos     token.Position
	Message string
}

// Error returns "file:line:col: message", or the message alone if there is no position.
func (e *Error) Error() string {
	if !e.Pos.IsValid() {
		if e.Pos.Filename != "" {
			return e.Pos.Filename + ": " + e.Message
		}
		return e.Message
	}
	return e.Pos.String() + ": " + e.Message
}

// HasPos reports whether the message begins with a position.
func (e *Error) HasPos() bool { return e.Pos.Filename != "" }

// Errorf returns an Error at a position.
func Errorf(pos token.Position, format string, args ...any) *Error {
	return &Error{Pos: pos, Message: fmt.Sprintf(format, args...)}
}

// Errors collects the errors of a run, so that the user can correct them all at once.
type Errors struct {
	all []*Error
}

// Add adds an error.
func (e *Errors) Add(pos token.Position, format string, args ...any) {
	e.all = append(e.all, Errorf(pos, format, args...))
}

// Len returns how many errors there are.
func (e *Errors) Len() int { return len(e.all) }

// Cut removes the errors after the first n, and returns them.
func (e *Errors) Cut(n int) []*Error {
	cut := e.all[n:]
	e.all = e.all[:n:n]
	return cut
}

// SortErrors sorts errors by file, line and column.
func SortErrors(all []*Error) {
	slices.SortStableFunc(all, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.Pos.Filename, b.Pos.Filename), a.Pos.Line-b.Pos.Line, a.Pos.Column-b.Pos.Column)
	})
}

// Join returns the errors sorted by position, one a line, or nil. It drops repeated ones.
func (e *Errors) Join() error {
	SortErrors(e.all)
	var errs []error
	for i, err := range e.all {
		if i == 0 || *err != *e.all[i-1] {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
