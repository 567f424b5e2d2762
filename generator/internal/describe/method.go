package describe

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// CallMethods are the methods that +genclient:method may need of the types that it sends and returns: the
// methods of runtime.Object, and GetName of an object that is sent to a URL with its name.
var CallMethods = []string{"DeepCopyObject", "GetObjectKind", "GetName"}

// sentOrReturned returns the names of the types of a package that the methods of kinds send or return, sorted.
func sentOrReturned(packages []*input.Package, path string) (names []string) {
	for _, pkg := range packages {
		for method := range pkg.Methods() {
			for _, ref := range []model.TypeRef{method.Input, ResultOf(method)} {
				if ref.Name != "" && (ref.Path == path || ref.Path == "" && pkg.Path == path) {
					names = append(names, ref.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ResultOf returns the type that a method returns, or zero if the marker names none.
func ResultOf(method markers.Method) model.TypeRef {
	of := method.Result
	if method.Verb == "list" && of.Name != "" {
		of.Name += "List"
	}
	return of
}

// addLacking sets which of CallMethods the named types lack, and returns the types that the syntax does not show
// completely.
func (d *Described) addLacking(names []string) (unsure []string) {
	in := d.Syntax.Scope()
	for _, name := range names {
		declared, ok := in.Types[name]
		if !ok {
			continue
		}
		for _, method := range CallMethods {
			switch has, sure := provides(in, declared, method, nil); {
			case method == "DeepCopyObject" && d.writesCopy(declared):
			case !sure && !slices.Contains(unsure, name):
				unsure = append(unsure, name)
			case sure && !has:
				d.Package.AddLacking(name, method)
			}
		}
	}
	return unsure
}

// WritesCopy reports whether the run writes the methods that copy a type of the package: a kind, a list, or a type that
// methods of kinds send or return.
func (d *Described) WritesCopy(name string) bool { return d.writesCopy(d.Syntax.Scope().Types[name]) }

func (d *Described) writesCopy(t syntax.TypeDecl) bool {
	t = d.Syntax.Scope().Resolve(t)
	if !d.copies || t.Spec.Assign.IsValid() || t.Spec.TypeParams != nil {
		return false
	}
	switch d.Syntax.Scope().Underlying(t).(type) {
	case *ast.Ident: // a string or a number
		return false
	case *ast.StarExpr, *ast.InterfaceType, *ast.FuncType, *ast.ChanType:
		return false
	}
	return true
}

// provides reports whether a pointer to the type has a method, its own or a promoted one, and whether the syntax of
// the package shows that. outer are the types that t is part of.
func provides(in *syntax.Scope, t syntax.TypeDecl, method string, outer []*ast.TypeSpec) (has, sure bool) {
	if slices.Contains(outer, t.Spec) {
		return false, true
	}
	outer = append(outer, t.Spec)
	if in.Has(t.Spec.Name.Name, method) {
		return true, true
	}
	switch expr := t.Spec.Type.(type) {
	case *ast.StructType:
		return promotes(in, t.File, expr, method, outer)
	case *ast.InterfaceType:
		return false, len(outer) == 1 // embedded, it promotes its methods
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr, *ast.ParenExpr:
		return false, false
	case *ast.Ident:
		local, ok := in.Types[expr.Name]
		if !ok {
			return false, !syntax.HasDotImport(t.File)
		}
		if t.Spec.Assign.IsValid() {
			return provides(in, local, method, outer)
		}
		if structType, ok := in.Underlying(local).(*ast.StructType); ok { // without the methods of the other type
			return promotes(in, local.File, structType, method, outer)
		}
		return false, local.Spec.Type == in.Underlying(local)
	}
	return false, true
}

// promotes reports whether a struct has a promoted method, and whether the syntax of the package shows that.
func promotes(in *syntax.Scope, file *ast.File, structType *ast.StructType, method string, outer []*ast.TypeSpec) (has, sure bool) {
	sure = true
	for _, field := range structType.Fields.List {
		if len(field.Names) > 0 {
			continue
		}
		fieldHas, fieldSure := false, false
		embedded := field.Type
		if star, ok := embedded.(*ast.StarExpr); ok {
			embedded = star.X
		}
		switch selector, isSelector := embedded.(*ast.SelectorExpr); {
		case isSelector && isMeta(file, selector, "TypeMeta"):
			fieldHas, fieldSure = method == "GetObjectKind", true
		case isSelector && isMeta(file, selector, "ObjectMeta"):
			fieldHas, fieldSure = method == "GetName", true
		case isSelector && isMeta(file, selector, "ListMeta"):
			fieldSure = true
		default:
			if local, ok := in.Types[syntax.TypeName(embedded)]; ok {
				fieldHas, fieldSure = provides(in, local, method, outer)
			}
		}
		if fieldHas {
			return true, true
		}
		sure = sure && fieldSure
	}
	return false, sure
}

// addSignatures adds an error for each method DeepCopyObject of a kind, a view or a list whose syntax shows that it does not
// implement runtime.Object.
func (d *Described) addSignatures(errs *model.Errors) {
	for _, m := range d.Syntax.Scope().Methods {
		if m.Decl.Name.Name != "DeepCopyObject" || returnsObject(m.Decl.Type) {
			continue
		}
		name := syntax.Receiver(m.Decl)
		t := d.Package.Type(name)
		if t == nil {
			t = d.Package.Type(strings.TrimSuffix(name, "List"))
		}
		if t != nil && (t.Markers.MayBeKind() || markers.Has[markers.View](t.Markers)) {
			errs.Add(d.Syntax.Position(m.Decl.Name.Pos()),
				"method DeepCopyObject of %s has another signature than that of runtime.Object; "+
					"write: func (in *%s) DeepCopyObject() runtime.Object", name, name)
		}
	}
}

// returnsObject reports whether a method may take nothing and return a runtime.Object, whose name may be an alias.
func returnsObject(signature *ast.FuncType) bool {
	if signature.Params.NumFields() > 0 || signature.Results.NumFields() != 1 {
		return false
	}
	switch signature.Results.List[0].Type.(type) {
	case *ast.SelectorExpr, *ast.Ident:
		return true
	}
	return false
}

// addMisnamed adds an error for each of the named types, which methods of kinds send or return, whose metadata or items do
// not have the JSON names of API servers.
func (d *Described) addMisnamed(names []string, errs *model.Errors) {
	for _, name := range names {
		declared := d.Syntax.Scope().Types[name]
		if declared.Spec == nil {
			continue
		}
		for _, f := range jsonFields(d.Syntax.Scope(), declared, nil) {
			pos := d.Syntax.Position(f.field.Pos())
			for _, meta := range []string{"TypeMeta", "ObjectMeta", "ListMeta"} {
				if len(f.field.Names) == 0 && f.name != gotype.Metas[meta].JSONName && isMeta(f.file, f.field.Type, meta) {
					errs.Add(pos, "type %s, which a method of a kind sends or returns, "+
						"has metav1.%s with another JSON name than API servers use; write: metav1.%s %s", name, meta, meta, gotype.Metas[meta].Tag)
				}
			}
			if strings.HasSuffix(name, "List") && len(f.field.Names) == 1 && f.field.Names[0].Name == "Items" && f.name != "items" {
				errs.Add(pos, "type %s, which a method of a kind returns, has a field Items with another JSON name than API servers use; "+
					"write: `json:\"items\"`", name)
			}
		}
	}
}
