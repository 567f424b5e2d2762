package deepcopy

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

func (m methods) any() bool { return m.into.found || m.copy.found }

// byHand reports whether the user wrote one of the methods.
func (m methods) byHand() bool {
	return m.into.found && !m.into.generated || m.copy.found && !m.copy.generated
}

func (m methods) has(name string) bool { return m.names[name] }

// isReference reports whether the methods of a type have no pointer receivers.
func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Map, *types.Slice:
		return true
	}
	return false
}

// methodsOf returns the methods of a type. A method of a package of the run with another signature is a
// mistake, because its name is taken. In other packages it does not count.
func (d *decision) methodsOf(declared *types.TypeName) methods {
	found := methods{names: map[string]bool{}}
	named, ok := declared.Type().(*types.Named)
	if !ok {
		return found
	}
	for m := range named.Methods() {
		found.names[m.Name()] = true
		signature := m.Signature()
		receiver := types.Unalias(signature.Recv().Type())
		pointer, onPointer := receiver.(*types.Pointer)
		if onPointer {
			receiver = pointer.Elem()
		}
		file := filepath.Base(d.Types.Position(m).Filename)
		read := method{found: true, onPointer: onPointer, generated: strings.HasPrefix(file, "zz_generated")}
		switch m.Name() {
		case "DeepCopy":
			if result := signature.Results(); result.Len() == 1 && types.Identical(result.At(0).Type(), signature.Recv().Type()) {
				found.copy = read
				continue
			}
		case "DeepCopyInto":
			if out := signature.Params(); out.Len() == 1 && types.Identical(out.At(0).Type(), types.NewPointer(receiver)) {
				found.into = read
				continue
			}
		default:
			continue
		}
		if d.isOwn(declared.Pkg()) {
			name := declared.Name()
			if params := typeParams(declared, nil); len(params) > 0 {
				name += "[" + strings.Join(params, ", ") + "]"
			}
			receiver := "*" + name
			if isReference(declared.Type()) {
				receiver = name
			}
			d.errs.Add(d.Types.Position(m), "method %s of %s has another signature than deep copies have; "+
				"use func (in %s) DeepCopyInto(out *%s) or func (in %s) DeepCopy() %s, or rename it", m.Name(), declared.Name(),
				receiver, name, receiver, receiver)
		}
	}
	return found
}

// isOwn reports whether a package is one of the run that is not a dependency.
func (d *decision) isOwn(pkg *types.Package) bool {
	for _, own := range d.Packages {
		if own.Path == pkg.Path() {
			return !own.Dependency
		}
	}
	return false
}

// typeParams returns the names that methods with results of the interfaces use for the type parameters of their
// receiver: the names in the declaration, unless one of them may have another meaning in the methods.
func typeParams(declared *types.TypeName, interfaces []model.CopiedInterface) (names []string) {
	named, ok := declared.Type().(*types.Named)
	if !ok {
		return nil
	}
	taken := map[string]bool{declared.Name(): true}
	for _, i := range interfaces {
		taken[i.Interface.Name] = true
	}
	fits := true
	for param := range named.TypeParams().TypeParams() {
		name := param.Obj().Name()
		names = append(names, name)
		fits = fits && !taken[name] && token.IsExported(name) // unlike in, new, _ and the names of imports
	}
	for i := range names {
		if !fits {
			names[i] = fmt.Sprint("Type", i+1)
		}
		for !fits && taken[names[i]] {
			names[i] += "_"
		}
	}
	return names
}
