package describe

import (
	"go/ast"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// open returns the open questions about the package. calls are the types that methods of kinds send or return.
func (d *Described) open(calls []string) (o Open) {
	if unsure := d.addLacking(calls); !d.Syntax.Dependency {
		o.Calls = unsure
	}
	for _, t := range d.Package.Types {
		isView := markers.Has[markers.View](t.Markers)
		if (t.Markers.MayBeKind() || t.IsCandidate || isView) && isUnclear(d.Syntax.Scope(), t) {
			o.Unclear = append(o.Unclear, t)
		}
		if isView {
			o.Views = append(o.Views, t)
		}
		if len(t.Markers.FieldPaths()) > 0 {
			o.Fields = append(o.Fields, t)
		}
	}
	return o
}

// isUnclear reports whether the syntax does not show that a kind has everything that it needs: it is
// another name for a type, or it or its list embeds metadata through other types, or the metadata is
// missing or has another JSON name.
func isUnclear(in *syntax.Scope, t *input.Type) bool {
	if t.IsGeneric {
		return false // no kind is generic
	}
	declared, list := in.Types[t.Name], in.Types[t.Name+"List"]
	return isReference(in, declared.Spec) || !(t.HasTypeMeta && t.HasObjectMeta) || !hasPlainNames(in, declared, "ObjectMeta") ||
		t.DeclaresList && !(t.HasList && hasPlainNames(in, list, "ListMeta"))
}

// isReference reports whether a type is declared by the name of another one.
func isReference(in *syntax.Scope, spec *ast.TypeSpec) bool {
	switch expr := spec.Type.(type) {
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		return true
	case *ast.Ident:
		_, isLocal := in.Types[expr.Name]
		return isLocal
	}
	return spec.Assign.IsValid()
}
