package main

import (
	"fmt"
	"go/types"
	"strings"
)

// instances returns the instances of generic types, such as iter.Seq[int], in the declaration of an object and in those
// of its exported fields and methods. The keys are "" and the names of these, such as ".Items".
func instances(object types.Object) map[string]string {
	found := map[string]string{"": ""}
	collect := func(member string, t types.Type) {
		var names []string
		walk(t, func(name string) { names = append(names, name) })
		found[member] = strings.Join(names, ", ")
	}
	name, isType := object.(*types.TypeName)
	if !isType {
		collect("", object.Type())
		return found
	}
	if alias, ok := name.Type().(*types.Alias); ok {
		collect("", alias.Rhs())
		return found
	}
	named, ok := name.Type().(*types.Named)
	if !ok {
		return found
	}
	for method := range named.Methods() {
		if method.Exported() {
			collect("."+method.Name(), method.Type())
		}
	}
	switch t := named.Underlying().(type) {
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() {
				collect("."+field.Name(), field.Type())
			}
		}
	case *types.Interface:
		for method := range t.ExplicitMethods() {
			if method.Exported() {
				collect("."+method.Name(), method.Type())
			}
		}
	default:
		collect("", t)
	}
	return found
}

// declared is a type with a name: *types.Named or *types.Alias.
type declared interface {
	Obj() *types.TypeName
	TypeArgs() *types.TypeList
}

// walk calls found for each instance of a generic type in t, which is not looked into: its arguments are in its name.
func walk(t types.Type, found func(name string)) {
	switch t := t.(type) {
	case declared:
		if t.TypeArgs().Len() > 0 {
			found(describe(t))
		}
	case *types.Pointer:
		walk(t.Elem(), found)
	case *types.Slice:
		walk(t.Elem(), found)
	case *types.Array:
		walk(t.Elem(), found)
	case *types.Chan:
		walk(t.Elem(), found)
	case *types.Map:
		walk(t.Key(), found)
		walk(t.Elem(), found)
	case *types.Signature:
		for parameter := range t.Params().Variables() {
			walk(parameter.Type(), found)
		}
		for result := range t.Results().Variables() {
			walk(result.Type(), found)
		}
	case *types.Struct:
		for field := range t.Fields() {
			walk(field.Type(), found)
		}
	case *types.Interface:
		for method := range t.ExplicitMethods() {
			walk(method.Type(), found)
		}
	}
}

// describe returns the name of an instance. Type parameters in it have numbers, because their names do not matter to users.
func describe(t declared) string {
	name := t.Obj().Name()
	if pkg := t.Obj().Pkg(); pkg != nil {
		name = pkg.Path() + "." + name
	}
	var all []string
	for argument := range t.TypeArgs().Types() {
		all = append(all, describeArgument(argument))
	}
	return name + "[" + strings.Join(all, ", ") + "]"
}

// describeArgument returns a type argument as text.
func describeArgument(t types.Type) string {
	switch t := t.(type) {
	case *types.TypeParam:
		return fmt.Sprintf("#%d", t.Index())
	case *types.Pointer:
		return "*" + describeArgument(t.Elem())
	case *types.Slice:
		return "[]" + describeArgument(t.Elem())
	case *types.Map:
		return "map[" + describeArgument(t.Key()) + "]" + describeArgument(t.Elem())
	case declared:
		if t.TypeArgs().Len() > 0 {
			return describe(t)
		}
	case *types.Signature:
		var parts []string
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			var all []string
			for v := range list.Variables() {
				all = append(all, describeArgument(v.Type()))
			}
			parts = append(parts, "("+strings.Join(all, ", ")+")")
		}
		return "func" + strings.Join(parts, "")
	}
	return types.TypeString(t, (*types.Package).Path)
}
