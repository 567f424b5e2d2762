package markers

import (
	"go/token"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/typedinformers/informer-gen/internal/spelling"
)

// Parse reads a line that begins with +. on is the name of the type that has the marker, or ""
// for a package.
func Parse(line string, pos token.Position, on string) Marker {
	m := Marker{Text: line, Pos: pos}
	for m.Name = range codetags.Extract("+", []string{line}) { // one name, of gengo's syntax
	}
	// The value is everything that follows, as for client-gen.
	value, hasValue := strings.CutPrefix(line[len("+")+len(m.Name):], "=")
	if hasValue && strings.HasPrefix(m.Name, "kubebuilder:") {
		m.Name = strings.TrimSuffix(m.Name, ":") // controller-gen accepts := too
	}
	m.read(value, on)
	return m
}

// read sets the value and the problems of a marker.
func (m *Marker) read(value, on string) {
	target := OnType
	if on == "" {
		target = OnPackage
	}
	family := family(m.Name)
	spec := find(m.Name)
	rest, isClosed := closed[family]
	switch {
	case spec != nil && spec.On&target != 0:
		rest := m.Name[len(spec.Name):]
		m.Name = spec.Name
		m.Value = spec.read(reader{Marker: m, value: value, rest: rest, on: on, options: options(family)})
	case spec == nil && (family == "genclient" || family == "informer"):
		option := strings.TrimPrefix(strings.TrimPrefix(m.Name, family), ":")
		if family == "informer" {
			option, _, _ = strings.Cut(option, ":")
		}
		m.Value = Unknown{}
		m.problem("unknown marker +"+m.Name, spelling.Suggest(option, options(family), "+"+family+":"))
	case spec == nil && isClosed:
		option, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(m.Name, family), ":"), ":")
		if m.Value = (Other{}); !slices.Contains(rest, option) {
			m.Value = Misspelled{}
			m.problem("unknown marker +"+m.Name, spelling.Suggest(option, slices.Concat(options(family), rest), "+"+family+":"))
		}
	case spec == nil && slices.Contains(families(target), family):
		m.Value = Other{}
	default:
		if meant := misspelled(m.Name); meant != "" {
			m.Value = Misspelled{meant}
			m.problem("unknown marker +"+m.Name, "did you mean +"+meant+"?")
		}
	}
}
