package markers

import (
	"go/token"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Marker is one line of a comment of the form +name or +name=value.
type Marker struct {
	// Name is the name in the registry, or the name as it is written if the registry has none.
	Name string
	// Text is the line, from the + on.
	Text string
	Pos  token.Position
	// Value is nil for a marker of another tool, or one that means nothing on its declaration.
	Value Value
	// Problems are mistakes in the text.
	Problems []Problem
}

// Problem is a mistake in the text of a marker.
type Problem struct {
	// What is the mistake, and Fix its fix.
	What, Fix string
	// Done is the effect of the marker in spite of the mistake, for a message. It is empty if the
	// marker is ignored.
	Done string
}

func (m *Marker) problem(what, fix string) {
	m.Problems = append(m.Problems, Problem{What: what, Fix: fix})
}

// family returns the first part of a name, which all markers of one tool share: genclient, informer,
// or a name without options.
func family(name string) string {
	first, rest, _ := strings.Cut(name, ":")
	if first == "kubebuilder" { // most of its markers are not for informer-gen
		second, _, _ := strings.Cut(rest, ":")
		return first + ":" + second
	}
	return first
}

// IsGenclient reports whether the marker is one of code-generator for clients.
func (m Marker) IsGenclient() bool {
	meant, ok := m.Value.(Misspelled)
	return family(m.Name) == "genclient" || ok && meant.Meant == "genclient"
}

// List are the markers of one declaration, in their order.
type List []Marker

// Find returns the first value of a type.
func Find[T Value](list List) (value T, ok bool) {
	for _, m := range list {
		if value, ok = m.Value.(T); ok {
			return value, true
		}
	}
	return value, false
}

// Has reports whether a marker has a value of a type.
func Has[T Value](list List) bool {
	_, ok := Find[T](list)
	return ok
}

// MayBeKind reports whether a type with these markers may be a kind.
func (l List) MayBeKind() bool { return Has[Root](l) || Has[Genclient](l) }

// FieldPaths returns the paths to fields.
func (l List) FieldPaths() []FieldPath {
	var paths []FieldPath
	for _, m := range l {
		switch v := m.Value.(type) {
		case Index:
			paths = append(paths, v.Path)
		case SelectableField:
			paths = append(paths, v.Path)
		case Scale:
			paths = append(paths, v.Spec, v.Status, v.Selector)
		}
	}
	return slices.DeleteFunc(paths, func(p FieldPath) bool { return p.Text == "" })
}

// Packages returns the import paths of the packages that the markers name. Paths that the
// go command would take for an option or a pattern are not among them.
func (l List) Packages() []string {
	var refs []model.TypeRef
	for _, m := range l {
		switch v := m.Value.(type) {
		case View:
			refs = append(refs, v.Of)
		case Method:
			if len(m.Problems) == 0 {
				refs = append(refs, v.Input, v.Result)
			}
		}
	}
	var paths []string
	for _, ref := range refs {
		if ref.Path != "" && !slices.Contains(paths, ref.Path) {
			paths = append(paths, ref.Path)
		}
	}
	return paths
}
