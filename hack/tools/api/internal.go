package main

import (
	"cmp"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// visible is a type of an internal package that users of a module see, because an exported declaration of
// another package refers to it.
type visible struct {
	*types.TypeName
	by types.Object // the declaration
	// alias reports whether by is another name of the type.
	alias bool
}

// internalTypes returns the types of internal packages that the exported declarations of a module refer to,
// directly or through other such types. A key is the path of a package and a name. apidiff does not compare types of
// other packages.
func (a *api) internalTypes() map[string]visible {
	w := &walker{found: map[string]visible{}, seen: map[types.Type]bool{}}
	var exported []types.Object
	for _, path := range slices.Sorted(maps.Keys(a.packages)) {
		scope := a.packages[path].Scope()
		for _, name := range scope.Names() {
			object := scope.Lookup(name)
			if !object.Exported() {
				continue
			}
			exported = append(exported, object)
			// Users know a type by its alias, so the aliases are recorded before the walk.
			if name, ok := object.(*types.TypeName); ok && name.IsAlias() {
				if named, ok := types.Unalias(name.Type()).(*types.Named); ok {
					w.by, w.alias = name, true
					w.add(named.Obj())
				}
			}
		}
	}
	for _, object := range exported {
		w.by, w.alias = object, false
		w.walk(object.Type())
	}
	return w.found
}

// walker visits the types that a declaration refers to.
type walker struct {
	found map[string]visible
	seen  map[types.Type]bool
	by    types.Object // the declaration
	alias bool
}

// add reports whether a type belongs to an internal package of the repository, and records such a type.
func (w *walker) add(name *types.TypeName) bool {
	if name.Pkg() == nil || !isOurs(name.Pkg().Path()) || !isInternal(name.Pkg().Path()) {
		return false
	}
	key := name.Pkg().Path() + "." + name.Name()
	if _, ok := w.found[key]; !ok {
		w.found[key] = visible{name, w.by, w.alias}
	}
	return true
}

func (w *walker) walk(t types.Type) {
	t = types.Unalias(t)
	if t == nil || w.seen[t] {
		return
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			w.walk(arg)
		}
		if origin := t.Origin(); origin != t {
			w.walk(origin)
			return
		}
		w.named(t)
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() || field.Embedded() {
				w.walk(field.Type())
			}
		}
	case *types.Interface:
		for method := range t.ExplicitMethods() {
			w.walk(method.Type())
		}
		for embedded := range t.EmbeddedTypes() {
			w.walk(embedded)
		}
	case *types.Signature:
		w.parameters(t.TypeParams())
		for v := range t.Params().Variables() {
			w.walk(v.Type())
		}
		for v := range t.Results().Variables() {
			w.walk(v.Type())
		}
	case *types.Union:
		for term := range t.Terms() {
			w.walk(term.Type())
		}
	case *types.Map:
		w.walk(t.Key())
		w.walk(t.Elem())
	case interface{ Elem() types.Type }: // a pointer, a slice, an array or a channel
		w.walk(t.Elem())
	}
}

// named visits a type of an internal package, the declared type, or an unexported one next to it. It ignores the others,
// because users see these as declarations of their own.
func (w *walker) named(t *types.Named) {
	name := t.Obj()
	if !w.add(name) && name != w.by && (name.Pkg() != w.by.Pkg() || name.Exported()) {
		delete(w.seen, t)
		return
	}
	w.parameters(t.TypeParams())
	w.walk(t.Underlying())
	for method := range t.Methods() {
		if method.Exported() {
			w.walk(method.Type())
		}
	}
}

func (w *walker) parameters(list *types.TypeParamList) {
	for parameter := range list.TypeParams() {
		w.walk(parameter.Constraint())
	}
}

// compareInternal returns the differences between the types of internal packages that both versions show. If only one
// shows a type, a declaration that refers to it has changed, which apidiff finds.
func compareInternal(older, newer *api) (changes []change) {
	before, after := older.internalTypes(), newer.internalTypes()
	diffs := map[string][]change{}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		is, ok := after[key]
		if !ok {
			continue
		}
		was := before[key]
		path := was.Pkg().Path()
		if diffs[path] == nil {
			diffs[path] = diff(older, newer, was.Pkg(), is.Pkg())
		}
		for _, c := range diffs[path] {
			name, member, _ := strings.Cut(c.Identifier, ".")
			if name != was.Name() {
				continue
			}
			if was.alias {
				c.Package, c.path, c.Identifier = was.by.Pkg(), was.by.Pkg().Path(), strings.TrimSuffix(was.by.Name()+"."+member, ".")
			} else {
				c.Message += "; users see this type through " + was.by.Pkg().Name() + "." + was.by.Name()
			}
			changes = append(changes, c)
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.path, b.path) })
	return changes
}
