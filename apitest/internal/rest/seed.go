package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// Add stores objects as if they had been there before the test. It also knows the Go types of a scheme, which may be nil.
func (s *Store) Add(scheme *runtime.Scheme, objects ...runtime.Object) error {
	for _, obj := range objects {
		if obj == nil || reflect.ValueOf(obj).Kind() == reflect.Pointer && reflect.ValueOf(obj).IsNil() {
			return errors.New("apitest: cannot add nil")
		}
		if meta.IsListType(obj) {
			items, err := meta.ExtractList(obj)
			if err != nil {
				return fmt.Errorf("apitest: add %T: %w", obj, err)
			}
			if err := s.Add(scheme, items...); err != nil {
				return err
			}
			continue
		}
		if err := s.seed(scheme, obj); err != nil {
			return fmt.Errorf("apitest: add %s: %w", describe(obj), err)
		}
	}
	return nil
}

// describe names an object in an error.
func describe(obj runtime.Object) string {
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return fmt.Sprintf("a %T", obj)
	}
	name := accessor.GetName()
	if namespace := accessor.GetNamespace(); namespace != "" {
		name = namespace + "/" + name
	}
	return fmt.Sprintf("the %T %q", obj, name)
}

// seed stores one object.
func (s *Store) seed(scheme *runtime.Scheme, from runtime.Object) error {
	s.Lock()
	defer s.Unlock()
	kind, err := s.kindOfObject(scheme, from)
	if err != nil {
		return err
	}
	return s.seedAs(kind, from)
}

// Seed stores an object of a kind, with fields that a client cannot set, unless there is one.
func (s *Store) Seed(r *Request, from runtime.Object, dryRun bool) error {
	s.Lock()
	defer s.Unlock()
	if key := r.Key(); s.History.Get(key) != nil {
		return apierrors.NewAlreadyExists(key.GroupResource, key.Name)
	}
	if dryRun {
		return nil
	}
	return s.seedAs(r.Kind, from)
}

// seedAs stores one object of a kind. The caller holds the lock.
func (s *Store) seedAs(kind *kinds.Kind, from runtime.Object) error {
	content, err := kinds.Content(from, kind.GroupVersionKind)
	if err != nil {
		return err
	}
	obj := &unstructured.Unstructured{Object: content}
	obj.SetGroupVersionKind(kind.GroupVersionKind)
	if _, err := kind.Normalize(obj); err != nil {
		return err
	}
	if err := s.completeSeed(kind, obj); err != nil {
		return err
	}
	errs := validateMetadata(kind, obj, nil)
	if kind.Schema != nil {
		errs = append(errs, kind.Schema.Validate(context.Background(), obj.Object, nil, "", errs)...)
	}
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	key := history.Key{GroupResource: kind.GroupResource(), Namespace: obj.GetNamespace(), Name: obj.GetName()}
	if err := kind.Store(obj); err != nil {
		return err
	}
	s.put(key, obj, 0)
	s.collector.forget() // objects from before the test stay
	return nil
}

// completeSeed sets the metadata that an object lacks.
func (s *Store) completeSeed(kind *kinds.Kind, obj *unstructured.Unstructured) error {
	switch {
	case kind.Namespaced && obj.GetNamespace() == "":
		return fmt.Errorf("%s is namespaced; set metadata.namespace", kind.Kind)
	case !kind.Namespaced:
		obj.SetNamespace("")
	}
	if obj.GetName() == "" && obj.GetGenerateName() != "" {
		obj.SetName(s.names.Generate(obj.GetGenerateName(), func(name string) bool {
			return s.History.Get(history.Key{GroupResource: kind.GroupResource(), Namespace: obj.GetNamespace(), Name: name}) != nil
		}))
	}
	if live := s.History.Get(history.Key{GroupResource: kind.GroupResource(), Namespace: obj.GetNamespace(), Name: obj.GetName()}); live != nil {
		keepIdentity(obj, live.Object)
	}
	if kind.IsNamespace() {
		completeNamespace(obj)
	}
	if obj.GetDeletionTimestamp() != nil && len(obj.GetFinalizers()) == 0 && len(specFinalizers(obj.Object)) == 0 {
		if kind.IsPod() { // it waits for its kubelet
			if obj.GetDeletionGracePeriodSeconds() == nil {
				period := cmp.Or(gracePeriod(obj.Object, &metav1.DeleteOptions{}), defaultGracePeriod)
				obj.SetDeletionGracePeriodSeconds(&period)
			}
		} else {
			return errors.New("it has a deletionTimestamp and no finalizers, so a cluster would not have it; add a finalizer")
		}
	}
	if obj.GetUID() == "" {
		obj.SetUID(s.names.UID())
	}
	if obj.GetCreationTimestamp().Time.IsZero() {
		obj.SetCreationTimestamp(metav1.NewTime(s.Now()))
	}
	if obj.GetGeneration() == 0 && kind.Generations() {
		obj.SetGeneration(1)
	}
	return nil
}

// keepIdentity gives an object that replaces another one the fields by which clients identify it.
func keepIdentity(obj *unstructured.Unstructured, live map[string]any) {
	was := &unstructured.Unstructured{Object: live}
	if uid := obj.GetUID(); uid != "" && uid != was.GetUID() {
		return
	}
	obj.SetUID(was.GetUID())
	if obj.GetCreationTimestamp().Time.IsZero() {
		obj.SetCreationTimestamp(was.GetCreationTimestamp())
	}
	if obj.GetGeneration() == 0 && was.GetGeneration() != 0 {
		obj.SetGeneration(was.GetGeneration())
	}
}

// kindOfObject returns the kind of an object. The Go type decides, as in client-go's fakes. What a typed object
// says of its kind only chooses among the kinds of one Go type.
func (s *Store) kindOfObject(scheme *runtime.Scheme, obj runtime.Object) (*kinds.Kind, error) {
	named := obj.GetObjectKind().GroupVersionKind()
	found := s.kindsOfType(scheme, obj)
	for _, same := range []func(*kinds.Kind) bool{
		func(k *kinds.Kind) bool { return k.GroupVersionKind == named },
		func(k *kinds.Kind) bool { return k.GroupVersion() == named.GroupVersion() },
		func(k *kinds.Kind) bool { return true },
	} {
		if i := slices.IndexFunc(found, same); i >= 0 {
			return found[i], nil
		}
	}
	if kind := s.Kinds.Kind(named); kind != nil {
		return kind, nil
	}
	if err := s.Kinds.WhyRefused(func(k *kinds.Kind) bool {
		return k.GroupVersionKind == named || reflect.TypeOf(k.Type) == reflect.TypeOf(obj)
	}); err != nil {
		return nil, err
	}
	if named.Kind == "" || named.Version == "" {
		return nil, fmt.Errorf("it has apiVersion %q and kind %q, and the server does not know its Go type; set both, or use a server with its Go type, as in fake.NewClientsetFor(apitest.Start(t, apitest.WithScheme(scheme.Scheme)), objects...)", named.GroupVersion(), named.Kind)
	}
	return nil, fmt.Errorf("the server has no kind %s; give it one by WithKinds", named)
}

// kindsOfType returns the kinds whose objects have the Go type of obj. An object of a generic type has none.
func (s *Store) kindsOfType(scheme *runtime.Scheme, obj runtime.Object) []*kinds.Kind {
	if _, generic := obj.(runtime.Unstructured); generic {
		return nil
	}
	var found []*kinds.Kind
	for kind := range s.Kinds.All() {
		if kind.Type != nil && reflect.TypeOf(kind.Type) == reflect.TypeOf(obj) {
			found = append(found, kind)
		}
	}
	for _, scheme := range []*runtime.Scheme{scheme, s.Kinds.Scheme} {
		if scheme == nil {
			continue
		}
		gvks, _, _ := scheme.ObjectKinds(obj) // none for a type that it does not have
		for _, gvk := range gvks {
			if kind := s.Kinds.Kind(gvk); kind != nil {
				found = append(found, kind)
			}
		}
	}
	return found
}

// AddInitialNamespaces creates the namespaces that a cluster begins with.
func (s *Store) AddInitialNamespaces() error {
	for _, name := range initialNamespaces {
		namespace := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
		}}
		prepareNamespace(namespace)
		if err := s.Add(nil, namespace); err != nil {
			return err
		}
	}
	return nil
}
