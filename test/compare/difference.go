package compare

import "fmt"

// Kind is the way in which an API differs.
type Kind string

// Kinds of Difference.
const (
	Missing Kind = "missing" // theirs has it, ours has not
	Changed Kind = "changed" // both have it, but it is not the same
	Extra   Kind = "extra"   // a method more in an interface of ours, or a tagged field more in a struct
)

// Difference is one place at which ours cannot stand for theirs.
type Difference struct {
	// Package is the folder below the output, such as listers/core/v1.
	Package string
	// Name is Thing or Thing.Member; empty if it is the package that is missing.
	Name string
	Kind Kind
	// Theirs and Ours are what there is. Names of packages stand before those of
	// types, and folders of the output where they are from there.
	Theirs, Ours string
}

// String is one line, which is also what Accepted patterns are matched with.
func (d Difference) String() string {
	place := d.Package
	if d.Name != "" {
		place += " " + d.Name
	}
	switch d.Kind {
	case Missing:
		return fmt.Sprintf("%s: missing: %s", place, d.Theirs)
	case Extra:
		return fmt.Sprintf("%s: extra: %s", place, d.Ours)
	}
	return fmt.Sprintf("%s: changed: theirs %s, ours %s", place, d.Theirs, d.Ours)
}
