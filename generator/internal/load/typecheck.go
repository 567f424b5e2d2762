package load

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// typesOfSyntax type-checks the package by itself. Its imports are empty, except for the names of
// TypeMeta, ObjectMeta and ListMeta, and their types are invalid. It reads no files. The result is
// complete for types that the package declares.
func typesOfSyntax(src *source) *types.Package {
	pkg, _ := checkTypes(src.path, src.fset, src.files, emptyImporter{}) // the errors are about the missing imports
	return pkg
}

// checkTypes type-checks the declarations of a package. It returns an empty package if a generic type
// embeds instances of itself without end, because go/types never finishes looking up the methods of
// such a type.
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
			pkg = newPackage(path, files[0].Name.Name)
			errs = []types.Error{{Fset: fset, Pos: files[0].Package, Msg: fmt.Sprintf("package %s makes the type checker of Go panic: %v", path, failure)}}
		}
	}()
	pkg, _ = config.Check(path, fset, files, nil)
	for _, name := range pkg.Scope().Names() {
		declared := pkg.Scope().Lookup(name)
		if _, isType := declared.(*types.TypeName); isType && embedsWithoutEnd(declared.Type(), nil, map[types.Type]bool{}) {
			return newPackage(path, pkg.Name()), []types.Error{{Fset: fset, Pos: declared.Pos(), Msg: "type " + name + " embeds other instances of itself without end"}}
		}
	}
	return pkg, errs
}

// newPackage returns a complete package without declarations.
func newPackage(path, name string) *types.Package {
	pkg := types.NewPackage(path, name)
	pkg.MarkComplete()
	return pkg
}

// maxInstances is how many instances of one generic type may embed each other. The length of their
// names may double each time.
const maxInstances = 8

// embedsWithoutEnd reports whether a type embeds more than maxInstances of a generic type. outer are
// the types that embed t.
func embedsWithoutEnd(t types.Type, outer []*types.Named, seen map[types.Type]bool) bool {
	t = types.Unalias(gotype.PointedTo(t))
	structType, ok := gotype.StructOf(t)
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

// emptyImporter returns packages without declarations, except for the metadata in meta/v1.
type emptyImporter struct{}

func (emptyImporter) Import(importPath string) (*types.Package, error) {
	pkg := newPackage(importPath, conventionalName(importPath))
	if importPath == gotype.MetaV1 {
		declare := func(name string, fields ...*types.Var) {
			declared := types.NewTypeName(token.NoPos, pkg, name, nil)
			types.NewNamed(declared, types.NewStruct(fields, nil), nil)
			pkg.Scope().Insert(declared)
		}
		declare("TypeMeta")
		// An invalid embedded type, so that the fields of the struct count as unknown.
		unknown := types.NewField(token.NoPos, pkg, "Fields", types.Typ[types.Invalid], true)
		declare("ObjectMeta", unknown)
		declare("ListMeta", unknown)
	}
	return pkg, nil
}

// isUnclear reports whether the syntax does not show that a kind has everything that it needs: it is
// another name for a type, or it or its list embeds metadata through other types, or the metadata is
// missing or has another JSON name.
func (s *scope) isUnclear(t *input.Type) bool {
	if t.IsGeneric {
		return false // no kind is generic
	}
	declared, list := s.types[t.Name], s.types[t.Name+"List"]
	return s.isReference(declared.spec) || !(t.HasTypeMeta && t.HasObjectMeta) || !s.hasPlainNames(declared, "ObjectMeta") || t.DeclaresList && !(t.HasList && s.hasPlainNames(list, "ListMeta"))
}

// isReference reports whether a type is declared by the name of another one.
func (s *scope) isReference(spec *ast.TypeSpec) bool {
	switch expr := spec.Type.(type) {
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		return true
	case *ast.Ident:
		_, isLocal := s.types[expr.Name]
		return isLocal
	}
	return spec.Assign.IsValid()
}

// clarify sets in t what describeType sets, from types instead of syntax. writes reports whether the run writes the
// methods that copy a type of another package. It returns false if it needs a type that is not known.
func clarify(t *input.Type, pkg *types.Package, fset *token.FileSet, writes func(types.Type) bool) (sure bool) {
	kind := lookUp(pkg, t.Name)
	t.Misnamed, t.MisnamedStatus = nil, nil
	structType, ok := gotype.StructOf(kind)
	if !ok {
		t.IsStruct = false
		return gotype.IsValid(kind)
	}
	meta, hasMethod := metaOf(structType), gotype.MethodsOf(kind)
	t.IsStruct, t.HasTypeMeta = true, meta.has["TypeMeta"] || hasMethod("GetObjectKind")
	missing := missingMethod(kind, objectMethods)
	t.HasObjectMeta = meta.has["ObjectMeta"] || missing == ""
	t.MissingMethod = ""
	if hasMethod("GetName") {
		t.MissingMethod = missing
	}
	t.AliasOf = aliasOf(pkg.Scope().Lookup(t.Name))
	t.WritesCopy = t.WritesCopy || writes(kind)
	t.HasDeepCopyObject = hasMethod("DeepCopyObject") || t.WritesCopy
	t.HasStatus = slices.ContainsFunc(slices.Collect(structType.Fields()), func(field *types.Var) bool { return field.Name() == "Status" })
	sure = meta.sure || t.HasTypeMeta && t.HasObjectMeta
	if t.HasTypeMeta && t.HasObjectMeta {
		t.Misnamed = misnamed(pkg.Scope().Lookup(t.Name), "ObjectMeta", fset)
	}
	t.MisnamedStatus = misnamedStatus(structType, fset)
	list := pkg.Scope().Lookup(t.Name + "List")
	t.Protobuf = protobufOf(kind, list)
	if list == nil {
		return sure
	}
	t.ListPos, t.ListAliasOf = fset.Position(list.Pos()), aliasOf(list)
	t.WritesDeclaredListCopy = t.WritesDeclaredListCopy || writes(list.Type())
	sure = clarifyList(t, list.Type(), pkg, kind) && sure
	if t.HasList {
		checkListNames(t, list, pkg, fset)
	}
	return sure
}

// aliasOf returns the type that an alias stands for, or zero.
func aliasOf(declared types.Object) model.TypeRef {
	name, ok := declared.(*types.TypeName)
	if !ok || !name.IsAlias() {
		return model.TypeRef{}
	}
	named, ok := types.Unalias(name.Type()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return model.TypeRef{}
	}
	return model.TypeRef{Path: named.Obj().Pkg().Path(), Name: types.TypeString(named, func(*types.Package) string { return "" })}
}

// clarifyList is clarify for the list type.
func clarifyList(t *input.Type, list types.Type, pkg *types.Package, kind types.Type) (sure bool) {
	structType, ok := gotype.StructOf(list)
	if !ok {
		t.HasList, t.ListLacksCopy, t.ListProblem = false, false, "has a list type "+t.Name+"List that is not a struct; make it one, with metav1.TypeMeta, metav1.ListMeta and Items []"+t.Name
		return gotype.IsValid(list)
	}
	meta, hasMethod := metaOf(structType), gotype.MethodsOf(list)
	hasTypeMeta := meta.has["TypeMeta"] || hasMethod("GetObjectKind")
	hasListMethods := missingMethod(list, listMethods) == ""
	hasListMeta := meta.has["ListMeta"] || hasListMethods || hasMethod("GetListMeta")
	items, _, _ := types.LookupFieldOrMethod(list, true, pkg, "Items")
	pointers, hasItems := isSliceOfType(items, kind)
	setList(t, hasTypeMeta, hasListMeta, hasItems, hasMethod("DeepCopyObject") || t.WritesDeclaredListCopy || t.WritesListCopy)
	t.List = model.ListForm{ItemsArePointers: pointers, Meta: model.ListMetaAccessor}
	found, _, indirect := types.LookupFieldOrMethod(list, true, pkg, "ListMeta")
	field, isField := found.(*types.Var)
	switch {
	case !hasTypeMeta:
		return meta.sure
	case isField && (indirect || gotype.PointedTo(field.Type()) != field.Type()):
		t.HasList, t.ListLacksCopy, t.ListProblem = false, false, "has a list type "+t.Name+"List that embeds a pointer to its ListMeta, which client-go's fake clients cannot set; embed metav1.ListMeta itself"
		return true
	case isField:
		t.List.Meta = model.ListMetaField
	case hasListMethods:
		t.List.Meta = model.ListMetaMethods
	}
	switch {
	case !hasListMeta:
		return meta.sure
	case !hasItems:
		return meta.sure && !isSliceOfUnknown(items)
	}
	return true
}

// checkListNames sets the problem of a list whose JSON names are not those of API servers.
func checkListNames(t *input.Type, list types.Object, pkg *types.Package, fset *token.FileSet) {
	wrong := misnamed(list, "ListMeta", fset)
	found, _, _ := types.LookupFieldOrMethod(list.Type(), true, pkg, "Items")
	if items := found.(*types.Var); wrong == nil {
		wrong = misnamedItems(list.Type(), items, fset)
	}
	if wrong != nil {
		t.HasList, t.ListPos, t.ListProblem = false, wrong.Pos, "has a list type "+t.Name+"List that "+wrong.Problem
	}
}

// lookUp returns the type of that name in a package, or an invalid one.
func lookUp(pkg *types.Package, name string) types.Type {
	if declared := pkg.Scope().Lookup(name); declared != nil {
		return declared.Type()
	}
	return types.Typ[types.Invalid]
}

// isSliceOfType reports whether a field is of type []elem or, with pointers, []*elem.
func isSliceOfType(field types.Object, elem types.Type) (pointers, ok bool) {
	if field == nil {
		return false, false
	}
	slice, ok := field.Type().Underlying().(*types.Slice)
	if !ok {
		return false, false
	}
	pointer, pointers := types.Unalias(slice.Elem()).(*types.Pointer)
	if pointers {
		return true, types.Identical(pointer.Elem(), elem)
	}
	return false, types.Identical(slice.Elem(), elem)
}

// isSliceOfUnknown reports whether a field may be a slice of any type.
func isSliceOfUnknown(field types.Object) bool {
	if field == nil {
		return false
	}
	slice, ok := field.Type().Underlying().(*types.Slice)
	return !gotype.IsValid(field.Type()) || ok && !gotype.IsValid(gotype.PointedTo(slice.Elem()))
}
