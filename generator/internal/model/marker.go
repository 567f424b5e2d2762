package model

import (
	"cmp"
	"go/token"
	"strings"
)

// Marker is one line of a comment of the form +name or +name=value.
type Marker struct {
	Name  string
	Value string
	Pos   token.Position
	// Text is what was written, after the +.
	Text string
}

// Written is the marker as it was written.
func (m Marker) Written() string {
	return "+" + cmp.Or(m.Text, strings.TrimSuffix(m.Name+"="+m.Value, "="))
}

// Is says whether the marker has that name.
func (m Marker) Is(name string) bool { return m.Name == name }

// Argument is one of the key=value pairs of a marker. Those without = have no
// Value.
type Argument struct {
	Key, Value string
}

// Arguments returns the arguments of a marker such as
//
//	+kubebuilder:resource:path=crontabs,scope=Cluster
//
// whose name, up to the first argument, is prefix, and whether it is that marker.
// A comma within quotes, braces or brackets separates nothing.
func (m Marker) Arguments(prefix string) ([]Argument, bool) {
	rest, ok := strings.CutPrefix(m.Name, prefix)
	if !ok || rest != "" && rest[0] != ':' {
		return nil, false
	}
	text := strings.TrimPrefix(rest, ":")
	if m.Value != "" {
		text += "=" + m.Value
	}
	text = strings.TrimPrefix(text, "=") // +name=value has an argument without a key
	var arguments []Argument
	for _, part := range splitOutside(text) {
		key, value, _ := strings.Cut(part, "=")
		arguments = append(arguments, Argument{strings.TrimSpace(key), strings.Trim(strings.TrimSpace(value), "`\"")})
	}
	return arguments, true
}

// splitOutside splits at the commas that are in no quotes, braces or brackets.
func splitOutside(text string) []string {
	var parts []string
	start, depth, quote := 0, 0, byte(0)
	for i := range len(text) {
		c := text[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ',' && depth <= 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	if start < len(text) {
		parts = append(parts, text[start:])
	}
	return parts
}

// FieldPath returns the path in a marker that names a field, as it is written
// there, and whether it is such a marker. The path is empty where it is missing.
func (m Marker) FieldPath() (string, bool) {
	key := "path"
	arguments, ok := m.Arguments(IndexMarker)
	if !ok {
		key = "JSONPath"
		arguments, ok = m.Arguments(SelectableFieldMarker)
	}
	for _, a := range arguments {
		if a.Key == key {
			return a.Value, true
		}
	}
	return "", ok
}

// The markers that name a field or a kind.
const (
	ViewMarker            = "informer:view"
	IndexMarker           = "informer:index"
	SelectableFieldMarker = "kubebuilder:selectablefield"
)
