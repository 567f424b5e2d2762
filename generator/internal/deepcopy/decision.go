package deepcopy

import (
	"go/types"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Input has the arguments of Decide.
type Input struct {
	// Types has all types of the packages that are not dependencies, and the types that these consist of.
	Types    *input.Types
	Packages []*input.Package
	// Set has the kinds.
	Set *model.Set
}

// decision is the state of one Decide.
type decision struct {
	Input
	errs *model.Errors
	// objects are the types that clients and informers use. An alias counts as the type that it stands for.
	objects map[*types.TypeName]bool
	// roots are these types, with the arguments of generic ones.
	roots []types.Type
	// planned are the types that have all methods after this run.
	planned map[*types.TypeName]*plan
}

// plan is a type that gets methods.
type plan struct {
	name       *types.TypeName
	methods    methods
	interfaces []model.CopiedInterface
}

// methods are the methods for copying that a type declares itself. Promoted ones copy another type.
type methods struct {
	into, copy method
	// names has all methods.
	names map[string]bool
}

type method struct {
	found bool
	// onPointer reports whether the method has a pointer receiver. Its result is a pointer then.
	onPointer bool
	// generated reports whether a generator wrote the method, so that it copies like an assignment where
	// that is enough.
	generated bool
}
