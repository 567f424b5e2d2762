package kinds

import (
	"reflect"
	"slices"
	"sync"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	validationpath "k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest/internal/builtin"
)

// builtInSet has the kinds of Kubernetes. All servers share it.
type builtInSet struct {
	kinds []*Kind
	byGVR map[schema.GroupVersionResource]*Kind
	byGVK map[schema.GroupVersionKind]*Kind
	// byResource has the preferred version of each resource.
	byResource map[schema.GroupResource]*Kind
}

// builtIns reads the table of kinds once.
var builtIns = sync.OnceValue(func() *builtInSet {
	table := builtin.Kinds()
	set := &builtInSet{
		byGVR:      make(map[schema.GroupVersionResource]*Kind, len(table)),
		byGVK:      make(map[schema.GroupVersionKind]*Kind, len(table)),
		byResource: make(map[schema.GroupResource]*Kind, len(table)),
	}
	for i := range table {
		kind := builtInKind(&table[i])
		set.kinds = append(set.kinds, kind)
		set.byGVR[kind.GVR()], set.byGVK[kind.GroupVersionKind] = kind, kind
		if set.byResource[kind.GroupResource()] == nil {
			set.byResource[kind.GroupResource()] = kind
		}
	}
	return set
})

// builtInKind makes a Kind of a line of the table.
func builtInKind(row *builtin.Kind) *Kind {
	kind := &Kind{
		GroupVersionKind: row.GroupVersionKind, Resource: row.Resource, Namespaced: row.Namespaced, Status: row.Status,
		ShortNames: row.ShortNames, Categories: row.Categories,
		BuiltIn: row,
	}
	if row.Scale {
		kind.Scale = &Scale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas", SelectorPath: ".spec.selector"}
	}
	for _, field := range row.Fields {
		kind.SelectableFields = append(kind.SelectableFields, field.Name)
	}
	kind.complete()
	return kind
}

// ValidName checks the name of a new object.
func (k *Kind) ValidName(name string, prefix bool) []string {
	if k.Custom() {
		return apivalidation.NameIsDNSSubdomain(name, prefix)
	}
	return validNames[k.BuiltIn.Name](name, prefix)
}

// validNames are the rules of names in the table.
var validNames = map[string]apivalidation.ValidateNameFunc{
	"": apivalidation.NameIsDNSSubdomain, "label": apivalidation.NameIsDNSLabel, "segment": PathSegment,
}

// PathSegment checks that a name can be a part of a URL.
func PathSegment(name string, prefix bool) []string {
	if prefix {
		return validationpath.IsValidPathSegmentPrefix(name)
	}
	return validationpath.IsValidPathSegmentName(name)
}

// sameCounted reports whether the fields of a built-in kind that count for the generation are the same.
func (k *Kind) sameCounted(one, other map[string]any) bool {
	for _, path := range k.BuiltIn.Counted {
		a, _, _ := unstructured.NestedFieldNoCopy(one, path...)
		b, _, _ := unstructured.NestedFieldNoCopy(other, path...)
		if !reflect.DeepEqual(a, b) {
			return false
		}
	}
	return true
}

// Routes reports whether the API server has a route for a verb of a built-in kind. named reports whether the
// path has a name, and part whether it has a subresource.
func (k *Kind) Routes(verb string, named, part bool) bool {
	switch {
	case k.BuiltIn.Virtual:
		return verb == "create" && !named
	case verb == "create":
		return !named || part
	case verb == "deletecollection":
		return !k.BuiltIn.Single
	case verb == "update", verb == "patch":
		return named
	}
	return true
}

// BuiltInGroup reports whether Kubernetes has a group.
func BuiltInGroup(group string) bool {
	return slices.ContainsFunc(builtIns().kinds, func(k *Kind) bool { return k.Group == group })
}

// IsBuiltIn reports whether Kubernetes has a kind.
func IsBuiltIn(gvk schema.GroupVersionKind) bool { return builtIns().byGVK[gvk] != nil }
