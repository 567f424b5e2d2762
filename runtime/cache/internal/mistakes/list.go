// Package mistakes collects the mistakes in the options of a factory.
package mistakes

import (
	"errors"
	"slices"
)

// List has mistakes, each once. The zero value is empty. The caller holds a lock.
type List struct {
	all []error
	// logged is the number of mistakes that Unlogged has returned.
	logged int
}

// Add adds a mistake. It adds each error of an errors.Join on its own. It ignores nil, and a mistake with
// the text of an earlier one. It reports whether it has added any.
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
