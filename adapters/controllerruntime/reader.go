package crcache

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/utils/ptr"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// Get reads an object into out, in the form of out. If no informer has the kind in that form,
// it adds one and waits until it is synced. See client.Reader and the documentation of package
// cache of controller-runtime for the rest.
func (c *Cache) Get(ctx context.Context, key client.ObjectKey, out client.Object, options ...client.GetOption) error {
	share := shares(options)
	for {
		i, t, err := c.reader(ctx, out, false, request{verb: "get", key: key})
		if err != nil {
			return err
		}
		name := key
		if !i.entry.namespaced {
			name.Namespace = ""
		}
		var obj cache.Object
		switch e := i.entry; {
		case e.names != nil:
			obj, err = c.getReferenced(ctx, i, name, options)
		case c.follows(e):
			obj, err = c.namespaces.get(ctx, i, name)
		default:
			obj, _ = e.informer.GetIndexer().Get(cache.ObjectName(name))
		}
		if err == nil {
			err = i.get(name, obj, out, t, share)
		}
		if !errors.Is(err, errRemoved) {
			return err
		}
	}
}

// shares reports whether the object is not copied. It allocates nothing in the usual cases.
func shares(options []client.GetOption) bool {
	if len(options) == 0 {
		return false
	}
	if len(options) == 1 && options[0] == client.GetOption(client.UnsafeDisableDeepCopy) {
		return true
	}
	var set client.GetOptions
	return ptr.Deref(set.ApplyOptions(options).UnsafeDisableDeepCopy, false)
}

// get reads an object of the cache into out. The object is nil if there is none. It returns errRemoved if the informer was removed.
func (i *informer) get(key client.ObjectKey, obj cache.Object, out client.Object, t *goType, share bool) error {
	if obj == nil {
		if isClosed(i.removed) {
			return errRemoved
		}
		// The error of the API server has the resource, that of controller-runtime's cache the kind.
		return apierrors.NewNotFound(schema.GroupResource{Group: i.entry.gvk.Group, Resource: i.entry.gvk.Kind}, key.Name)
	}
	share = share || i.entry.plan.sharesIn(key.Namespace)
	owned := share || i.entry.packed
	switch o := out.(type) {
	case *unstructured.Unstructured:
		stored := obj.(*unstructured.Unstructured)
		if o.Object = stored.Object; !owned {
			o.Object = runtime.DeepCopyJSON(stored.Object)
		}
		if !share {
			o.SetGroupVersionKind(i.entry.gvk)
		}
	case *metav1.PartialObjectMetadata:
		shared := metadataOf(obj, i.entry.gvk)
		if *o = *shared; !owned {
			shared.DeepCopyInto(o)
		}
	default:
		if t == nil {
			return fmt.Errorf("cannot get %s into a %T; use an *unstructured.Unstructured", i.entry.resource, out)
		}
		if err := t.set(out, obj, owned); err != nil {
			return err
		}
		if !share {
			out.GetObjectKind().SetGroupVersionKind(i.entry.gvk)
		}
	}
	return nil
}

// request is a read, for errors.
type request struct {
	verb string
	key  client.ObjectKey
}

// reader returns the informer that a caller reads into out from, after it has synced. The goType
// is nil unless the form of out is typed.
func (c *Cache) reader(ctx context.Context, out runtime.Object, isList bool, r request) (*informer, *goType, error) {
	key, t, err := c.typeOf(out, isList)
	if err != nil {
		return nil, nil, err
	}
	for {
		i, isNew, err := c.existing(key, t)
		if err != nil {
			return nil, nil, err
		}
		if i.entry.plan.limited {
			if err := i.checkNamespace(r); err != nil {
				return nil, nil, err
			}
		}
		if !isClosed(c.started) {
			return nil, nil, &ctrlcache.ErrCacheNotStarted{}
		}
		if i.entry.names != nil && !isList {
			return i, t, nil // it need not be synced
		}
		switch err := i.wait(ctx, isNew); {
		case err == nil:
			return i, t, nil
		case !errors.Is(err, errRemoved):
			return nil, nil, err
		}
	}
}

// existing returns the informer of a key. It adds one if there is none and that is allowed. t is
// nil or has the key.
func (c *Cache) existing(key informerKey, t *goType) (i *informer, isNew bool, err error) {
	if t != nil {
		if i := t.informer.Load(); i != nil && !isClosed(i.removed) {
			return i, false, nil
		}
	}
	if i = (*c.informers.Load())[key]; i == nil {
		if c.failOnMissing {
			return nil, false, &ctrlcache.ErrResourceNotCached{GVK: key.gvk}
		}
		if i, isNew, err = c.informerOf(key); err != nil {
			return nil, false, err
		}
	}
	if t != nil {
		t.informer.Store(i)
	}
	return i, isNew, nil
}

// checkNamespace returns an error if the objects of the namespace are not cached.
func (i *informer) checkNamespace(r request) error {
	if !i.entry.namespaced || r.verb == "list" && r.key.Namespace == "" {
		return nil
	}
	if _, cached := i.entry.plan.config(r.key.Namespace); cached {
		return nil
	}
	return i.unknownNamespace(r, fmt.Sprintf("it has the namespaces %q", sorted(i.entry.plan.namespaces)))
}

// unknownNamespace returns the error of a read in a namespace that is not followed. has tells which ones are.
func (i *informer) unknownNamespace(r request, has string) error {
	what := r.key.String()
	if r.verb == "list" {
		what = r.key.Namespace
	}
	return fmt.Errorf("unable to %s: %s because of unknown namespace for the cache; for %s, %s; read others with mgr.GetAPIReader()", r.verb, what, i.entry.resource, has)
}

// List reads the objects that options select into out, in the form of out. Field selectors need
// IndexField. It returns all objects or the first of them up to the limit, in no particular
// order, as of one moment.
func (c *Cache) List(ctx context.Context, out client.ObjectList, options ...client.ListOption) error {
	var set client.ListOptions
	if set.ApplyOptions(options); set.Continue != "" {
		return errors.New("continue list option is not supported by the cache")
	}
	for {
		i, t, err := c.reader(ctx, out, true, request{verb: "list", key: client.ObjectKey{Namespace: set.Namespace}})
		if err != nil {
			return err
		}
		if set.Namespace != "" && c.follows(i.entry) {
			if err := c.namespaces.await(ctx, i, request{verb: "list", key: client.ObjectKey{Namespace: set.Namespace}}); errors.Is(err, errRemoved) {
				continue
			} else if err != nil {
				return err
			}
		}
		if set.Namespace != "" && c.readsIn(i.entry) {
			if err := c.namespaces.allow(ctx, i, request{verb: "list", key: client.ObjectKey{Namespace: set.Namespace}}); err != nil {
				return err
			}
		}
		objs, err := i.selected(&set)
		switch {
		case isClosed(i.removed) && (err != nil || len(objs) == 0 || set.FieldSelector != nil):
			continue // the store may be empty, and an index is not kept
		case err != nil:
			return err
		}
		if err := i.fill(out, t, objs, ptr.Deref(set.UnsafeDisableDeepCopy, false)); err != nil {
			return err
		}
		out.SetContinue("continue-not-supported")
		return nil
	}
}

// selected returns the stored objects that options select.
func (i *informer) selected(options *client.ListOptions) ([]cache.Object, error) {
	indexer := i.entry.informer.GetIndexer()
	namespace, selector := options.Namespace, options.LabelSelector
	if selector != nil && selector.Empty() {
		selector = nil
	}
	if err := i.entry.checkLabels(selector); err != nil {
		return nil, err
	}
	var objs []cache.Object
	switch {
	case options.FieldSelector != nil:
		var err error
		if objs, err = i.byFields(options.FieldSelector, namespace); err != nil {
			return nil, err
		}
	case selector != nil && i.entry.packed: // it decodes the metadata only, but for the result
		var err error
		if namespace == "" {
			objs, err = i.lister.List(selector)
		} else {
			objs, err = i.lister.Namespace(namespace).List(selector)
		}
		if err != nil {
			return nil, err
		}
		selector = nil
	case selector != nil || options.Limit > 0:
		all := indexer.All()
		if namespace != "" {
			all = indexer.AllByIndex(cache.NamespaceIndex, namespace)
		}
		return matching(all, selector, int(options.Limit)), nil
	case namespace != "":
		objs, _ = indexer.ByIndex(cache.NamespaceIndex, namespace) // the informer of the error was removed
	default:
		objs = indexer.List()
	}
	if selector == nil && (options.Limit <= 0 || options.Limit >= int64(len(objs))) {
		return objs, nil
	}
	return matching(slices.Values(objs), selector, int(options.Limit)), nil
}

// matching returns the objects that selector matches; nil matches all. If limit is positive,
// it is the largest number of them.
func matching(objs iter.Seq[cache.Object], selector labels.Selector, limit int) (found []cache.Object) {
	for obj := range objs {
		if selector == nil || selector.Matches(labels.Set(metaOf(obj).GetLabels())) {
			found = append(found, obj)
			if len(found) == limit {
				break
			}
		}
	}
	return found
}

// byFields returns the objects of a namespace, or of all, that match a field selector.
func (i *informer) byFields(selector fields.Selector, namespace string) ([]cache.Object, error) {
	requirements := selector.Requirements()
	known := *i.fields.Load()
	for _, r := range requirements {
		if r.Operator != selection.Equals && r.Operator != selection.DoubleEquals {
			return nil, fmt.Errorf("non-exact field matches are not supported by the cache: %q", selector)
		}
		if known[r.Field] == nil {
			return nil, fmt.Errorf("cannot list %s as %s; add the index with IndexField: Index with name field:%s does not exist", i.entry.resource, i.form, r.Field)
		}
	}
	if len(requirements) == 0 {
		return nil, errors.New("non-exact field matches are not supported by the cache: the field selector is empty")
	}
	var objs []cache.Object
	var err error
	if first := requirements[0]; namespace == "" {
		objs, err = i.lister.ByIndex(i.fieldIndex(first.Field), first.Value)
	} else {
		objs, err = i.lister.Namespace(namespace).ByIndex(i.fieldIndex(first.Field), first.Value)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range requirements[1:] {
		extract := known[r.Field]
		objs = slices.DeleteFunc(objs, func(obj cache.Object) bool {
			return !slices.Contains(extract(i.show(obj).(client.Object)), r.Value)
		})
	}
	return objs, nil
}
