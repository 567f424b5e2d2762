package main

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// unseen returns the differences between two versions of a package that apidiff does not look for: another name in the
// package clause, other type parameters, other type arguments, and methods that an interface no longer embeds.
// found are the differences that it has found.
func unseen(before, after *types.Package, found []change) (changes []change) {
	add := func(identifier, format string, args ...any) {
		declaration, _, _ := strings.Cut(identifier, ".")
		if !slices.ContainsFunc(found, func(c change) bool { return c.Identifier == identifier && !c.Compatible }) {
			changes = append(changes, change{Package: after, path: after.Path(), Identifier: identifier, declaredIn: declaration, Message: fmt.Sprintf(format, args...)})
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
		if is := allMethods(newer); types.IsInterface(newer.Type()) {
			for _, method := range allMethods(older) {
				if !slices.Contains(is, method) {
					add(name+"."+method, "removed")
				}
			}
		}
		was, is := instances(older), instances(newer)
		for _, member := range slices.Sorted(maps.Keys(was)) {
			if _, ok := is[member]; ok && was[member] != is[member] {
				add(name+member, "type arguments changed from %s to %s", was[member], is[member])
			}
		}
	}
	return changes
}

// describeParameters returns the type parameters of a function or a type by position, because their names do not
// matter to users. A constraint without an exported name is written out.
func describeParameters(object types.Object, pkg *types.Package) string {
	generic, ok := object.Type().(interface{ TypeParams() *types.TypeParamList })
	if !ok {
		return ""
	}
	var all []string
	for parameter := range generic.TypeParams().TypeParams() {
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
