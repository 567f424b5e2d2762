package load

import (
	"go/types"
	"slices"
	"strings"
)

// metaV1 is the package of TypeMeta, ObjectMeta and ListMeta.
const metaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// objectMethods are the methods of metav1.Object, and listMethods those of metav1.ListInterface. A
// test compares them with the interfaces.
var (
	objectMethods = accessors("Namespace Name GenerateName UID ResourceVersion Generation SelfLink CreationTimestamp DeletionTimestamp " +
		"DeletionGracePeriodSeconds Labels Annotations Finalizers OwnerReferences ManagedFields")
	listMethods = accessors("ResourceVersion SelfLink Continue RemainingItemCount")
)

// accessors returns the methods that get and set properties.
func accessors(properties string) []string {
	var names []string
	for _, property := range strings.Fields(properties) {
		names = append(names, "Get"+property, "Set"+property)
	}
	return names
}

// methodsOf returns a function that reports whether a pointer to t has an exported method, its own or
// a promoted one. Only names are compared, because the signatures of a dependency's methods may not be
// loaded. A wrong signature is an error when the generated code is compiled.
func methodsOf(t types.Type) (has func(name string) bool) {
	methods := types.NewMethodSet(types.NewPointer(t))
	return func(name string) bool { return methods.Lookup(nil, name) != nil }
}

// missingMethod returns the first of the methods that a pointer to t lacks, or "".
func missingMethod(t types.Type, names []string) string {
	has := methodsOf(t)
	for _, name := range names {
		if !has(name) {
			return name
		}
	}
	return ""
}

// encodesItself reports whether t has a method for its JSON, so that its fields do not show it.
func encodesItself(t types.Type) bool {
	return slices.ContainsFunc([]string{"MarshalJSON", "MarshalJSONTo", "MarshalText"}, methodsOf(t))
}

// decodesItself is encodesItself for decoding.
func decodesItself(t types.Type) bool {
	return slices.ContainsFunc([]string{"UnmarshalJSON", "UnmarshalJSONFrom", "UnmarshalText"}, methodsOf(t))
}

// metaName returns the name of a type of meta/v1, and "" for other types.
func metaName(t types.Type) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != metaV1 {
		return ""
	}
	return named.Obj().Name()
}

// metaTypes are the types of meta/v1 that a struct embeds, itself or through others.
type metaTypes struct {
	has map[string]bool
	// sure is false if an embedded type is not known.
	sure bool
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
		embedded := pointedTo(field.Type())
		if name := metaName(embedded); !isValid(embedded) {
			m.sure = false
		} else if name != "" {
			m.has[name] = true
		} else if inner, ok := structOf(embedded); ok {
			m.add(inner)
		}
	}
}

// isValid reports whether a type is known. A defined type is as invalid as the type that it is defined
// by.
func isValid(t types.Type) bool { return t.Underlying() != types.Typ[types.Invalid] }

func structOf(t types.Type) (*types.Struct, bool) {
	structType, ok := t.Underlying().(*types.Struct)
	return structType, ok
}

// pointedTo returns the element of a pointer, and other types as they are.
func pointedTo(t types.Type) types.Type {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}
