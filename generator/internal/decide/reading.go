package decide

import (
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// isSkipped reports whether controller-gen makes no CRDs of the package.
func isSkipped(pkg *input.Package) bool { return markers.Has[markers.Unserved](pkg.Markers) }

// isRoot reports whether controller-gen takes the type for a kind.
func isRoot(t *input.Type) bool { return markers.Has[markers.Root](t.Markers) }

// isView reports whether the type is a view.
func isView(t *input.Type) bool { return markers.Has[markers.View](t.Markers) }

// reading has the content of the markers of a type.
type reading struct {
	// isKind reports whether the type is a kind.
	isKind     bool
	namespaced bool
	// resource comes from a marker, or is the plural that controller-gen gives to a kubebuilder kind. If it is empty, naming derives it.
	resource string
	// hasStatus reports whether status is a subresource.
	hasStatus bool
	verbs     verbSet
	methods   []*model.Method
	// protobuf reports whether a view of the kind requests protobuf. It is set only for views.
	protobuf bool
}
