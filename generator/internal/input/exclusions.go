package input

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Exclusions are the packages and types that the user leaves out. A nil *Exclusions leaves
// out nothing.
type Exclusions struct {
	// used reports of each exclusion whether it has matched.
	used map[string]bool
}

// NewExclusions reads import paths, such as example.com/shop/v1, and types, such as
// example.com/shop/v1.Order.
func NewExclusions(excluded []string) (*Exclusions, error) {
	e := &Exclusions{used: map[string]bool{}}
	for _, s := range excluded {
		ref, isType := markers.ParseTypeRef(s)
		if isType && ref.Path == "" {
			return nil, fmt.Errorf("%s is a type without a package; write the import path before it, such as example.com/shop/v1.%s", s, s)
		}
		if !isType && !markers.IsImportPath(s) {
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

// Unused returns an error about the exclusions that match nothing, or nil.
func (e *Exclusions) Unused() *model.Error {
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
	return model.Errorf(token.Position{}, "--exclude=%s matches no package and no kind of this run; correct the flag, or remove it",
		strings.Join(names, ","))
}
