package decide

import (
	"context"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Input has the arguments of Decide and Aliases.
type Input struct {
	*input.Run
	// Packages are the packages of the run.
	Packages []*input.Package
	// Manifests are the CRDs against which the kinds are checked.
	Manifests []*input.Manifest
	// Library is the client-go of the user's module.
	Library input.Library
	Code    Code
}

// Code answers questions about code outside the packages of the run. It reads the code when it is asked.
type Code interface {
	// Externals describes packages by their import paths. None of them is in the packages of the run.
	Externals(ctx context.Context, importPaths []string) (map[string]*input.External, error)
	// Clientset describes the clientset in a package.
	Clientset(ctx context.Context, importPath string) (*input.Clientset, error)
	// Types returns the types that the kinds consist of. A list type that the run would write for a type that is not a kind
	// is left out.
	Types(ctx context.Context, isKind func(model.TypeRef) bool, errs *model.Errors) (*input.Types, error)
	// HasFile reports whether the output folder has a file at a path.
	HasFile(path string) bool
	// MethodsOf returns the names of the methods of a type that the user has written in a folder of the output folder.
	MethodsOf(folder, typeName string) []string
}
