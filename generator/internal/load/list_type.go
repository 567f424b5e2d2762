package load

import (
	"go/types"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// clarifyList sets in t what its syntax says of its list type, which declared is, from
// types. It returns false if a type that it would have to know is invalid.
func clarifyList(t *input.Type, declared types.Object, kind types.Type) (sure bool) {
	name, list, pkg := declared.Name(), declared.Type(), declared.Pkg()
	structType, ok := structOf(list)
	if !ok {
		t.HasList, t.ListProblem = false, "has a list type "+name+" that is not a struct; make it one, with metav1.TypeMeta, metav1.ListMeta and Items []"+t.Name
		return isValid(list)
	}
	meta := metaOf(structType)
	hasType := meta.has["TypeMeta"] || hasMethod(list, pkg, "GetObjectKind")
	form, hasMeta, problem := listMetaOf(list, pkg, &meta)
	items, _, _ := types.LookupFieldOrMethod(list, true, pkg, "Items")
	pointers, hasItems := isSliceOfType(items, kind)
	t.HasList, t.List = false, model.ListForm{ItemsArePointers: pointers, Meta: form}
	switch {
	case !hasType:
		t.ListProblem = listWithoutType(name)
		return meta.sure
	case problem != "":
		t.ListProblem = "has a list type " + name + problem
	case !hasMeta:
		t.ListProblem = listWithoutMeta(name)
		return meta.sure
	case !hasItems:
		t.ListProblem = listWithoutItems(name, t.Name)
		return meta.sure && !isSliceOfUnknown(items)
	case !hasMethod(list, pkg, "DeepCopyObject"):
		t.ListProblem = listWithoutDeepCopy(name)
	default:
		t.HasList, t.ListProblem = true, ""
	}
	return true
}

// listMetaOf returns how the metadata of a list is reached, and whether it has any. It
// is a problem if a new list has none.
func listMetaOf(list types.Type, pkg *types.Package, meta *metaTypes) (form model.ListMeta, ok bool, problem string) {
	accessor, methods := hasMethod(list, pkg, "GetListMeta"), hasMethods(list, pkg, listMethods)
	ok = meta.has["ListMeta"] || accessor || methods
	found, _, indirect := types.LookupFieldOrMethod(list, true, pkg, "ListMeta")
	field, isField := found.(*types.Var)
	switch {
	case isField && (indirect || pointedTo(field.Type()) != field.Type()):
		return form, ok, " that embeds a pointer to its ListMeta, which client-go's fake clients cannot set; embed metav1.ListMeta itself"
	case isField:
		return model.ListMetaField, ok, ""
	case methods:
		return model.ListMetaMethods, ok, ""
	}
	return model.ListMetaAccessor, ok, ""
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
