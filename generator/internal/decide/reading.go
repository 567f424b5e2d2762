package decide

import (
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// IgnoresMarkers reports whether types have markers that from ignores.
func IgnoresMarkers(from input.From, types []*input.Type) bool {
	return slices.ContainsFunc(types, func(t *input.Type) bool {
		genclient := markers.Has[markers.Genclient](t.Markers)
		return from == input.FromKubebuilder && genclient || from == input.FromGenclient && !genclient && t.Markers.MayBeKind()
	})
}

// from returns which markers apply to a package.
func (a *assembly) from(pkg *input.Package) input.From {
	if a.From != input.FromAuto {
		return a.From
	}
	hasRoot := false
	for _, t := range pkg.Types {
		if slices.ContainsFunc(t.Markers, markers.Marker.IsGenclient) {
			return input.FromGenclient
		}
		hasRoot = hasRoot || isRoot(t)
	}
	if hasRoot || isSkipped(pkg) {
		return input.FromKubebuilder
	}
	return input.FromGenclient
}

// isSkipped reports whether controller-gen makes no CRDs of the package.
func isSkipped(pkg *input.Package) bool { return markers.Has[markers.Unserved](pkg.Markers) }

// hasKind reports whether the markers of a package make one of its types a kind.
func (a *assembly) hasKind(pkg *input.Package) bool {
	from := a.from(pkg)
	return !(from == input.FromKubebuilder && isSkipped(pkg)) && slices.ContainsFunc(pkg.Types, func(t *input.Type) bool {
		return !isView(t) && !a.Exclude.Type(pkg.Path, t.Name) && a.elsewhere(pkg).read(t, from).isKind
	})
}

// isRoot reports whether controller-gen takes the type for a kind.
func isRoot(t *input.Type) bool { return markers.Has[markers.Root](t.Markers) }

// isView reports whether the type is a view.
func isView(t *input.Type) bool { return markers.Has[markers.View](t.Markers) }

// reading has the content of the markers of a type.
type reading struct {
	// isKind reports whether the type is a kind.
	isKind     bool
	namespaced bool
	// resource is empty if no marker has it.
	resource string
	// hasStatus reports whether status is a subresource.
	hasStatus bool
	verbs     verbSet
	methods   []*model.Method
	// protobuf reports whether a view of the kind requests protobuf. It is set only for views.
	protobuf bool
}

// verbSet holds the verbs that the markers of a kind keep or skip. Without only, all are kept.
type verbSet struct {
	none          bool
	only, skipped []model.Verb
}

// of returns the verbs of all that are left.
func (s *verbSet) of(all []model.Verb) []model.Verb {
	if s.none {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(v model.Verb) bool {
		return s.only != nil && !slices.Contains(s.only, v) || slices.Contains(s.skipped, v)
	})
}

// read reads the markers of code-generator or of kubebuilder.
func (a *assembly) read(t *input.Type, from input.From) reading {
	if from == input.FromKubebuilder {
		return a.readKubebuilder(t)
	}
	return a.readGenclient(t)
}

// readGenclient reads the markers of code-generator.
func (a *assembly) readGenclient(t *input.Type) reading {
	resource, _, _ := single[markers.ResourceName](a, t.Markers)
	r := reading{namespaced: true, hasStatus: t.HasStatus, resource: string(resource)}
	for _, m := range t.Markers {
		switch v := m.Value.(type) {
		case markers.ResourceName:
		case markers.Genclient:
			r.isKind = !v.Off
		case markers.NonNamespaced:
			r.namespaced = false
		case markers.NoStatus:
			r.hasStatus = false
		case markers.NoVerbs:
			r.verbs.none = true
		case markers.OnlyVerbs:
			if len(m.Problems) == 0 || a.pkg.Dependency { // otherwise the unknown verb may be any
				r.verbs.only = append(r.verbs.only, v...)
			}
		case markers.SkipVerbs:
			r.verbs.skipped = append(r.verbs.skipped, v...)
		case markers.Method:
			if len(m.Problems) == 0 {
				method := model.Method(v)
				r.methods = append(r.methods, &method)
			}
		case markers.Unknown:
			if !strings.HasPrefix(m.Name, "genclient:") {
				continue
			}
		default:
			continue // of kubebuilder, or about a field
		}
		a.ignoreProblems(m)
	}
	return r
}
