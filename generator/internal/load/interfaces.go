package load

import "go/types"

// objectMethods are those of metav1.Object, and listMethods those of
// metav1.ListInterface. A test compares them with the interfaces.
var (
	objectMethods = []string{
		"GetNamespace", "SetNamespace", "GetName", "SetName", "GetGenerateName", "SetGenerateName",
		"GetUID", "SetUID", "GetResourceVersion", "SetResourceVersion", "GetGeneration", "SetGeneration",
		"GetSelfLink", "SetSelfLink", "GetCreationTimestamp", "SetCreationTimestamp",
		"GetDeletionTimestamp", "SetDeletionTimestamp", "GetDeletionGracePeriodSeconds", "SetDeletionGracePeriodSeconds",
		"GetLabels", "SetLabels", "GetAnnotations", "SetAnnotations", "GetFinalizers", "SetFinalizers",
		"GetOwnerReferences", "SetOwnerReferences", "GetManagedFields", "SetManagedFields",
	}
	listMethods = []string{
		"GetResourceVersion", "SetResourceVersion", "GetSelfLink", "SetSelfLink",
		"GetContinue", "SetContinue", "GetRemainingItemCount", "SetRemainingItemCount",
	}
)

// Methods are compared by their names: the signatures of a dependency's methods may not
// be loaded. If a signature is wrong, the generated code does not compile, and says so.

func hasMethod(t types.Type, pkg *types.Package, name string) bool {
	return hasMethods(t, pkg, []string{name})
}

// hasMethods reports whether a pointer to t has all of the methods, its own or promoted
// ones.
func hasMethods(t types.Type, pkg *types.Package, names []string) bool {
	return firstMissing(t, pkg, names) == ""
}

func firstMissing(t types.Type, pkg *types.Package, names []string) string {
	methods := types.NewMethodSet(types.NewPointer(t))
	for _, name := range names {
		if methods.Lookup(pkg, name) == nil {
			return name
		}
	}
	return ""
}

// missingMethod returns a method of metav1.Object that a pointer to t lacks although it
// has GetName; empty if there is none.
func missingMethod(t types.Type, pkg *types.Package) string {
	if !hasMethod(t, pkg, "GetName") {
		return ""
	}
	return firstMissing(t, pkg, objectMethods)
}
