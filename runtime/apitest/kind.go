package apitest

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/runtime/apitest/internal/builtin"
	"github.com/typedinformers/informer-gen/runtime/apitest/internal/table"
)

// Kind describes one version of a resource that a server serves. Kinds with the same group and
// resource show the same objects, each in its own version.
type Kind struct {
	schema.GroupVersionKind

	// Resource is the plural name in URLs, such as databases.
	Resource string
	// Singular is the name of one object in discovery. Empty means the kind in lower case.
	Singular string
	// List is the kind of lists. Empty means the kind with the suffix List.
	List string
	// ShortNames and Categories are what kubectl accepts in place of the resource.
	ShortNames, Categories []string
	// Namespaced reports whether the objects are in namespaces.
	Namespaced bool
	// Status reports whether the status is a subresource: a write of the object leaves it, and a
	// write of the status leaves all else.
	Status bool
	// Scale, if not nil, makes scale a subresource.
	Scale *Scale
	// SelectableFields are the JSON paths that field selectors may name besides metadata.name and
	// metadata.namespace, such as spec.color.
	SelectableFields []string
	// Columns are the columns of the kind as a Table. Name and Age are there without them.
	Columns []Column

	// Type, if not nil, is an empty object of the Go type. With it, server-side apply knows lists
	// that are merged by a key, strategic merge patches and protobuf work if the type has what they
	// need, and a request for strict validation refuses fields that the type does not have.
	Type runtime.Object
	// Schema, if not nil, defaults, prunes and validates objects, as a CustomResourceDefinition
	// says.
	Schema Schema

	// Warning, if not empty, is sent with each answer, as for a deprecated version.
	Warning string

	// builtIn is nil for custom resources.
	builtIn *builtIn
	// printer prints objects as a Table.
	printer func() (*table.Printer, error)
}

// Scale has the JSON paths of the fields behind the subresource scale, such as .spec.replicas.
// SelectorPath may be empty.
type Scale struct {
	SpecReplicasPath, StatusReplicasPath, SelectorPath string
}

// Column is a column of a Table, as additionalPrinterColumns of a CustomResourceDefinition
// describe it.
type Column struct {
	Name, Type, Format, Description, JSONPath string
	Priority                                  int32
}

// Schema checks the objects of a kind in one version. Module apiextensions has an implementation
// over a CustomResourceDefinition. Its methods are called by several goroutines at once.
type Schema interface {
	// Prune removes from obj the fields that the schema does not have, and returns their paths. It
	// also removes a null that is no value. The metadata of obj itself is left to the server. An
	// error means that obj is malformed, such as a number as name of an object within it; the
	// server answers 400.
	Prune(obj map[string]any) (unknown []string, err error)
	// Default sets the defaults of fields that obj does not have.
	Default(obj map[string]any)
	// Validate returns what is wrong with obj besides found, the errors of its metadata. old is
	// the object before an update, or nil if obj is new. subresource is status, scale or empty.
	Validate(ctx context.Context, obj, old map[string]any, subresource string, found field.ErrorList) field.ErrorList
	// Store makes of obj what the server stores: obj in the version in which the kind is stored,
	// with the defaults of that version. It writes to the map obj, and not to the values in it. In
	// another version, the object is what Prune of that version leaves. If obj is malformed in the
	// version in which the kind is stored, the server answers 500.
	Store(obj map[string]any) error
	// TypeConverter returns what server-side apply has to know of all versions of the kind.
	TypeConverter() managedfields.TypeConverter
}

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
			virtual: row.Virtual, counted: row.Counted, fields: row.Fields, subresources: row.Subresources,
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

// hasSubresource reports whether the kind has a subresource besides status and scale.
func (k *Kind) hasSubresource(name string) bool {
	return !k.custom() && slices.Contains(k.builtIn.subresources, name)
}
