package describe

import (
	"cmp"
	"go/ast"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// untagged looks for fields whose JSON name is not in a tag, in the structs that kinds consist of. Only syntax is
// read, so types of packages outside the run are left out.
type untagged struct {
	run *input.Run
	// packages are by import path.
	packages map[string]*Described
	seen     map[*ast.TypeSpec]bool
}

// addUntagged adds such fields to the packages.
func addUntagged(run *input.Run, packages []*Described) {
	u := &untagged{run, map[string]*Described{}, map[*ast.TypeSpec]bool{}}
	for _, d := range packages {
		u.packages[d.Syntax.Path] = d
	}
	for _, d := range packages {
		for _, t := range d.Package.Types {
			if t.Markers.MayBeKind() {
				u.visit(d, t.Name)
				u.visit(d, t.Name+"List")
			}
		}
	}
	for _, d := range packages {
		for _, fields := range [][]input.Field{d.Package.Untagged, d.Package.Embedding} {
			slices.SortFunc(fields, func(x, y input.Field) int {
				return cmp.Or(cmp.Compare(x.Pos.Filename, y.Pos.Filename), x.Pos.Offset-y.Pos.Offset)
			})
		}
	}
}

// visit looks at a type of a package, and the types that it refers to.
func (u *untagged) visit(d *Described, name string) {
	in := d.Syntax.Scope()
	t, ok := in.Types[name]
	if !ok || u.seen[t.Spec] || u.run.IsOutput(d.Syntax.Path) {
		return
	}
	u.seen[t.Spec] = true
	if in.Has(name, "MarshalJSON") || in.Has(name, "UnmarshalJSON") || in.Has(name, "MarshalText") {
		return // its fields do not show its JSON
	}
	ast.Inspect(t.Spec.Type, func(node ast.Node) bool {
		if structType, ok := node.(*ast.StructType); ok {
			for _, field := range structType.Fields.List {
				d.addUntagged(name, field)
			}
		}
		return true
	})
	ast.Inspect(t.Spec.Type, func(node ast.Node) bool { return u.refer(d, t.File, node) })
}

// refer visits the type that an expression names. It reports whether to look at the parts of the expression.
func (u *untagged) refer(d *Described, file *ast.File, node ast.Node) bool {
	switch node := node.(type) {
	case *ast.Field:
		ast.Inspect(node.Type, func(inner ast.Node) bool { return u.refer(d, file, inner) })
		return false // a name or a tag is no type
	case *ast.SelectorExpr:
		if qualifier, ok := node.X.(*ast.Ident); ok {
			if other := u.packages[syntax.ImportPath(file, qualifier.Name)]; other != nil {
				u.visit(other, node.Sel.Name)
			}
		}
		return false
	case *ast.Ident:
		u.visit(d, node.Name)
	}
	return true
}

// addUntagged adds a field of a type to its package if its JSON name is not in a tag.
func (d *Described) addUntagged(of string, field *ast.Field) {
	tag, names := jsonTag(field), field.Names
	isEmbedded := len(names) == 0
	if name := syntax.EmbeddedName(field.Type); isEmbedded && name != nil {
		names = []*ast.Ident{name}
	}
	if tag.IsHidden || tag.Name != "" || isEmbedded && tag.Exists {
		return
	}
	for _, name := range names {
		found := input.Field{Of: of, Name: name.Name, IsEmbedded: isEmbedded, Pos: d.Syntax.Position(name.Pos())}
		switch {
		case !name.IsExported():
		case tag.Embeds:
			d.Package.Embedding = append(d.Package.Embedding, found)
		default:
			d.Package.Untagged = append(d.Package.Untagged, found)
		}
	}
}
