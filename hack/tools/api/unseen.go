package main

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// unseen returns the differences between two versions of a package that apidiff does not look for: another name in the
// package clause, other type parameters, other type arguments, and methods that an interface no longer embeds.
// found are the differences that it has found.
func unseen(before, after *types.Package, found []change) (changes []change) {
	add := func(identifier, format string, args ...any) {
		declared, _, _ := strings.Cut(identifier, ".")
		if !slices.ContainsFunc(found, func(c change) bool { return c.Identifier == identifier && !c.Compatible }) {
			changes = append(changes, change{Package: after, path: after.Path(), Identifier: identifier, declared: declared, Message: fmt.Sprintf(format, args...)})
		}
	}
	if before.Name() != after.Name() {
		add("", "package name changed from %s to %s", before.Name(), after.Name())
	}
	for _, name := range before.Scope().Names() {
		older, newer := before.Scope().Lookup(name), after.Scope().Lookup(name)
		if !older.Exported() || newer == nil {
			continue
		}
		if was, is := describeParameters(older, before), describeParameters(newer, after); was != is {
			add(name, "type parameters changed from [%s] to [%s]", was, is)
		}
		for _, method := range embedded(older) {
			if !slices.Contains(allMethods(newer), method) {
				add(name+"."+method, "removed")
			}
		}
		members := instances(newer)
		for member, was := range instances(older) {
			if is, ok := members[member]; ok && was != is {
				add(name+member, "type arguments changed from %s to %s", was, is)
			}
		}
	}
	return changes
}

// describeParameters returns the type parameters of a function or a type by position, because their names do not
// matter to users. A constraint without an exported name is written out.
func describeParameters(object types.Object, pkg *types.Package) string {
	var list *types.TypeParamList
	switch t := types.Unalias(object.Type()).(type) {
	case *types.Signature:
		list = t.TypeParams()
	case *types.Named:
		list = t.TypeParams()
	}
	if alias, ok := object.Type().(*types.Alias); ok {
		list = alias.TypeParams()
	}
	var all []string
	for parameter := range list.TypeParams() {
		constraint := parameter.Constraint()
		if named, ok := types.Unalias(constraint).(*types.Named); ok && named.Obj().Pkg() != nil && !named.Obj().Exported() && named.TypeArgs().Len() == 0 {
			constraint = named.Underlying()
		}
		text := types.TypeString(constraint, func(p *types.Package) string {
			if p.Path() == pkg.Path() {
				return ""
			}
			return p.Path()
		})
		all = append(all, cmp.Or(strings.TrimSpace(text), "any"))
	}
	return strings.Join(all, ", ")
}

// embedded returns the exported methods that an interface has only because it embeds others.
func embedded(object types.Object) []string {
	methods := allMethods(object)
	if len(methods) == 0 {
		return nil
	}
	i := object.Type().Underlying().(*types.Interface)
	for m := range i.ExplicitMethods() {
		methods = slices.DeleteFunc(methods, func(name string) bool { return name == m.Name() })
	}
	return methods
}

// allMethods returns the exported methods of an interface type. It returns nil for other objects.
func allMethods(object types.Object) (names []string) {
	if _, isType := object.(*types.TypeName); !isType {
		return nil
	}
	i, ok := object.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for m := range i.Methods() {
		if m.Exported() {
			names = append(names, m.Name())
		}
	}
	return names
}
