package decide

import (
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
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

// read reads the markers of code-generator or of kubebuilder.
func (a *assembly) read(t *input.Type, from input.From) reading {
	if from == input.FromKubebuilder {
		return a.readKubebuilder(t)
	}
	return a.readGenclient(t)
}

// hasKind reports whether the markers of a package make one of its types a kind.
func (a *assembly) hasKind(pkg *input.Package) bool {
	from := a.from(pkg)
	return !(from == input.FromKubebuilder && isSkipped(pkg)) && slices.ContainsFunc(pkg.Types, func(t *input.Type) bool {
		return !isView(t) && !a.Exclude.Type(pkg.Path, t.Name) && a.elsewhere(pkg).read(t, from).isKind
	})
}
