package apitest

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/apitest/internal/history"
)

// Add stores objects as if they had been there before the test. It keeps what a client cannot
// set: the status, and in the metadata the UID, creationTimestamp, generation, managedFields, and
// a deletionTimestamp of an object with finalizers. What is missing is set as for a new object,
// and each object gets a new resourceVersion. The items of a list are stored one by one. An object
// that exists is replaced, and keeps its UID, creationTimestamp and generation unless the new one has
// its own. Reactors and faults do not see it.
//
// The error names the first object that a create would refuse. Those before it are stored.
func (s *Server) Add(objects ...runtime.Object) error {
	for _, obj := range objects {
		if obj == nil || reflect.ValueOf(obj).Kind() == reflect.Pointer && reflect.ValueOf(obj).IsNil() {
			return errors.New("apitest: cannot add nil")
		}
		if meta.IsListType(obj) {
			items, err := meta.ExtractList(obj)
			if err != nil {
				return fmt.Errorf("apitest: add %T: %w", obj, err)
			}
			if err := s.Add(items...); err != nil {
				return err
			}
			continue
		}
		if err := s.seed(obj); err != nil {
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
func (s *Server) seed(from runtime.Object) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind, err := s.kindOfObject(from)
	if err != nil {
		return err
	}
	return s.seedAs(kind, from)
}

// seedAs stores one object of a kind. The caller holds mu.
func (s *Server) seedAs(kind *Kind, from runtime.Object) error {
	content, err := contentOf(from, kind.GroupVersionKind)
	if err != nil {
		return err
	}
	obj := &unstructured.Unstructured{Object: content}
	obj.SetGroupVersionKind(kind.GroupVersionKind)
	if _, err := kind.normalize(obj); err != nil {
		return err
	}
	if err := s.completeSeed(kind, obj); err != nil {
		return err
	}
	errs := kind.validateMetadata(obj, nil)
	if kind.Schema != nil {
		errs = append(errs, kind.Schema.Validate(context.Background(), obj.Object, nil, "", errs)...)
	}
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	key := history.Key{GroupResource: kind.groupResource(), Namespace: obj.GetNamespace(), Name: obj.GetName()}
	if err := kind.store(obj); err != nil {
		return err
	}
	s.put(key, obj, 0)
	s.collector.forget() // what was there before the test stays
	return nil
}

// completeSeed sets the metadata that an object lacks.
func (s *Server) completeSeed(kind *Kind, obj *unstructured.Unstructured) error {
	switch {
	case kind.Namespaced && obj.GetNamespace() == "":
		return fmt.Errorf("%s is namespaced; set metadata.namespace", kind.Kind)
	case !kind.Namespaced:
		obj.SetNamespace("")
	}
	if obj.GetName() == "" && obj.GetGenerateName() != "" {
		obj.SetName(s.nextName(obj.GetGenerateName(), func(name string) bool {
			return s.history.Get(history.Key{GroupResource: kind.groupResource(), Namespace: obj.GetNamespace(), Name: name}) != nil
		}))
	}
	if live := s.history.Get(history.Key{GroupResource: kind.groupResource(), Namespace: obj.GetNamespace(), Name: obj.GetName()}); live != nil {
		keepIdentity(obj, live.Object)
	}
	if kind.isNamespace() {
		completeNamespace(obj)
	}
	if obj.GetDeletionTimestamp() != nil && len(obj.GetFinalizers()) == 0 && len(specFinalizers(obj.Object)) == 0 {
		return errors.New("it has a deletionTimestamp and no finalizers, so a cluster would not have it; add a finalizer")
	}
	if obj.GetUID() == "" {
		obj.SetUID(s.nextUID())
	}
	if obj.GetCreationTimestamp().Time.IsZero() {
		obj.SetCreationTimestamp(metav1.NewTime(s.now()))
	}
	if obj.GetGeneration() == 0 && kind.generations() {
		obj.SetGeneration(1)
	}
	return nil
}

// keepIdentity gives an object that replaces another one what makes the two the same for clients.
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

// kindOfObject returns the kind of an object. A typed object need not name it.
func (s *Server) kindOfObject(obj runtime.Object) (*Kind, error) {
	gvk := obj.GetObjectKind().GroupVersionKind()
	if gvk.Empty() {
		for kind := range s.kinds.all() {
			if kind.Type != nil && reflect.TypeOf(kind.Type) == reflect.TypeOf(obj) {
				return kind, nil
			}
		}
		var err error
		if gvk, err = s.kindByScheme(obj); err != nil {
			return nil, err
		}
	}
	if kind := s.kinds.kind(gvk); kind != nil {
		return kind, nil
	}
	return nil, fmt.Errorf("the server has no kind %s; give it one by WithKinds", gvk)
}

// kindByScheme looks for the kind of a Go type in the scheme.
func (s *Server) kindByScheme(obj runtime.Object) (schema.GroupVersionKind, error) {
	kinds, _, err := s.scheme.ObjectKinds(obj)
	if err != nil {
		return schema.GroupVersionKind{}, errors.New("it names no kind, and the server does not know its Go type; set apiVersion and kind, or use WithScheme or WithKinds")
	}
	for _, gvk := range kinds {
		if s.kinds.kind(gvk) != nil {
			return gvk, nil
		}
	}
	return kinds[0], nil
}
