package later

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// Pair is a type of this repository, and an interface of another module that its values become.
type Pair struct {
	// Type and Interface are written as adapters/clientgo.indexer and k8s.io/client-go/tools/cache.Store.
	Type, Interface string
	// At is the position of one such conversion, or of the type.
	At token.Position
	// Inherited are the methods that the type has only because it embeds an interface. They work if that has a value.
	Inherited []string
	// Embeds reports whether the type has each method that is added to the interface, because it embeds the interface, or
	// a type of another module that implements it.
	Embeds bool
}

type finder struct {
	fset  *token.FileSet
	pairs map[[2]string]Pair
}

// Find returns the pairs of the loaded packages, sorted. A type becomes an interface where the code converts it, and an exported
// type may become one in the code of users.
func Find(loaded *Loaded) []Pair {
	f := finder{loaded.Fset, map[[2]string]Pair{}}
	f.addDeclared(loaded)
	f.addConverted(loaded)
	return slices.SortedFunc(maps.Values(f.pairs), func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Interface, b.Interface))
	})
}

// addConverted adds the pairs of all conversions. The SSA form of a function has an instruction for each conversion to an
// interface, also of an argument, a result or an element. It has none for var _ I = x, nor for a type argument, which has to
// implement its constraint.
func (f finder) addConverted(loaded *Loaded) {
	program := ssa.NewProgram(loaded.Fset, ssa.InstantiateGenerics)
	packages.Visit(loaded.Packages, nil, func(pkg *packages.Package) {
		if !isOurs(pkg.Types) {
			program.CreatePackage(pkg.Types, nil, nil, true)
			return
		}
		program.CreatePackage(pkg.Types, pkg.Syntax, pkg.TypesInfo, true)
		for name, instance := range pkg.TypesInfo.Instances {
			params := pkg.TypesInfo.Uses[name].Type().(interface{ TypeParams() *types.TypeParamList }).TypeParams()
			for i := range params.Len() {
				f.add(instance.TypeArgs.At(i), params.At(i).Constraint(), name.Pos())
			}
		}
		for _, file := range pkg.Syntax {
			ast.Inspect(file, func(node ast.Node) bool {
				if spec, ok := node.(*ast.ValueSpec); ok && spec.Type != nil {
					for _, value := range spec.Values {
						f.add(pkg.TypesInfo.TypeOf(value), pkg.TypesInfo.TypeOf(spec.Type), value.Pos())
					}
				}
				return true
			})
		}
	})
	program.Build()
	for function := range ssautil.AllFunctions(program) {
		for _, block := range function.Blocks {
			for _, instruction := range block.Instrs {
				at := cmp.Or(instruction.Pos(), function.Pos())
				switch i := instruction.(type) {
				case *ssa.MakeInterface:
					f.add(i.X.Type(), i.Type(), at)
				case *ssa.ChangeInterface:
					f.add(i.X.Type(), i.Type(), at)
				case *ssa.TypeAssert:
					from := i.X
					if made, ok := from.(*ssa.MakeInterface); ok { // any(x).(I)
						from = made.X
					}
					if name, _ := types.Unalias(from.Type()).(*types.Named); name == nil || !isForeign(name) { // else it depends on the value
						f.add(from.Type(), i.AssertedType, at)
					}
				}
			}
		}
	}
}

// addDeclared adds the exported types of the modules of users that implement an exported interface of another module. One method
// is too few to tell whether that is meant, and API types are in testdata.
func (f finder) addDeclared(loaded *Loaded) {
	var interfaces []*types.Named
	packages.Visit(loaded.Packages, nil, func(pkg *packages.Package) {
		for _, name := range pkg.Types.Scope().Names() {
			named := namedOf(pkg.Types.Scope().Lookup(name))
			if named != nil && isForeign(named) && named.Obj().Exported() && named.TypeParams() == nil && methodsOf(named) > 1 {
				interfaces = append(interfaces, named)
			}
		}
	})
	for _, pkg := range loaded.Packages {
		if pkg.Module.Path == module+"/testdata" || strings.Contains(pkg.PkgPath, "/internal/") {
			continue
		}
		for _, name := range pkg.Types.Scope().Names() {
			named := namedOf(pkg.Types.Scope().Lookup(name))
			if named == nil || !named.Obj().Exported() || types.IsInterface(named) {
				continue
			}
			for _, of := range interfaces {
				if types.Implements(types.NewPointer(named), of.Underlying().(*types.Interface)) {
					f.add(named, of, named.Obj().Pos())
				}
			}
		}
	}
}

// add adds the pairs of a conversion. If to is an interface of ours, they are of the interfaces that it embeds.
func (f finder) add(from, to types.Type, at token.Pos) {
	source := nameOf(from)
	if source == "" {
		return
	}
	for of := range foreignIn(to) {
		key := [2]string{source, nameOf(of)}
		if _, found := f.pairs[key]; !found && !(types.IsInterface(from) && embeds(from, of)) {
			f.pairs[key] = Pair{key[0], key[1], f.fset.Position(at), inherited(from, of), embeds(from, of)}
		}
	}
}

// foreignIn yields the interface, or the outermost ones that it embeds, that another module declares.
func foreignIn(to types.Type) func(yield func(*types.Named) bool) {
	return func(yield func(*types.Named) bool) {
		named, _ := types.Unalias(to).(*types.Named)
		if named != nil && isForeign(named) {
			if methodsOf(named) > 0 {
				yield(named.Origin())
			}
			return
		}
		if _, isParam := types.Unalias(to).(*types.TypeParam); isParam {
			return
		}
		if of, ok := to.Underlying().(*types.Interface); ok {
			for inner := range of.EmbeddedTypes() {
				foreignIn(inner)(yield)
			}
		}
	}
}

// inherited returns the methods of an interface of another module that a type of ours gets from an interface that it embeds.
func inherited(from types.Type, of *types.Named) (names []string) {
	if pointer, ok := types.Unalias(from).(*types.Pointer); ok {
		from = pointer.Elem()
	}
	if _, isStruct := from.Underlying().(*types.Struct); !isStruct {
		return nil
	}
	for method := range of.Underlying().(*types.Interface).Methods() {
		found, _, _ := types.LookupFieldOrMethod(from, true, method.Pkg(), method.Name())
		if function, ok := found.(*types.Func); ok && types.IsInterface(function.Signature().Recv().Type()) && !isOurs(function.Pkg()) {
			names = append(names, method.Name())
		}
	}
	return names
}

// embeds reports whether a type gets the methods that are added to an interface of another module.
func embeds(from types.Type, of *types.Named) bool {
	if pointer, ok := types.Unalias(from).(*types.Pointer); ok {
		return embeds(pointer.Elem(), of)
	}
	if param, ok := types.Unalias(from).(*types.TypeParam); ok {
		return embeds(param.Constraint(), of)
	}
	if named, ok := types.Unalias(from).(*types.Named); ok && !isOurs(named.Obj().Pkg()) {
		if named.Origin() == of {
			return true
		}
		if !types.IsInterface(named) {
			return types.Implements(types.NewPointer(named), of.Underlying().(*types.Interface))
		}
	}
	switch underlying := from.Underlying().(type) {
	case *types.Interface:
		for inner := range underlying.EmbeddedTypes() {
			if embeds(inner, of) {
				return true
			}
		}
	case *types.Struct:
		for field := range underlying.Fields() {
			if field.Embedded() && embeds(field.Type(), of) {
				return true
			}
		}
	}
	return false
}

// nameOf returns the name of a type of this repository or of an interface of another module, without type arguments, or "" for
// all other types.
func nameOf(t types.Type) string {
	t = types.Unalias(t)
	if pointer, ok := t.(*types.Pointer); ok {
		return nameOf(pointer.Elem())
	}
	named, ok := t.(*types.Named)
	switch {
	case ok && isOurs(named.Obj().Pkg()):
		return strings.TrimPrefix(strings.TrimPrefix(named.Obj().Pkg().Path(), module), "/") + "." + named.Obj().Name()
	case ok && isForeign(named):
		return named.Obj().Pkg().Path() + "." + named.Obj().Name()
	case ok:
		return ""
	}
	switch of := t.(type) {
	case *types.TypeParam:
		return of.String()
	case *types.Struct:
		if of.NumFields() > 0 {
			return "struct"
		}
	case *types.Interface:
		if of.NumMethods() > 0 {
			return "interface"
		}
	}
	return ""
}

func namedOf(object types.Object) *types.Named {
	name, ok := object.(*types.TypeName)
	if !ok || name.IsAlias() {
		return nil
	}
	named, _ := name.Type().(*types.Named)
	return named
}

func methodsOf(of *types.Named) int {
	return of.Underlying().(*types.Interface).NumMethods()
}

// isForeign reports whether a type is an interface of a module that is neither ours nor Go's.
func isForeign(of *types.Named) bool {
	pkg := of.Obj().Pkg()
	if pkg == nil || isOurs(pkg) || !types.IsInterface(of) {
		return false
	}
	host, _, _ := strings.Cut(pkg.Path(), "/")
	return strings.Contains(host, ".")
}
