package gotype

import (
	"go/types"
	"slices"
	"strings"
)

// MetaV1 is the package of TypeMeta, ObjectMeta and ListMeta.
const MetaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// Meta describes a type of meta/v1 that objects or lists embed.
type Meta struct {
	// JSONName is the name under which API servers send the type. It is empty for a type that JSON inlines. Tag is the
	// tag with that name.
	JSONName, Tag string
	// Members are the members of the object that belong to the type.
	Members []string
	// Accessors are the methods of metav1.Object or metav1.ListInterface that the type has. A test compares them with the
	// interfaces.
	Accessors []string
}

// Metas are these types by name.
var Metas = map[string]Meta{
	"TypeMeta": {Tag: "`json:\",inline\"`", Members: []string{"kind", "apiVersion"}},
	"ObjectMeta": {
		JSONName: "metadata", Tag: "`json:\"metadata,omitempty\"`", Members: []string{"metadata"},
		Accessors: accessors("Namespace Name GenerateName UID ResourceVersion Generation SelfLink CreationTimestamp DeletionTimestamp " +
			"DeletionGracePeriodSeconds Labels Annotations Finalizers OwnerReferences ManagedFields"),
	},
	"ListMeta": {
		JSONName: "metadata", Tag: "`json:\"metadata,omitempty\"`", Members: []string{"metadata"},
		Accessors: accessors("ResourceVersion SelfLink Continue RemainingItemCount"),
	},
}

// accessors returns the methods that get and set properties.
func accessors(properties string) []string {
	var names []string
	for _, property := range strings.Fields(properties) {
		names = append(names, "Get"+property, "Set"+property)
	}
	return names
}

// ClientMethods returns the methods of an object or a list with this metadata that clients call.
func (m Meta) ClientMethods() []string {
	return append([]string{"GetObjectKind", "DeepCopyObject"}, m.Accessors...)
}

// MetaName returns the name of a type of meta/v1, and "" for other types.
func MetaName(t types.Type) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != MetaV1 {
		return ""
	}
	return named.Obj().Name()
}

// MissingMethod returns the first of the methods that a pointer to t lacks, or "".
func MissingMethod(t types.Type, names []string) string {
	has := MethodsOf(t)
	if at := slices.IndexFunc(names, func(name string) bool { return !has(name) }); at >= 0 {
		return names[at]
	}
	return ""
}

// MetasOf returns the names of the types of meta/v1 that a struct embeds, itself or through others. sure is false if an
// embedded type is not known.
func MetasOf(structType *types.Struct) (has map[string]bool, sure bool) {
	has, sure = map[string]bool{}, true
	seen := map[*types.Struct]bool{}
	var visit func(*types.Struct)
	visit = func(structType *types.Struct) {
		if seen[structType] {
			return // it embeds a pointer to itself
		}
		seen[structType] = true
		for field := range structType.Fields() {
			if !field.Embedded() {
				continue
			}
			embedded := PointedTo(field.Type())
			if name := MetaName(embedded); !IsValid(embedded) {
				sure = false
			} else if name != "" {
				has[name] = true
			} else if inner, ok := StructOf(embedded); ok {
				visit(inner)
			}
		}
	}
	visit(structType)
	return has, sure
}

// IsComplete reports whether all types that a struct embeds, itself or through others, are known.
func IsComplete(structType *types.Struct) bool {
	_, sure := MetasOf(structType)
	return sure
}
