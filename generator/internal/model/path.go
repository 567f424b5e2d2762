package model

import (
	"fmt"
	"strings"
)

// Path is the way from an object to one of its fields by JSON names, as markers
// write it:
//
//	spec.nodeName
//	.spec.containers[*].image
//	metadata.labels[app.kubernetes.io/name]
type Path []PathElement

// PathElement is one step of a Path.
type PathElement struct {
	// Name is a JSON name, or a key of a map.
	Name string
	// Each is true for [*], each element of a list. It has no Name.
	Each bool
	// Key is true for a name in brackets, which can only be the key of a map.
	Key bool
}

// ParsePath reads a path. A dot at its beginning is allowed, and so are quotes
// around a key.
func ParsePath(text string) (Path, error) {
	var path Path
	rest := strings.TrimPrefix(text, ".")
	for rest != "" || len(path) == 0 {
		if inBrackets, ok := strings.CutPrefix(rest, "["); ok {
			key, after, closed := strings.Cut(inBrackets, "]")
			if !closed {
				return nil, fmt.Errorf("path %q has a [ without a ]; close it", text)
			}
			element := PathElement{Name: unquoted(key), Key: true}
			if key == "*" {
				element = PathElement{Each: true}
			} else if element.Name == "" {
				return nil, fmt.Errorf("path %q has empty brackets; write a key of a map in them, or *", text)
			}
			path, rest = append(path, element), after
		} else {
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, fmt.Errorf("path %q has an empty name; write JSON names with single dots between them, such as spec.nodeName", text)
			}
			path, rest = append(path, PathElement{Name: rest[:end]}), rest[end:]
		}
		switch {
		case strings.HasPrefix(rest, "."):
			if rest = rest[1:]; rest == "" || rest[0] == '[' {
				return nil, fmt.Errorf("path %q has a dot that no name follows; remove it, or write a JSON name after it", text)
			}
		case rest != "" && rest[0] != '[':
			return nil, fmt.Errorf("path %q has a name right after a ]; write a dot between them", text)
		}
	}
	return path, nil
}

func unquoted(s string) string {
	for _, quote := range []string{`"`, `'`} {
		if len(s) >= 2 && strings.HasPrefix(s, quote) && strings.HasSuffix(s, quote) {
			return s[1 : len(s)-1]
		}
	}
	return s
}

// String writes the path as ParsePath reads it.
func (p Path) String() string {
	var b strings.Builder
	for i, e := range p {
		switch {
		case e.Each:
			b.WriteString("[*]")
		case e.Key:
			b.WriteString("[" + e.Name + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(e.Name)
		}
	}
	return b.String()
}

// Field is what stands at a Path of a type.
type Field struct {
	// Steps lead there in Go.
	Steps []Step
	// Value is the type of the value, or of each value if there are several.
	Value ValueType
	// Problem says why the path leads to nothing that can be used; empty if it does
	// not.
	Problem string
	// EncodesItself reports whether the value has a method for its JSON or its text. A
	// server compares that text, whatever the value is in Go, and even if there is a Problem.
	EncodesItself bool
}

// Step is one operation on the way to a Field.
type Step struct {
	Op StepOp
	// Name is the Go name of a field, or the key of a map.
	Name string
}

// StepOp is what a Step does.
type StepOp int

// The operations: select a field, follow a pointer, take each element of a list,
// look up a key in a map.
const (
	StepField StepOp = iota
	StepPointer
	StepEach
	StepKey
)

// ValueType is a string, an integer or a boolean, or a named type of one.
type ValueType struct {
	// Basic is the predeclared type: string, bool, int32, …
	Basic string
	// Named is the type's name, if it has one that other packages can use.
	Named TypeRef
	// Defined says whether it is another type than Basic.
	Defined bool
}

// Single says whether there is at most one value.
func (f *Field) Single() bool {
	for _, s := range f.Steps {
		if s.Op == StepEach {
			return false
		}
	}
	return true
}
