package compare

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// Tree is the output of one generator, with its types.
type Tree struct {
	// Path is the import path of the folder that all packages are below of.
	Path string
	// Packages are by their path below Path; "." is the package of Path itself.
	Packages map[string]*types.Package
}

// API returns where the exported API of ours lacks or changes something of
// theirs, ordered by package and name. More packages of theirs may count as packages of ours.
func API(theirs, ours *Tree, more ...Move) []Difference {
	moves := append([]Move{{theirs.Path, ours.Path}}, slices.DeleteFunc(more, func(m Move) bool { return m.Theirs == "" })...)
	c := &comparison{mapping: moves}
	for _, path := range slices.Sorted(maps.Keys(theirs.Packages)) {
		c.pkg = path
		pkg, ok := ours.Packages[path]
		if !ok {
			c.report(Difference{Kind: Missing, Theirs: "package"})
			continue
		}
		c.packages(theirs.Packages[path], pkg)
	}
	return c.differences
}

// comparison collects the differences of one package after the other.
type comparison struct {
	mapping
	pkg         string
	differences []Difference
}

func (c *comparison) report(d Difference) {
	d.Package = c.pkg
	c.differences = append(c.differences, d)
}

func (c *comparison) missing(name string, theirs types.Object) {
	c.report(Difference{Name: name, Kind: Missing, Theirs: c.describe(theirs)})
}

func (c *comparison) changed(name string, theirs, ours types.Object) {
	c.report(Difference{Name: name, Kind: Changed, Theirs: c.describe(theirs), Ours: c.describe(ours)})
}

func (c *comparison) packages(theirs, ours *types.Package) {
	for _, name := range theirs.Scope().Names() { // sorted
		if !token.IsExported(name) {
			continue
		}
		x, y := theirs.Scope().Lookup(name), ours.Scope().Lookup(name)
		if y == nil {
			c.missing(name, x)
			continue
		}
		c.objects(name, x, y)
	}
}

func (c *comparison) objects(name string, theirs, ours types.Object) {
	same := false
	switch x := theirs.(type) {
	case *types.Const:
		y, ok := ours.(*types.Const)
		same = ok && c.identical(x.Type(), y.Type()) && constant.Compare(x.Val(), token.EQL, y.Val())
	case *types.Var:
		y, ok := ours.(*types.Var)
		same = ok && c.identical(x.Type(), y.Type())
	case *types.Func:
		y, ok := ours.(*types.Func)
		same = ok && c.identical(x.Type(), y.Type())
	case *types.TypeName:
		if y, ok := ours.(*types.TypeName); ok {
			c.typeNames(name, x, y)
			return
		}
	}
	if !same {
		c.changed(name, theirs, ours)
	}
}

func (c *comparison) typeNames(name string, theirs, ours *types.TypeName) {
	if theirs.IsAlias() {
		if !c.identical(theirs.Type(), ours.Type()) {
			c.changed(name, theirs, ours)
		}
		return
	}
	switch x := theirs.Type().Underlying().(type) {
	case *types.Interface:
		y, ok := ours.Type().Underlying().(*types.Interface)
		if !ok || !c.sameTypeParams(theirs, ours) || !c.sameTypeSet(x, y) {
			c.changed(name, theirs, ours)
			return
		}
		c.interfaces(name, x, y)
		return
	case *types.Struct:
		if _, ok := ours.Type().Underlying().(*types.Struct); !ok || !c.sameTypeParams(theirs, ours) {
			c.changed(name, theirs, ours)
			return
		}
		c.fields(name, theirs, ours)
	default:
		if !c.sameTypeParams(theirs, ours) || !c.identical(x, ours.Type().Underlying()) {
			c.changed(name, theirs, ours)
			return
		}
	}
	// A value has the first set, and whoever has it in a variable has the second.
	c.methods(name, theirs.Type(), ours.Type())
	c.methods("*"+name, types.NewPointer(theirs.Type()), types.NewPointer(ours.Type()))
}

// sameTypeParams compares what defined types are generic in. An alias of ours may
// stand for a type that is not defined.
func (c *comparison) sameTypeParams(theirs, ours *types.TypeName) bool {
	var y *types.TypeParamList
	if named, ok := types.Unalias(ours.Type()).(*types.Named); ok {
		y = named.TypeParams()
	}
	return c.sameParams(theirs.Type().(*types.Named).TypeParams(), y)
}

// interfaces compares both ways: who implements theirs has to implement ours.
func (c *comparison) interfaces(name string, theirs, ours *types.Interface) {
	methods := map[string]*types.Func{}
	for method := range ours.Methods() {
		methods[method.Name()] = method
	}
	for x := range theirs.Methods() {
		y := methods[x.Name()]
		delete(methods, x.Name())
		switch {
		case y == nil:
			c.missing(name+"."+x.Name(), x)
		case !c.identical(x.Type(), y.Type()):
			c.changed(name+"."+x.Name(), x, y)
		}
	}
	for _, method := range slices.Sorted(maps.Keys(methods)) {
		c.report(Difference{Name: name + "." + method, Kind: Extra, Ours: c.describe(methods[method])})
	}
}

// methods compares method sets, with what is promoted. What a pointer has because
// its type has it is compared there.
func (c *comparison) methods(name string, theirs, ours types.Type) {
	theirSet, ourSet := types.NewMethodSet(theirs), types.NewMethodSet(ours)
	var values *types.MethodSet
	if pointer, ok := theirs.(*types.Pointer); ok {
		values = types.NewMethodSet(pointer.Elem())
	}
	for selection := range theirSet.Methods() {
		x := selection.Obj()
		if !x.Exported() || values != nil && values.Lookup(x.Pkg(), x.Name()) != nil {
			continue
		}
		y := ourSet.Lookup(nil, x.Name())
		switch {
		case y == nil:
			c.missing(name+"."+x.Name(), x)
		case !c.identical(selection.Type(), y.Type()):
			c.changed(name+"."+x.Name(), x, y.Obj())
		}
	}
}

// fields compares the exported fields, with what is promoted.
func (c *comparison) fields(name string, theirs, ours *types.TypeName) {
	for _, field := range exportedFields(theirs.Type(), map[types.Type]bool{}) {
		x, _, _ := types.LookupFieldOrMethod(theirs.Type(), true, theirs.Pkg(), field)
		if _, ok := x.(*types.Var); !ok {
			continue // hidden, or ambiguous
		}
		y, _, _ := types.LookupFieldOrMethod(ours.Type(), true, ours.Pkg(), field)
		switch ourField, ok := y.(*types.Var); {
		case y == nil:
			c.missing(name+"."+field, x)
		case !ok || !c.sameField(x.(*types.Var), ourField):
			c.changed(name+"."+field, x, y)
		}
	}
	c.tags(name, theirs.Type().Underlying().(*types.Struct), ours.Type().Underlying().(*types.Struct))
}

// tags compares the tags of the exported fields that a struct declares itself. A tagged
// field more is a difference too: it is a member more of the encoded object.
func (c *comparison) tags(name string, theirs, ours *types.Struct) {
	tags := map[string]string{}
	for i := range theirs.NumFields() {
		tags[theirs.Field(i).Name()] = theirs.Tag(i)
	}
	for i := range ours.NumFields() {
		field, tag := ours.Field(i), ours.Tag(i)
		if !field.Exported() {
			continue
		}
		switch their, ok := tags[field.Name()]; {
		case !ok && tag != "":
			c.report(Difference{Name: name + "." + field.Name(), Kind: Extra, Ours: c.describe(field) + " `" + tag + "`"})
		case ok && tag != their:
			c.report(Difference{Name: name + "." + field.Name(), Kind: Changed, Theirs: "tag `" + their + "`", Ours: "tag `" + tag + "`"})
		}
	}
}

// exportedFields are the names of the fields of a struct, and of those that it
// embeds.
func exportedFields(t types.Type, seen map[types.Type]bool) []string {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || seen[t] {
		return nil
	}
	seen[t] = true
	var names []string
	for field := range s.Fields() {
		if field.Exported() {
			names = append(names, field.Name())
		}
		if field.Embedded() {
			names = append(names, exportedFields(field.Type(), seen)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// describe prints an object without the name, which the difference has.
func (c *comparison) describe(object types.Object) string {
	switch object := object.(type) {
	case *types.TypeName:
		if _, ok := object.Type().Underlying().(*types.Interface); ok {
			return "interface"
		}
		if _, ok := object.Type().Underlying().(*types.Struct); ok {
			return "struct"
		}
		return "type " + c.typeString(object.Type().Underlying())
	case *types.Const:
		return "const " + c.typeString(object.Type()) + " = " + object.Val().String()
	case *types.Var:
		if object.Embedded() {
			return "embedded field " + c.typeString(object.Type())
		}
		if object.IsField() {
			return "field " + c.typeString(object.Type())
		}
		return "var " + c.typeString(object.Type())
	}
	return c.typeString(object.Type())
}

// typeString leaves out what makes types long: the beginnings of well-known paths.
func (c *comparison) typeString(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string {
		path := pkg.Path()
		prefixes := []string{c.mapping[0].Theirs, c.mapping[0].Ours, "k8s.io", "github.com/typedinformers/informer-gen"}
		for _, prefix := range prefixes {
			if rest, ok := strings.CutPrefix(path, prefix+"/"); ok {
				return rest
			}
		}
		return path
	})
}
