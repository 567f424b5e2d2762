package load

import (
	"cmp"
	"go/ast"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
)

// untagged looks for fields whose JSON name is not in a tag, in the structs that kinds consist of. Only syntax is
// read, so types of packages outside the run are left out.
type untagged struct {
	packages map[string]*source
	found    map[*source]*input.Package
	seen     map[*ast.TypeSpec]bool
}

// addUntagged adds such fields to the packages.
func addUntagged(described map[*source]*input.Package) {
	u := &untagged{map[string]*source{}, described, map[*ast.TypeSpec]bool{}}
	for src := range described {
		u.packages[src.path] = src
	}
	for src, pkg := range described {
		for _, t := range pkg.Types {
			if t.Markers.MayBeKind() {
				u.visit(src, t.Name)
				u.visit(src, t.Name+"List")
			}
		}
	}
	for _, pkg := range described {
		for _, fields := range [][]input.Field{pkg.Untagged, pkg.Embedding} {
			slices.SortFunc(fields, func(x, y input.Field) int {
				return cmp.Or(cmp.Compare(x.Pos.Filename, y.Pos.Filename), x.Pos.Offset-y.Pos.Offset)
			})
		}
	}
}

// visit looks at a type of a package, and those that it refers to.
func (u *untagged) visit(src *source, name string) {
	t, ok := src.scope().types[name]
	if !ok || u.seen[t.spec] || src.isOutput {
		return
	}
	u.seen[t.spec] = true
	for _, method := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText"} {
		if src.scope().has(name, method) {
			return // its fields do not show its JSON
		}
	}
	ast.Inspect(t.spec.Type, func(node ast.Node) bool {
		if structType, ok := node.(*ast.StructType); ok {
			for _, field := range structType.Fields.List {
				u.field(src, name, field)
			}
		}
		return true
	})
	ast.Inspect(t.spec.Type, func(node ast.Node) bool { return u.refer(src, t.file, node) })
}

// refer visits the type that an expression names. It reports whether to look at the parts of the expression.
func (u *untagged) refer(src *source, file *ast.File, node ast.Node) bool {
	switch node := node.(type) {
	case *ast.Field:
		ast.Inspect(node.Type, func(inner ast.Node) bool { return u.refer(src, file, inner) })
		return false // a name or a tag is no type
	case *ast.SelectorExpr:
		if qualifier, ok := node.X.(*ast.Ident); ok {
			if other := u.packages[importPath(file, qualifier.Name)]; other != nil {
				u.visit(other, node.Sel.Name)
			}
		}
		return false
	case *ast.Ident:
		u.visit(src, node.Name)
	}
	return true
}

// field adds a field of a type to its package.
func (u *untagged) field(src *source, of string, field *ast.Field) {
	tag, names := jsonTag(field), field.Names
	isEmbedded := len(names) == 0
	if name := embeddedName(field.Type); isEmbedded && name != nil {
		names = []*ast.Ident{name}
	}
	if tag.IsHidden || tag.Name != "" || isEmbedded && tag.Exists {
		return
	}
	for _, name := range names {
		found := input.Field{Of: of, Name: name.Name, IsEmbedded: isEmbedded, Pos: src.fset.Position(name.Pos())}
		pkg := u.found[src]
		switch {
		case !name.IsExported():
		case tag.Embeds:
			pkg.Embedding = append(pkg.Embedding, found)
		default:
			pkg.Untagged = append(pkg.Untagged, found)
		}
	}
}
