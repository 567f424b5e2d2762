package apitest

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/apitest/internal/builtin"
)

// builtIn has what tells a kind of Kubernetes from a custom resource.
type builtIn struct {
	// unconditional allows an update without resourceVersion.
	unconditional bool
	// createOnUpdate lets a PUT of an object that does not exist create it.
	createOnUpdate bool
	// keepStatus lets a create set the status.
	keepStatus bool
	// virtual reports that a create answers and stores nothing.
	virtual bool
	// single reports that there is no deletecollection.
	single bool
	// validName checks the name of a new object.
	validName apivalidation.ValidateNameFunc
	// counted are the fields whose changes the generation counts. Without any there is no generation.
	counted [][]string
	// fields are those of field selectors.
	fields []builtin.Field
	// subresources are those besides status and scale.
	subresources []string
}

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
	for _, row := range table {
		kind := builtInKind(row)
		set.kinds = append(set.kinds, kind)
		set.byGVR[kind.gvr()], set.byGVK[kind.GroupVersionKind] = kind, kind
		if set.byResource[kind.groupResource()] == nil {
			set.byResource[kind.groupResource()] = kind
		}
	}
	return set
})

// builtInKind makes a Kind of a line of the table.
func builtInKind(row builtin.Kind) *Kind {
	kind := &Kind{
		GroupVersionKind: row.GroupVersionKind, Resource: row.Resource, Namespaced: row.Namespaced, Status: row.Status,
		ShortNames: row.ShortNames, Categories: row.Categories,
		builtIn: &builtIn{
			unconditional: !row.Conditional, createOnUpdate: row.CreateOnUpdate, keepStatus: row.KeepStatus,
			virtual: row.Virtual, single: row.Single, validName: validNames[row.Name], counted: row.Counted, fields: row.Fields, subresources: row.Subresources,
		},
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

// validNames are the rules of names in the table.
var validNames = map[string]apivalidation.ValidateNameFunc{
	"": apivalidation.NameIsDNSSubdomain, "label": apivalidation.NameIsDNSLabel, "segment": pathSegment,
}

// generations reports whether objects of the kind have a generation.
func (k *Kind) generations() bool { return k.custom() || len(k.builtIn.counted) > 0 }

// sameContent reports whether the fields that count for the generation are the same.
func (b *builtIn) sameContent(one, other map[string]any) bool {
	for _, path := range b.counted {
		a, _, _ := unstructured.NestedFieldNoCopy(one, path...)
		b, _, _ := unstructured.NestedFieldNoCopy(other, path...)
		if !reflect.DeepEqual(a, b) {
			return false
		}
	}
	return true
}

// selectable returns the fields that field selectors may name, besides the name and the namespace.
func (k *Kind) selectable() []builtin.Field {
	if !k.custom() {
		return k.builtIn.fields
	}
	fields := make([]builtin.Field, len(k.SelectableFields))
	for i, path := range k.SelectableFields {
		names := pathOf(path)
		fields[i] = builtin.Field{Name: strings.Join(names, "."), Path: names}
	}
	return fields
}

// allows reports whether the path of a request has a handler for its method.
func (b *builtIn) allows(r *request) bool {
	switch {
	case b.virtual:
		return r.verb == "create" && r.name == ""
	case r.verb == "create":
		return r.name == "" || r.subresource != ""
	case r.verb == "deletecollection":
		return !b.single
	}
	return true
}

// hasSubresource reports whether the kind has a subresource besides status and scale.
func (k *Kind) hasSubresource(name string) bool {
	return !k.custom() && slices.Contains(k.builtIn.subresources, name)
}
