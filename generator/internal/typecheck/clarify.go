package typecheck

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/describe"
	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// clarify describes a kind or a view, and its list type, from types instead of syntax. writes reports whether the run writes the
// methods that copy a type of another package. It returns false if it needs a type that is not known.
func clarify(t *input.Type, pkg *types.Package, fset *token.FileSet, writes func(types.Type) bool) (sure bool) {
	kind := lookUp(pkg, t.Name)
	t.Misnamed, t.MisnamedStatus = nil, nil
	structType, ok := gotype.StructOf(kind)
	if !ok {
		t.IsStruct = false
		return gotype.IsValid(kind)
	}
	metas, isComplete := gotype.MetasOf(structType)
	hasMethod := gotype.MethodsOf(kind)
	t.IsStruct, t.HasTypeMeta = true, metas["TypeMeta"] || hasMethod("GetObjectKind")
	missing := gotype.MissingMethod(kind, gotype.Metas["ObjectMeta"].Accessors)
	t.HasObjectMeta = metas["ObjectMeta"] || missing == ""
	t.MissingMethod = ""
	if hasMethod("GetName") {
		t.MissingMethod = missing
	}
	t.AliasOf = aliasOf(pkg.Scope().Lookup(t.Name))
	t.WritesCopy = t.WritesCopy || writes(kind)
	t.HasDeepCopyObject = hasMethod("DeepCopyObject") || t.WritesCopy
	t.HasStatus = slices.ContainsFunc(slices.Collect(structType.Fields()), func(field *types.Var) bool { return field.Name() == "Status" })
	sure = isComplete || t.HasTypeMeta && t.HasObjectMeta
	if t.HasTypeMeta && t.HasObjectMeta {
		t.Misnamed = misnamed(pkg.Scope().Lookup(t.Name), "ObjectMeta", fset)
	}
	t.MisnamedStatus = misnamedStatus(structType, fset)
	list := pkg.Scope().Lookup(t.Name + "List")
	t.Protobuf = protobufPath(kind, list)
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

// protobufPath returns the import path of the package that declares a kind if clients can encode and decode the kind and
// its list type as protobuf, and "" otherwise. list is nil if there is no list type.
func protobufPath(kind types.Type, list types.Object) string {
	named, ok := types.Unalias(kind).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || !gotype.HasProtobuf(kind) || list != nil && !gotype.HasProtobuf(list.Type()) {
		return ""
	}
	return named.Obj().Pkg().Path()
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

// clarifyList describes the list type of a kind.
func clarifyList(t *input.Type, list types.Type, pkg *types.Package, kind types.Type) (sure bool) {
	structType, ok := gotype.StructOf(list)
	if !ok {
		t.HasList, t.ListLacksCopy, t.ListProblem = false, false, "has a list type "+t.Name+"List that is not a struct; "+
			"make it one, with metav1.TypeMeta, metav1.ListMeta and Items []"+t.Name
		return gotype.IsValid(list)
	}
	metas, isComplete := gotype.MetasOf(structType)
	hasMethod := gotype.MethodsOf(list)
	hasTypeMeta := metas["TypeMeta"] || hasMethod("GetObjectKind")
	hasListMethods := gotype.MissingMethod(list, gotype.Metas["ListMeta"].Accessors) == ""
	hasListMeta := metas["ListMeta"] || hasListMethods || hasMethod("GetListMeta")
	items, _, _ := types.LookupFieldOrMethod(list, true, pkg, "Items")
	pointers, hasItems := isSliceOfType(items, kind)
	describe.SetList(t, hasTypeMeta, hasListMeta, hasItems, hasMethod("DeepCopyObject") || t.WritesDeclaredListCopy || t.WritesListCopy)
	t.List = model.ListForm{ItemsArePointers: pointers, Meta: model.ListMetaAccessor}
	found, _, indirect := types.LookupFieldOrMethod(list, true, pkg, "ListMeta")
	field, isField := found.(*types.Var)
	switch {
	case !hasTypeMeta:
		return isComplete
	case isField && (indirect || gotype.PointedTo(field.Type()) != field.Type()):
		t.HasList, t.ListLacksCopy, t.ListProblem = false, false, "has a list type "+t.Name+
			"List that embeds a pointer to its ListMeta, which client-go's fake clients cannot set; embed metav1.ListMeta itself"
		return true
	case isField:
		t.List.Meta = model.ListMetaField
	case hasListMethods:
		t.List.Meta = model.ListMetaMethods
	}
	switch {
	case !hasListMeta:
		return isComplete
	case !hasItems:
		return isComplete && !isSliceOfUnknown(items)
	}
	return true
}

// checkListNames sets the problem of a list whose JSON names differ from the names that API servers use.
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
