package applyconfig

import (
	"go/types"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Input has the arguments of Decide.
type Input struct {
	*input.Run
	// Types has the types that the kinds consist of.
	Types *input.Types
	// Packages are the packages of the run. Those without kinds may have types that kinds consist of.
	Packages []*input.Package
	// Set has the kinds.
	Set *model.Set
}

// assembly is the state of one Decide.
type assembly struct {
	Input
	// homes are the packages of the run, by import path.
	homes map[string]*home
	// configs are the types with an apply configuration that this run generates. If a type is several
	// kinds, this is the first one, and all has the others too.
	configs map[identity]*config
	all     []*config
	inputs  []methodInput
	errs    *model.Errors
}

// home is a package of the run, and the package for the apply configurations of its types.
type home struct {
	pkg *input.Package
	out *model.ApplyPackage
}

// config is a type with an apply configuration.
type config struct {
	// of is the type. It is the type behind the alias if a kind is an alias.
	of   *types.Named
	home *home
	out  *model.ApplyType
	// spelled is the spelledName of the type. Of several, because of aliases, it is the first in the order of
	// strings.
	spelled string
}

// methodInput is a method and the type whose apply configuration it takes. config is nil if the type has none.
type methodInput struct {
	method *model.Method
	of     model.TypeRef
	config *config
}

// members adds the fields and methods of one apply configuration.
type members struct {
	*assembly
	of  types.Type
	out *model.ApplyType
	// metas are the types of meta/v1 among those that it embeds.
	metas []string
	// within are the structs whose fields are being added, each one embedded by that before it. Those before index outer belong to
	// other apply configurations. through has the names of the fields by which this one inlines structs.
	within  []*types.Struct
	outer   int
	through []string
	// isLost has the fields that JSON does not show, because a field that is embedded less deeply has the same JSON name, and those that
	// were added.
	isLost map[*types.Var]bool
	// isInner reports whether only the methods of another apply configuration are of interest. Its fields
	// are checked where it is declared.
	isInner bool
}

// newMembers returns the members of the apply configuration of a type, which those within embed.
func newMembers(a *assembly, of types.Type, out *model.ApplyType, within []*types.Struct) *members {
	m := &members{assembly: a, of: of, out: out, within: within, outer: len(within), isLost: map[*types.Var]bool{}}
	structType, _ := gotype.StructOf(of)
	for _, f := range gotype.JSONLosses(structType) {
		m.isLost[f.Field] = true
	}
	shown, _ := gotype.JSONFields(structType)
	for _, f := range shown { // of a struct that is embedded twice
		delete(m.isLost, f.Field)
	}
	return m
}
