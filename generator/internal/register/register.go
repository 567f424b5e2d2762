// Package register decides on what API packages lack to be registered with a scheme.
package register

import (
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Decide returns what the packages of the set that are not dependencies lack.
func Decide(packages []*input.Package, set *model.Set, mistakes *model.Errors) []*model.Registration {
	return nil
}
