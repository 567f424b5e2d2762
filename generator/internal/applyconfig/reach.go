package applyconfig

import (
	"cmp"
	"go/types"
	"path"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// reach adds the configs of the kinds that can be applied, of the types that their methods apply, and of
// all types that these consist of.
func (a *assembly) reach() {
	r := &reaching{assembly: a, kinds: map[identity]*model.Kind{}, seen: map[types.Type]bool{}, depths: map[*types.Package]int{}}
	for _, k := range a.Set.Kinds() {
		if declared := a.Types.Lookup(k.Ref()); declared != nil {
			r.addKind(k, declared)
		}
	}
	for _, k := range a.Set.Kinds() {
		if declared := a.Types.Lookup(k.Ref()); declared != nil && k.NeedsApply() {
			r.visit(declared.Type())
			if id := identify(declared.Type()); r.kinds[id] != k && a.configs[id] != nil {
				r.add(a.configs[id].of, k)
			}
		}
		for _, m := range k.Methods {
			if m.Has("apply") {
				r.visitInput(m)
			}
		}
	}
}

// reaching visits types once.
type reaching struct {
	*assembly
	// kinds are the kinds of the set by their types. If a type is several kinds, this is the first one.
	kinds  map[identity]*model.Kind
	seen   map[types.Type]bool
	depths map[*types.Package]int
}

// addKind records the type of a kind, which may be declared as an alias. If the package of the type is not in
// the run, the apply configurations of its other types are next to the one of the alias.
func (r *reaching) addKind(k *model.Kind, declared *types.TypeName) {
	id := identify(declared.Type())
	if id.declared == nil {
		return
	}
	if r.kinds[id] == nil {
		r.kinds[id] = k
	}
	if h := r.homes[k.Package.Path]; h != nil && r.homes[id.declared.Pkg().Path()] == nil {
		r.homes[id.declared.Pkg().Path()] = h
	}
}

// visitInput visits the type whose apply configuration a method takes, if this run generates it.
func (r *reaching) visitInput(m *model.Method) {
	for importPath, h := range r.homes {
		if path.Join(r.Set.ApplyPackage, h.out.Dir) != m.Input.Path {
			continue
		}
		of := model.TypeRef{Path: importPath, Name: strings.TrimSuffix(m.Input.Name, model.ApplySuffix)}
		declared := r.Types.Lookup(of)
		if declared == nil {
			continue
		}
		r.visit(declared.Type())
		r.inputs = append(r.inputs, methodInput{m, of, r.configs[identify(declared.Type())]})
	}
}

// checkInputs adds an error for each method that cannot be called with an apply configuration.
func (a *assembly) checkInputs() {
	for _, in := range a.inputs {
		hasName := func(g model.ApplyGetter) bool { return g.Field == "Name" }
		switch {
		case in.config == nil:
			a.errs.Add(in.method.Pos, "method %s takes an apply configuration of %s, which is not a struct with fields in JSON; "+
				"write another type as input=…", in.method.Name, in.of.Name)
		case in.method.Subresource == "" && !slices.ContainsFunc(in.config.out.Getters, hasName):
			a.errs.Add(in.method.Pos, "method %s takes an apply configuration of %s, which has no metadata with a name; "+
				"write another type as input=…, or a subresource=…", in.method.Name, in.of.Name)
		}
	}
}

func (r *reaching) visit(t types.Type) {
	t = types.Unalias(t)
	if r.seen[t] {
		return
	}
	r.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		r.addReached(t)
		for arg := range t.TypeArgs().Types() {
			r.visit(arg)
		}
		r.visit(t.Underlying())
	case *types.Pointer:
		r.visit(t.Elem())
	case *types.Slice:
		r.visit(t.Elem())
	case *types.Array:
		r.visit(t.Elem())
	case *types.Map:
		r.visit(t.Key())
		r.visit(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if tag := gotype.JSONTagOf(t, i); !tag.IsHidden {
				r.visit(t.Field(i).Type())
			}
		}
	}
}

// addReached adds the config of a type if it is a struct in a package of the run. An instance of a generic type has
// one config, although go/types has several types for it.
func (r *reaching) addReached(t *types.Named) {
	id := identify(t)
	if id.declared == nil || r.homes[id.declared.Pkg().Path()] == nil || !hasJSONFields(t) {
		return
	}
	if c := r.configs[id]; c != nil {
		c.spelled = min(c.spelled, spelledName(t))
	} else {
		r.configs[id] = r.add(t, r.kinds[id])
	}
}

// add adds the config of a type, which may be a kind.
func (r *reaching) add(t *types.Named, k *model.Kind) *config {
	declared := t.Obj()
	c := &config{of: t, home: r.homeOf(t), spelled: spelledName(t), out: &model.ApplyType{
		Of:  model.TypeRef{Path: declared.Pkg().Path(), Name: declared.Name()},
		Pos: r.Types.Position(declared),
	}}
	c.setName(c.spelled)
	if k != nil {
		c.home = r.homes[k.Package.Path]
		c.setName(k.Name)
		c.out.Kind, c.out.Pos = k, k.Pos
		c.out.Of = k.Ref()
		if structType, ok := gotype.StructOf(t); ok && k.NeedsApply() {
			c.out.SchemaName, c.out.Subresources = r.Types.OpenAPIName(t), subresources(k, structType)
		}
	}
	r.all = append(r.all, c)
	return c
}

// homeOf returns the home of a type. An instance of a generic type is next to that type or to one of the type
// arguments: the one whose package imports the others, so that no apply configurations import each other.
func (r *reaching) homeOf(t *types.Named) *home {
	last := t.Obj().Pkg()
	var visit func(types.Type)
	visit = func(t types.Type) {
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			pkg := t.Obj().Pkg()
			isHome := pkg != nil && r.homes[pkg.Path()] != nil
			if isHome && cmp.Or(r.depth(pkg)-r.depth(last), strings.Compare(pkg.Path(), last.Path())) > 0 {
				last = pkg
			}
			for arg := range t.TypeArgs().Types() {
				visit(arg)
			}
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case interface{ Elem() types.Type }:
			visit(t.Elem())
		}
	}
	for arg := range t.TypeArgs().Types() {
		visit(arg)
	}
	return r.homes[last.Path()]
}

// depth returns a number that is greater than the number of each package that pkg imports.
func (r *reaching) depth(pkg *types.Package) int {
	if depth, ok := r.depths[pkg]; ok {
		return depth
	}
	r.depths[pkg] = 0 // for import cycles, which do not compile
	depth := 0
	for _, imported := range pkg.Imports() {
		depth = max(depth, r.depth(imported)+1)
	}
	r.depths[pkg] = depth
	return depth
}

// hasJSONFields reports whether a type is a struct that JSON encodes field by field, and at least one of
// the fields has a tag.
func hasJSONFields(t types.Type) bool { return hasTag(t, nil) }

// hasTag reports the same as hasJSONFields. outer are the types that embed t.
func hasTag(t types.Type, outer []types.Type) bool {
	structType, ok := gotype.StructOf(t)
	if !ok || gotype.EncodesItself(t) || slices.Contains(outer, t) {
		return false
	}
	for i := range structType.NumFields() {
		field, tag := structType.Field(i), gotype.JSONTagOf(structType, i)
		if tag.Exists && !tag.IsHidden || !tag.Exists && field.Embedded() && hasTag(withoutPointers(field.Type()), append(outer, t)) {
			return true
		}
	}
	return false
}
