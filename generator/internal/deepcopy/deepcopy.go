// Package deepcopy decides on the methods that copy objects: which types get them, and how each copies its values.
//
//	decision.go   Input, and the state of a decision
//	method.go     methods that types have already
//	copying.go    how a value is copied
//	selection.go  the types that get methods
//	deepcopy.go   Decide
package deepcopy

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Decide returns the deep copies of the packages that are not dependencies. It adds the reasons why a type
// cannot be copied to errs.
func Decide(in Input, errs *model.Errors) []*model.DeepCopy {
	d := &decision{Input: in, errs: errs, objects: map[*types.TypeName]bool{}, planned: map[*types.TypeName]*plan{}}
	d.addObjects()
	reached := d.reachable()
	for _, pkg := range in.Packages {
		if !pkg.Dependency {
			d.plan(pkg, reached)
		}
	}
	var copies []*model.DeepCopy
	for _, pkg := range in.Packages {
		if found := d.copiesOf(pkg); len(found) > 0 {
			private := slices.DeleteFunc(slices.Sorted(maps.Keys(pkg.Declared)), token.IsExported)
			copies = append(copies, &model.DeepCopy{
				APIPackage: model.APIPackage{Path: pkg.Path, Name: pkg.Name, Dir: pkg.Dir, Private: private},
				Constraint: d.constraint(pkg, found), Types: found,
			})
		}
	}
	return copies
}

// copiesOf returns the types of a package that lack methods, sorted by name.
func (d *decision) copiesOf(pkg *input.Package) []*model.CopiedType {
	var found []*model.CopiedType
	for _, p := range d.planned {
		if p.name.Pkg().Path() != pkg.Path {
			continue
		}
		copied := &model.CopiedType{
			Name:          p.name.Name(),
			TypeParams:    typeParams(p.name, p.interfaces),
			IsReference:   isReference(p.name.Type()),
			NeedsDeepCopy: !p.methods.copy.found,
			Interfaces:    p.interfaces,
		}
		if !p.methods.into.found {
			copied.Into = d.into(p)
		}
		if copied.Into != nil || copied.NeedsDeepCopy || len(copied.Interfaces) > 0 {
			d.checkFields(p.name, copied)
			found = append(found, copied)
		}
	}
	slices.SortFunc(found, func(a, b *model.CopiedType) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// checkFields adds an error for each field of a struct that has the name of a method to write.
func (d *decision) checkFields(of *types.TypeName, copied *model.CopiedType) {
	structType, ok := gotype.StructOf(of.Type())
	if !ok {
		return
	}
	for field := range structType.Fields() {
		name := field.Name()
		returns := func(i model.CopiedInterface) bool { return name == "DeepCopy"+i.Interface.Name }
		isWritten := name == "DeepCopyInto" && copied.Into != nil || name == "DeepCopy" && copied.NeedsDeepCopy
		if isWritten || slices.ContainsFunc(copied.Interfaces, returns) {
			d.errs.Add(d.Types.Position(field), "type %s has a field %s, and needs a method of that name for its deep copies; "+
				"rename the field", of.Name(), name)
		}
	}
}

// into returns the body of the DeepCopyInto of a type.
func (d *decision) into(p *plan) *model.Copy {
	switch {
	case p.methods.copy.found && p.methods.copy.onPointer:
		return &model.Copy{Op: model.CopyByPointer}
	case p.methods.copy.found:
		return &model.Copy{Op: model.CopyByCall, Method: "DeepCopy"}
	}
	c := &copying{decision: d, root: p.name, pos: p.name, open: []types.Type{p.name.Type()}}
	copied := c.underlying(p.name.Type())
	if copied == nil {
		copied = &model.Copy{Op: model.CopyFields}
	}
	return copied
}

// constraint returns the build constraint of the file for a package. It is the constraint of the files with the types
// that get methods. Types in files with several constraints are an error. Without its constraint, a type that is no
// object may lack its methods, because only types in these files need them.
func (d *decision) constraint(pkg *input.Package, copied []*model.CopiedType) string {
	found := map[string]*types.TypeName{}
	needed := false // without a constraint
	for _, t := range copied {
		name := d.Types.Lookup(model.TypeRef{Path: pkg.Path, Name: t.Name})
		constraint := d.Types.Constraints[d.Types.Position(name).Filename]
		if first := found[constraint]; first == nil || name.Pos() < first.Pos() {
			found[constraint] = name
		}
		needed = needed || constraint == "" && len(t.Interfaces) > 0
	}
	if len(found) > 1 && !needed {
		delete(found, "")
	}
	constraints := slices.Sorted(maps.Keys(found))
	for _, other := range constraints[1:] {
		first, name := found[constraints[0]], found[other]
		d.errs.Add(d.Types.Position(name), "%s is in a file with %s and %s is not, but one file has the deep copies of both; "+
			"move one of them to another package", name.Name(), other, first.Name())
	}
	return strings.TrimPrefix(constraints[0], "//go:build ")
}
