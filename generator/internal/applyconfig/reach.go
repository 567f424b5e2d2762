package applyconfig

import (
	"go/types"
	"path"
	"reflect"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// reach adds the configs of the kinds that can be applied, of the types that their methods apply, and of
// all types that these consist of.
func (a *assembly) reach() {
	r := &reaching{assembly: a, seen: map[types.Type]bool{}}
	for declared, k := range a.kinds {
		if k.NeedsApply() {
			r.visit(declared.Type())
		}
		for _, m := range k.Methods {
			if m.Has("apply") {
				r.visitInput(m.Input)
			}
		}
	}
}

// reaching visits types once.
type reaching struct {
	*assembly
	seen map[types.Type]bool
}

// visitInput visits the type whose apply configuration a method takes.
func (r *reaching) visitInput(of model.TypeRef) {
	for _, h := range r.homes {
		if path.Join(r.Set.ApplyPackage, h.out.Dir) != of.Path {
			continue
		}
		if declared := r.Types.Lookup(model.TypeRef{Path: h.pkg.Path, Name: strings.TrimSuffix(of.Name, model.ApplySuffix)}); declared != nil {
			r.visit(declared.Type())
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
		r.add(t)
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
			if tag := tagOf(t, i); !tag.isHidden {
				r.visit(t.Field(i).Type())
			}
		}
	}
}

// add makes the config of a struct in a package of the run.
func (r *reaching) add(t *types.Named) {
	declared := declaredBy(t)
	if declared == nil || r.homes[declared.Pkg().Path()] == nil || !hasJSONFields(t) {
		return
	}
	h := r.homes[declared.Pkg().Path()]
	name := upperFirst(declared.Name())
	k := r.kinds[declared]
	if k != nil {
		name = k.Name // which may be an alias
	}
	c := &config{declared, h, &model.ApplyType{Of: model.TypeRef{Path: declared.Pkg().Path(), Name: declared.Name()}, Name: name, File: strings.ToLower(name), Kind: k, Pos: r.Types.Position(declared)}}
	r.configs[declared] = c
}

// hasJSONFields reports whether a type is a struct that JSON encodes field by field, and at least one of
// the fields has a tag.
func hasJSONFields(t *types.Named) bool {
	structType, ok := gotype.StructOf(t)
	if !ok || gotype.EncodesItself(t) {
		return false
	}
	for i := range structType.NumFields() {
		if tag := tagOf(structType, i); tag.exists && !tag.isHidden {
			return true
		}
	}
	return false
}

// tag is the tag of a field with the key json.
type tag struct {
	name string
	// exists reports whether there is a tag, and isHidden whether it leaves the field out of JSON.
	exists, isHidden bool
	// isQuoted reports whether it has the option string.
	isQuoted bool
}

func tagOf(of *types.Struct, i int) tag {
	text, exists := reflect.StructTag(of.Tag(i)).Lookup("json")
	name, options, _ := strings.Cut(text, ",")
	found := tag{name: name, exists: exists, isHidden: text == "-"}
	for option := range strings.SplitSeq(options, ",") {
		found.isQuoted = found.isQuoted || option == "string"
	}
	return found
}
