package load

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// callMethods are the methods that +genclient:method may need of the types that it sends and returns: those of
// runtime.Object, and GetName of what is sent to a URL with its name.
var callMethods = []string{"DeepCopyObject", "GetObjectKind", "GetName"}

// sentOrReturned returns the names of the types of a package that the methods of kinds send or return, sorted.
func sentOrReturned(packages []*input.Package, path string) (names []string) {
	for _, pkg := range packages {
		for method := range pkg.Methods() {
			for _, ref := range []model.TypeRef{method.Input, resultOf(method)} {
				if ref.Name != "" && (ref.Path == path || ref.Path == "" && pkg.Path == path) {
					names = append(names, ref.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// resultOf returns the type that a method returns, or zero if the marker names none.
func resultOf(method markers.Method) model.TypeRef {
	of := method.Result
	if method.Verb == "list" && of.Name != "" {
		of.Name += "List"
	}
	return of
}

// addLacking sets which of callMethods the named types lack, and returns the types that the syntax does not show
// completely.
func (src *source) addLacking(pkg *input.Package, names []string) (unsure []string) {
	for _, name := range names {
		declared, ok := src.scope().types[name]
		if !ok {
			continue
		}
		for _, method := range callMethods {
			switch has, sure := src.scope().provides(declared, method, nil); {
			case method == "DeepCopyObject" && src.writesCopy(declared):
			case !sure && !slices.Contains(unsure, name):
				unsure = append(unsure, name)
			case sure && !has:
				pkg.AddLacking(name, method)
			}
		}
	}
	return unsure
}

// writesCopy reports whether the run writes the methods that copy a kind, a list, or a type that methods of kinds send or
// return.
func (src *source) writesCopy(t typeDecl) bool {
	t = src.scope().resolve(t)
	if !src.copies || t.spec.Assign.IsValid() || t.spec.TypeParams != nil {
		return false
	}
	switch underlying := src.scope().underlying(t, nil).(type) {
	case *ast.Ident: // a string or a number
		return false
	case *ast.StarExpr, *ast.InterfaceType, *ast.FuncType, *ast.ChanType:
		return false
	default:
		return underlying != nil
	}
}

// underlying returns the expression that declares a type without the names of types of the package. outer are the
// types that t declares. It returns nil for a type that is declared by itself.
func (s *scope) underlying(t typeDecl, outer []*ast.TypeSpec) ast.Expr {
	name, ok := t.spec.Type.(*ast.Ident)
	if !ok {
		return t.spec.Type
	}
	local, ok := s.types[name.Name]
	if !ok || slices.Contains(outer, t.spec) {
		return name
	}
	return s.underlying(local, append(outer, t.spec))
}

// provides reports whether a pointer to the type has a method, its own or a promoted one, and whether the syntax of
// the package shows that. outer are the types that t is part of.
func (s *scope) provides(t typeDecl, method string, outer []*ast.TypeSpec) (has, sure bool) {
	if slices.Contains(outer, t.spec) {
		return false, true
	}
	outer = append(outer, t.spec)
	if s.has(t.spec.Name.Name, method) {
		return true, true
	}
	switch expr := t.spec.Type.(type) {
	case *ast.StructType:
		return s.promotes(t.file, expr, method, outer)
	case *ast.InterfaceType:
		return false, len(outer) == 1 // embedded, it promotes its methods
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr, *ast.ParenExpr:
		return false, false
	case *ast.Ident:
		local, ok := s.types[expr.Name]
		if !ok {
			return false, !dotImports(t.file)
		}
		if t.spec.Assign.IsValid() {
			return s.provides(local, method, outer)
		}
		if structType, ok := s.underlying(local, nil).(*ast.StructType); ok { // without the methods of the other type
			return s.promotes(local.file, structType, method, outer)
		}
		return false, local.spec.Type == s.underlying(local, nil)
	}
	return false, true
}

// promotes reports whether a struct has a promoted method, and whether the syntax of the package shows that.
func (s *scope) promotes(file *ast.File, structType *ast.StructType, method string, outer []*ast.TypeSpec) (has, sure bool) {
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
			if local, ok := s.types[typeName(embedded)]; ok {
				fieldHas, fieldSure = s.provides(local, method, outer)
			}
		}
		if fieldHas {
			return true, true
		}
		sure = sure && fieldSure
	}
	return false, sure
}

// dotImports reports whether a file imports a package with a dot, so that any name may be of that package.
func dotImports(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, isDot)
}

// settleCalls sets which of callMethods the types of the question that methods of kinds send or return lack. It
// returns what stays open, or "".
func (q *question) settleCalls(pkg *types.Package) (open string) {
	for _, name := range q.calls {
		of := lookUp(pkg, name)
		if structType, ok := gotype.StructOf(of); !gotype.IsValid(of) || ok && !metaOf(structType).sure {
			open = "type " + name
			continue
		}
		has := gotype.MethodsOf(of)
		for _, method := range callMethods {
			if !has(method) && (method != "DeepCopyObject" || !q.src.writesCopy(q.src.scope().types[name])) {
				q.pkg.AddLacking(name, method)
			}
		}
	}
	return open
}

// addSignatures adds the methods DeepCopyObject of kinds, views and lists whose syntax shows that they are not that of
// runtime.Object.
func (src *source) addSignatures(pkg *input.Package, mistakes *model.Errors) {
	for _, m := range src.scope().methods {
		if m.decl.Name.Name != "DeepCopyObject" || returnsObject(m.decl.Type) {
			continue
		}
		name := receiver(m.decl)
		t := pkg.Type(name)
		if t == nil {
			t = pkg.Type(strings.TrimSuffix(name, "List"))
		}
		if t != nil && (t.Markers.MayBeKind() || markers.Has[markers.View](t.Markers)) {
			mistakes.Add(src.fset.Position(m.decl.Name.Pos()), "method DeepCopyObject of %s has another signature than that of runtime.Object; write: func (in *%s) DeepCopyObject() runtime.Object", name, name)
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

// addMisnamed adds the types that methods of kinds send or return whose metadata or items do not have the JSON names of
// API servers. names are those of the types.
func (src *source) addMisnamed(names []string, mistakes *model.Errors) {
	for _, name := range names {
		declared := src.scope().types[name]
		if declared.spec == nil {
			continue
		}
		for _, f := range src.scope().jsonFields(declared, nil) {
			for _, meta := range []string{"TypeMeta", "ObjectMeta", "ListMeta"} {
				if len(f.field.Names) == 0 && f.name != metaNames[meta] && isMeta(f.file, f.field.Type, meta) {
					mistakes.Add(src.fset.Position(f.field.Pos()), "type %s, which a method of a kind sends or returns, has metav1.%s with another JSON name than API servers use; write: metav1.%s %s", name, meta, meta, metaTags[meta])
				}
			}
			if strings.HasSuffix(name, "List") && len(f.field.Names) == 1 && f.field.Names[0].Name == "Items" && f.name != "items" {
				mistakes.Add(src.fset.Position(f.field.Pos()), "type %s, which a method of a kind returns, has a field Items with another JSON name than API servers use; write: `json:\"items\"`", name)
			}
		}
	}
}
