// Package deepcopy decides on the methods that copy objects.
package deepcopy

import (
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Decide returns the deep copies of the packages that are not dependencies. It adds the reasons why a type
// cannot be copied to the mistakes.
func Decide(types *input.Types, packages []*input.Package, mistakes *model.Errors) []*model.DeepCopy {
	return nil
}
