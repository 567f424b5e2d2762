package load

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// typesOfSyntax type-checks the package by itself: what it imports is empty, but
// for the names of TypeMeta, ObjectMeta and ListMeta, and all that comes from there
// is of an invalid type. Nothing is read from disk. It tells all about types that
// the package declares.
func typesOfSyntax(src *source) *types.Package {
	pkg, _ := checkTypes(src.path, src.fset, src.files, emptyImporter{}) // there are many errors, of what is not there
	return pkg
}

// checkTypes type-checks the declarations of a package, and returns what it knows of them. It
// knows nothing of a package with a generic type that embeds instances of itself without
// end: go/types looks for the methods of such a type forever.
func checkTypes(path string, fset *token.FileSet, files []*ast.File, importer types.Importer) (pkg *types.Package, errs []types.Error) {
	config := types.Config{
		Importer:         importer,
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Error: func(err error) {
			var typeError types.Error
			if errors.As(err, &typeError) {
				errs = append(errs, typeError)
			}
		},
	}
	defer func() {
		if failure := recover(); failure != nil { // some generic types that do not compile make go/types panic
			pkg = types.NewPackage(path, files[0].Name.Name)
			pkg.MarkComplete()
			errs = []types.Error{{Fset: fset, Pos: files[0].Package, Msg: fmt.Sprintf("package %s makes the type checker of Go panic: %v", path, failure)}}
		}
	}()
	pkg, _ = config.Check(path, fset, files, nil)
	for _, name := range pkg.Scope().Names() {
		declared := pkg.Scope().Lookup(name)
		if _, isType := declared.(*types.TypeName); isType && embedsWithoutEnd(declared.Type(), nil, map[types.Type]bool{}) {
			pkg = types.NewPackage(path, pkg.Name())
			pkg.MarkComplete()
			endless := types.Error{Fset: fset, Pos: declared.Pos(), Msg: "type " + name + " embeds other instances of itself without end"}
			return pkg, []types.Error{endless}
		}
	}
	return pkg, errs
}

// maxInstances is how many instances of one generic type may embed each other. Their names
// may double in length with each.
const maxInstances = 8

// embedsWithoutEnd reports whether a type embeds other and other instances of a generic type.
// Those in outer embed t.
func embedsWithoutEnd(t types.Type, outer []*types.Named, seen map[types.Type]bool) bool {
	t = types.Unalias(pointedTo(t))
	structType, ok := structOf(t)
	if !ok || seen[t] {
		return false
	}
	seen[t] = true
	if named, ok := t.(*types.Named); ok {
		instances := 0
		for _, other := range outer {
			if other.Origin() == named.Origin() {
				instances++
			}
		}
		if instances > maxInstances {
			return true
		}
		outer = append(outer, named)
	}
	for field := range structType.Fields() {
		if field.Embedded() && embedsWithoutEnd(field.Type(), outer, seen) {
			return true
		}
	}
	return false
}

// emptyImporter has every package, with nothing in it that could mislead.
type emptyImporter struct{}

func (emptyImporter) Import(importPath string) (*types.Package, error) {
	pkg := types.NewPackage(importPath, conventionalName(importPath))
	if importPath == metaV1 {
		declare := func(name string, structType *types.Struct) {
			declared := types.NewTypeName(token.NoPos, pkg, name, nil)
			types.NewNamed(declared, structType, nil)
			pkg.Scope().Insert(declared)
		}
		declare("TypeMeta", types.NewStruct(nil, nil))
		// These inline something invalid, so that nobody takes their fields for known.
		hole := types.NewField(token.NoPos, pkg, "Fields", types.Typ[types.Invalid], true)
		declare("ObjectMeta", types.NewStruct([]*types.Var{hole}, nil))
		declare("ListMeta", types.NewStruct([]*types.Var{hole}, nil))
	}
	pkg.MarkComplete()
	return pkg, nil
}

// conventionalName is what a package of that path is usually called: without a
// major version, and without what is no part of an identifier.
func conventionalName(importPath string) string {
	base := path.Base(importPath)
	if model.IsVersion(base) && path.Base(path.Dir(importPath)) != "." && strings.Contains(path.Base(path.Dir(importPath)), "-") {
		return base
	}
	return strings.ReplaceAll(strings.TrimPrefix(base, "go-"), "-", "")
}

// isUnclear says whether syntax has not shown that a kind has what it needs: it is
// another name for a type, or embeds its metadata through others, or its list does,
// or they are not there.
func (r *typeReader) isUnclear(t *input.Type) bool {
	if t.IsGeneric {
		return false // which no kind can be
	}
	return r.isReference(r.types[t.Name]) || !(t.HasTypeMeta && t.HasObjectMeta) || t.DeclaresList && !t.HasList
}

// isReference says whether a type is declared by naming another one.
func (r *typeReader) isReference(t *declaredType) bool {
	switch expr := t.spec.Type.(type) {
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		return true
	case *ast.Ident:
		return r.types[expr.Name] != nil
	}
	return t.spec.Assign.IsValid()
}

// clarify says of a type what describe says of it, from types instead of syntax.
// It returns false if a type that it would have to know is invalid.
func clarify(t *input.Type, pkg *types.Package, fset *token.FileSet) bool {
	kind := lookUp(pkg, t.Name)
	structType, ok := structOf(kind)
	if !ok {
		t.IsStruct = false
		return isValid(kind)
	}
	meta := metaOf(structType)
	t.IsStruct, t.HasTypeMeta = true, meta.has["TypeMeta"] || hasMethod(kind, pkg, "GetObjectKind")
	t.MissingMethod = missingMethod(kind, pkg)
	t.HasObjectMeta = meta.has["ObjectMeta"] || hasMethods(kind, pkg, objectMethods)
	t.HasDeepCopyObject = hasMethod(kind, pkg, "DeepCopyObject")
	t.HasStatus = false
	for field := range structType.Fields() {
		t.HasStatus = t.HasStatus || field.Name() == "Status"
	}
	sure := meta.sure || t.HasTypeMeta && t.HasObjectMeta

	name := t.Name + "List"
	declared := pkg.Scope().Lookup(name)
	if declared == nil {
		return sure
	}
	t.ListPos = fset.Position(declared.Pos())
	return clarifyList(t, declared, kind) && sure
}

// lookUp is the type of that name in a package, or an invalid one.
func lookUp(pkg *types.Package, name string) types.Type {
	if declared := pkg.Scope().Lookup(name); declared != nil {
		return declared.Type()
	}
	return types.Typ[types.Invalid]
}

// isValid reports whether a type is known. A defined type is as invalid as the type that it
// is defined by.
func isValid(t types.Type) bool { return t.Underlying() != types.Typ[types.Invalid] }

func structOf(t types.Type) (*types.Struct, bool) {
	structType, ok := t.Underlying().(*types.Struct)
	return structType, ok
}

// isSliceOfUnknown reports whether a field may be a slice of anything.
func isSliceOfUnknown(field types.Object) bool {
	if field == nil {
		return false
	}
	slice, ok := field.Type().Underlying().(*types.Slice)
	return !isValid(field.Type()) || ok && !isValid(pointedTo(slice.Elem()))
}

// metaTypes are those of meta/v1 that a struct embeds, itself or through others.
type metaTypes struct {
	has map[string]bool
	// sure is false if it embeds something invalid.
	sure bool
	// seen are the structs that were added.
	seen map[*types.Struct]bool
}

func metaOf(structType *types.Struct) metaTypes {
	found := metaTypes{has: map[string]bool{}, sure: true, seen: map[*types.Struct]bool{}}
	found.add(structType)
	return found
}

func (m *metaTypes) add(structType *types.Struct) {
	if m.seen[structType] {
		return // it embeds a pointer to itself
	}
	m.seen[structType] = true
	for field := range structType.Fields() {
		if !field.Embedded() {
			continue
		}
		embedded := types.Unalias(pointedTo(field.Type()))
		if !isValid(embedded) {
			m.sure = false
		} else if named, ok := embedded.(*types.Named); ok {
			if pkg := named.Obj().Pkg(); pkg != nil && pkg.Path() == metaV1 {
				m.has[named.Obj().Name()] = true
			} else if inner, ok := structOf(named); ok {
				m.add(inner)
			}
		}
	}
}
