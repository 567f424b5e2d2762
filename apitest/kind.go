package apitest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/apitest/internal/builtin"
	"github.com/typedinformers/informer-gen/apitest/internal/discovery"
	"github.com/typedinformers/informer-gen/apitest/internal/fields"
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

	// Type, if not nil, is an empty object of the Go type. With it, server-side apply knows lists
	// that are merged by a key, strategic merge patches and protobuf work if the type has what they
	// need, and a request for strict validation refuses fields that the type does not have.
	Type runtime.Object
	// TypeConverter, if not nil, is what server-side apply has to know of the kind. It takes the place
	// of Type for that, and knows markers such as +listType=map, which a Go type does not have. The
	// apply configurations of informer-gen have one. A field that it does not have is merged as its
	// value suggests.
	TypeConverter managedfields.TypeConverter
	// Schema, if not nil, defaults, prunes and validates objects, as a CustomResourceDefinition
	// says. It takes the place of TypeConverter.
	Schema Schema

	// Warning, if not empty, is sent with each answer, as for a deprecated version.
	Warning string

	// builtIn is nil for custom resources.
	builtIn *builtIn
}

// Scale has the JSON paths of the fields behind the subresource scale, such as .spec.replicas.
// SelectorPath may be empty.
type Scale struct {
	SpecReplicasPath, StatusReplicasPath, SelectorPath string
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
	case r.verb == "update", r.verb == "patch":
		return r.name != ""
	}
	return r.http.Method != http.MethodHead
}

// hasSubresource reports whether the kind has a subresource besides status and scale.
func (k *Kind) hasSubresource(name string) bool {
	return !k.custom() && slices.Contains(k.builtIn.subresources, name)
}

// registry has the kinds of a server: those of Kubernetes, which all servers share, and those that
// were added. The Kinds in it never change.
type registry struct {
	scheme *runtime.Scheme
	// added has the kinds that are not among the built-in ones, in the order in which they came.
	added []*Kind
	// byGVR and byGVK have the added kinds, and the built-in ones that have a Go type here.
	byGVR map[schema.GroupVersionResource]*Kind
	byGVK map[schema.GroupVersionKind]*Kind
	// refused has the kinds that were not added.
	refused []refusedKind
	// groups describes the kinds in discovery. It is nil after a change.
	groups *discovery.Groups
	// documents are the answers of discovery, while groups is not nil.
	documents map[string]*document
	// managers keep the managed fields of the kinds that were written. It is nil after a change.
	managers map[endpoint]*fields.Manager
}

// refusedKind is a kind that is wrong, or contradicts another one.
type refusedKind struct {
	Kind
	err error
}

func newRegistry() *registry {
	return &registry{byGVR: map[schema.GroupVersionResource]*Kind{}, byGVK: map[schema.GroupVersionKind]*Kind{}}
}

// resource returns the kind of a resource, or nil.
func (g *registry) resource(gvr schema.GroupVersionResource) *Kind {
	if kind := g.byGVR[gvr]; kind != nil {
		return kind
	}
	shared := builtIns().byGVR[gvr]
	if shared == nil || g.byGVK[shared.GroupVersionKind] != nil {
		return nil
	}
	return g.typed(shared)
}

// kind returns a kind, or nil.
func (g *registry) kind(gvk schema.GroupVersionKind) *Kind {
	if kind := g.byGVK[gvk]; kind != nil {
		return kind
	}
	if shared := builtIns().byGVK[gvk]; shared != nil {
		return g.typed(shared)
	}
	return nil
}

// typed returns a built-in kind with its Go type, if the scheme has that.
func (g *registry) typed(shared *Kind) *Kind {
	if g.scheme == nil || !g.scheme.Recognizes(shared.GroupVersionKind) {
		return shared
	}
	empty, err := g.scheme.New(shared.GroupVersionKind)
	if err != nil {
		return shared
	}
	kind := *shared
	kind.Type = empty
	g.byGVK[kind.GroupVersionKind], g.byGVR[kind.gvr()] = &kind, &kind
	return &kind
}

// all returns all kinds: first the built-in ones in the order of discovery, then those that were
// added.
func (g *registry) all() iter.Seq[*Kind] {
	return func(yield func(*Kind) bool) {
		for _, shared := range builtIns().kinds {
			if !yield(cmp.Or(g.byGVK[shared.GroupVersionKind], shared)) {
				return
			}
		}
		for _, kind := range g.added {
			if !yield(kind) {
				return
			}
		}
	}
}

// of returns a kind of a resource in any version, or nil.
func (g *registry) of(gr schema.GroupResource) *Kind {
	if kind := builtIns().byResource[gr]; kind != nil {
		return g.kind(kind.GroupVersionKind)
	}
	for _, kind := range g.added {
		if kind.groupResource() == gr {
			return kind
		}
	}
	return nil
}

// add adds the kinds that are right. The error joins what is wrong with the others.
func (g *registry) add(kinds ...Kind) error {
	var errs []error
	for _, kind := range kinds {
		if err := g.check(kind); err != nil {
			g.refused = append(g.refused, refusedKind{kind, err})
			errs = append(errs, err)
			continue
		}
		g.put(kind)
	}
	return errors.Join(errs...)
}

// check reports what is wrong with a kind by itself, or next to the kinds that the server has.
func (g *registry) check(kind Kind) error {
	if err := kind.validate(); err != nil {
		return err
	}
	if other := g.resource(kind.gvr()); other != nil && other.GroupVersionKind != kind.GroupVersionKind {
		return fmt.Errorf("apitest: %s is the resource of %s and of %s; give one of them another name", kind.gvr(), other.Kind, kind.Kind)
	}
	if other := g.of(kind.groupResource()); other != nil && other.Namespaced != kind.Namespaced {
		return fmt.Errorf("apitest: %s is namespaced for one of %s and %s, and cluster-scoped for the other; give them one scope", kind.groupResource(), other.GroupVersionKind, kind.GroupVersionKind)
	}
	return nil
}

// whyRefused returns why a kind that matches was not added, or nil.
func (g *registry) whyRefused(matches func(*Kind) bool) error {
	for i := range g.refused {
		if matches(&g.refused[i].Kind) {
			return g.refused[i].err
		}
	}
	return nil
}

// put adds a kind. One with a Schema takes the place of the same kind. One without gives it its Go
// type and its TypeConverter, if that kind is built in or has a Schema.
func (g *registry) put(kind Kind) {
	kind.complete()
	old := g.kind(kind.GroupVersionKind)
	switch {
	case old == nil:
		// The versions of a built-in kind that Kubernetes has removed behave as those it has.
		if shared := builtIns().byResource[kind.groupResource()]; shared != nil && kind.Schema == nil {
			kind.builtIn = shared.builtIn
		}
	case kind.Schema != nil:
	case old.Schema != nil || !old.custom():
		addsType, addsConverter := old.Type == nil && kind.Type != nil, old.TypeConverter == nil && kind.TypeConverter != nil
		if !addsType && !addsConverter {
			return
		}
		next := *old
		if addsType {
			next.Type = kind.Type
		}
		if addsConverter {
			next.TypeConverter = kind.TypeConverter
		}
		kind = next
	}
	g.groups, g.managers = nil, nil
	added := &kind
	i := slices.IndexFunc(g.added, func(k *Kind) bool { return k.GroupVersionKind == kind.GroupVersionKind })
	switch {
	case i >= 0:
		delete(g.byGVR, old.gvr())
		g.added[i] = added
	case old == nil:
		g.added = append(g.added, added)
	}
	g.byGVK[kind.GroupVersionKind], g.byGVR[kind.gvr()] = added, added
}

func (k *Kind) validate() error {
	switch {
	case k.Kind == "" || k.Version == "" || k.Resource == "":
		return fmt.Errorf("apitest: kind %q with resource %q needs a kind, a version and a resource", k.GroupVersionKind, k.Resource)
	case strings.ContainsAny(k.Resource, "/ ") || k.Resource != strings.ToLower(k.Resource):
		return fmt.Errorf("apitest: kind %s: %q is not the name of a resource; use the lower case plural", k.Kind, k.Resource)
	}
	return nil
}

// complete fills in names that follow from others.
func (k *Kind) complete() {
	k.Singular = cmp.Or(k.Singular, strings.ToLower(k.Kind))
	k.List = cmp.Or(k.List, k.Kind+"List")
}

func (k *Kind) gvr() schema.GroupVersionResource {
	return k.GroupVersion().WithResource(k.Resource)
}

func (k *Kind) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: k.Group, Resource: k.Resource}
}

func (k *Kind) apiVersion() string { return k.GroupVersion().String() }

// custom reports whether the kind is a custom resource.
func (k *Kind) custom() bool { return k.builtIn == nil }

// The verbs of discovery, in the order in which the API servers of built-in kinds and of custom
// resources have them.
var (
	builtInVerbs     = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	customVerbs      = []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
	subresourceVerbs = []string{"get", "patch", "update"}
	createVerbs      = []string{"create"}
)

// resources describes the kinds for discovery. Groups that were added follow the built-in ones, in
// alphabetical order.
func (g *registry) resources() []discovery.Resource {
	var all []discovery.Resource
	for kind := range g.all() {
		all = append(all, kind.discovered())
	}
	slices.SortStableFunc(all[len(builtIns().kinds):], func(a, b discovery.Resource) int { return cmp.Compare(a.Group, b.Group) })
	return all
}

func (k *Kind) discovered() discovery.Resource {
	resource := discovery.Resource{
		GroupVersionKind: k.GroupVersionKind, Name: k.Resource, Singular: k.Singular, Namespaced: k.Namespaced,
		ShortNames: k.ShortNames, Categories: k.Categories, Verbs: customVerbs,
	}
	add := func(name string, gvk schema.GroupVersionKind, verbs []string) {
		resource.Subresources = append(resource.Subresources, discovery.Subresource{Name: name, GroupVersionKind: gvk, Verbs: verbs})
	}
	if k.Status {
		add("status", k.GroupVersionKind, subresourceVerbs)
	}
	if k.Scale != nil {
		add("scale", scaleKind, subresourceVerbs)
	}
	if k.custom() {
		return resource
	}
	resource.Verbs = builtInVerbs
	switch {
	case k.builtIn.virtual:
		resource.Verbs, resource.Virtual = createVerbs, true
	case k.builtIn.single:
		resource.Verbs = slices.DeleteFunc(slices.Clone(builtInVerbs), func(verb string) bool { return verb == "deletecollection" })
	}
	for _, name := range k.builtIn.subresources {
		gvk, verbs := k.subresource(name)
		add(name, gvk, verbs)
	}
	slices.SortFunc(resource.Subresources, func(a, b discovery.Subresource) int { return cmp.Compare(a.Name, b.Name) })
	return resource
}

// subresource returns the kind and the verbs of a subresource besides status and scale.
func (k *Kind) subresource(name string) (schema.GroupVersionKind, []string) {
	switch name {
	case "binding":
		return k.GroupVersion().WithKind("Binding"), createVerbs
	case "eviction":
		return schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: "Eviction"}, createVerbs
	case "token":
		return schema.GroupVersionKind{Group: "authentication.k8s.io", Version: "v1", Kind: "TokenRequest"}, createVerbs
	case "finalize":
		return k.GroupVersionKind, []string{"update"}
	}
	return k.GroupVersionKind, subresourceVerbs
}
