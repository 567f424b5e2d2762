package markers

import (
	"fmt"
	"strings"
)

// Path leads from an object to one of its fields by JSON names. Markers have it as
//
//	spec.nodeName
//	.spec.containers[*].image
//	metadata.labels[app.kubernetes.io/name]
type Path []PathElement

// PathElement is one element of a Path.
type PathElement struct {
	// Name is a JSON name, or a key of a map.
	Name string
	// Each is true for [*], each element of a list. It has no Name.
	Each bool
	// Key is true for a name in brackets, which is always the key of a map.
	Key bool
}

// ParsePath reads a path. It allows a dot at the beginning, and quotes around a key.
func ParsePath(text string) (Path, error) {
	var path Path
	rest := strings.TrimPrefix(text, ".")
	for rest != "" || len(path) == 0 {
		if inBrackets, ok := strings.CutPrefix(rest, "["); ok {
			key, after, closed := strings.Cut(inBrackets, "]")
			if !closed {
				return nil, fmt.Errorf("path %q has a [ without a ]; add the ]", text)
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
				return nil, fmt.Errorf("path %q has an empty name; write JSON names with single dots between them, "+
					"such as spec.nodeName", text)
			}
			path, rest = append(path, PathElement{Name: rest[:end]}), rest[end:]
		}
		switch {
		case strings.HasPrefix(rest, "."):
			if rest = rest[1:]; rest == "" || rest[0] == '[' {
				return nil, fmt.Errorf("path %q has a dot without a name after it; remove the dot, or write a JSON name after it", text)
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

// String returns the path in the form that ParsePath reads.
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
