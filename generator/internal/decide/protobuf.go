package decide

import (
	"go/token"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// builtIn begins the import paths of the built-in kinds. Every API server encodes these as protobuf.
const builtIn = "k8s.io/api/"

// prefersProtobuf reports whether clients and informers of a kind request protobuf.
func (a *assembly) prefersProtobuf(t *input.Type) bool {
	return t.Protobuf != "" && (a.PrefersProtobuf || strings.HasPrefix(t.Protobuf, builtIn))
}

// viewPrefersProtobuf reports whether the informer of a view of a kind of pkg requests protobuf. The
// informer of the view imports the package, because the Go type of the kind has the protobuf tags.
func (a *assembly) viewPrefersProtobuf(pkg *input.Package, kind *input.Type) bool {
	reason, _ := a.notImportable(pkg)
	return reason == "" && a.prefersProtobuf(kind)
}

// checkProtobuf warns of a flag that has no effect on any kind.
func (a *assembly) checkProtobuf(set *model.Set) {
	kinds := set.Informed()
	prefers := func(k *model.Kind) bool { return k.Protobuf }
	if a.PrefersProtobuf && len(kinds) > 0 && !slices.ContainsFunc(kinds, prefers) {
		a.warn(token.Position{}, "--prefers-protobuf has no effect, because no kind has a Go type with protobuf tags and the methods "+
			"Marshal, Reset and Unmarshal; generate them with go-to-protobuf, or remove the flag")
	}
}
