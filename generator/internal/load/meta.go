package load

import (
	"go/types"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
)

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

// missingMethod returns the first of the methods that a pointer to t lacks, or "".
func missingMethod(t types.Type, names []string) string {
	has := gotype.MethodsOf(t)
	for _, name := range names {
		if !has(name) {
			return name
		}
	}
	return ""
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
		embedded := gotype.PointedTo(field.Type())
		if name := gotype.MetaName(embedded); !gotype.IsValid(embedded) {
			m.sure = false
		} else if name != "" {
			m.has[name] = true
		} else if inner, ok := gotype.StructOf(embedded); ok {
			m.add(inner)
		}
	}
}
