// Package mistakes collects the mistakes in the options of a factory.
package mistakes

import (
	"errors"
	"slices"
)

// List has mistakes, each once. The zero value has none. The caller has a lock.
type List struct {
	all []error
	// logged is the number of those that Unlogged has returned.
	logged int
}

// Add adds a mistake, or those that errors.Join has joined. Two with the same text are one; nil is none.
// It reports whether one is new.
func (l *List) Add(mistake error) (isNew bool) {
	if joined, ok := mistake.(interface{ Unwrap() []error }); ok {
		for _, each := range joined.Unwrap() {
			isNew = l.Add(each) || isNew
		}
		return isNew
	}
	isKnown := func(known error) bool { return known.Error() == mistake.Error() }
	if mistake == nil || slices.ContainsFunc(l.all, isKnown) {
		return false
	}
	l.all = append(l.all, mistake)
	return true
}

// Unlogged returns the mistakes that no earlier call has returned. The caller must not change the slice.
func (l *List) Unlogged() []error {
	added := l.all[l.logged:]
	l.logged = len(l.all)
	return added
}

// Err returns the mistakes as one error, or nil.
func (l *List) Err() error { return errors.Join(l.all...) }
