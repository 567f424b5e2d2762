package model

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// ignore reports something in the current package that has no effect on the output. In the
// user's module that is an error, which ends with fix. A dependency is code that the user
// cannot edit, so there it is a warning, which ends with done: what the generator did instead.
func (a *assembly) ignore(pos token.Position, problem, fix, done string) {
	if a.pkg.Dependency {
		a.warn(pos, "%s; %s", problem, done)
		return
	}
	a.errs.Add(pos, "%s; %s", problem, fix)
}

// ignoring runs read. In a dependency, the errors that it adds become warnings that what they are
// about is ignored.
func (a *assembly) ignoring(read func()) {
	before := len(a.errs.all)
	read()
	if a.pkg.Dependency {
		a.warnOf(a.errs.all[before:], ignored)
		a.errs.all = a.errs.all[:before]
	}
}

// warnOf makes warnings of errors: done takes the place of what the user could do about each.
func (a *assembly) warnOf(errs []*Error, done string) {
	for _, err := range errs {
		a.warn(err.Pos, "%s; %s", reason(err.Message), done)
	}
}

// ignored is the done of most warnings.
const ignored = "the marker is ignored"

func (a *assembly) warn(pos token.Position, format string, args ...any) {
	a.warnings = append(a.warnings, Errorf(pos, format, args...))
}

// advice returns what the user can do about an error in the current package: own in the
// user's module, and elsewhere in a dependency, which the user cannot edit.
func (a *assembly) advice(own, elsewhere string) string {
	if a.pkg.Dependency {
		return elsewhere
	}
	return own
}

// Exclusions are the packages and types that the user leaves out. A nil *Exclusions leaves
// out nothing.
type Exclusions struct {
	used map[string]bool
}

// NewExclusions reads import paths, such as example.com/shop/v1, and types, such as
// example.com/shop/v1.Order.
func NewExclusions(excluded []string) (*Exclusions, error) {
	e := &Exclusions{used: map[string]bool{}}
	for _, s := range excluded {
		ref, isType := parseTypeRef(s)
		if isType && ref.Path == "" {
			return nil, fmt.Errorf("%s is a type without a package; write the import path before it, such as example.com/shop/v1.%s", s, s)
		}
		if !isType && !IsImportPath(s) {
			return nil, fmt.Errorf("%s is neither a package nor a type; write example.com/shop/v1 or example.com/shop/v1.Order", s)
		}
		e.used[s] = false
	}
	return e, nil
}

// Package reports whether the package with that import path is left out.
func (e *Exclusions) Package(importPath string) bool { return e.has(importPath) }

// Type reports whether a type of a package is left out.
func (e *Exclusions) Type(importPath, name string) bool { return e.has(importPath + "." + name) }

// Any reports whether anything has been left out.
func (e *Exclusions) Any() bool {
	return e != nil && slices.Contains(slices.Collect(maps.Values(e.used)), true)
}

func (e *Exclusions) has(s string) bool {
	if e == nil {
		return false
	}
	_, ok := e.used[s]
	if ok {
		e.used[s] = true
	}
	return ok
}

// unused returns an error for the exclusions that match nothing, nil if all match.
func (e *Exclusions) unused() *Error {
	if e == nil {
		return nil
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(e.used)) {
		if !e.used[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return Errorf(token.Position{}, "--exclude=%s matches no package and no kind of this run; correct the flag, or remove it", strings.Join(names, ","))
}
