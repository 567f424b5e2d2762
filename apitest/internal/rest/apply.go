package rest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/apitest/internal/fields"
	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// apply answers a server-side apply. live is nil if there is no object.
func (s *Store) apply(r *Request, live *history.State, body []byte, force bool, w Write) (*Reply, error) {
	config, err := fields.ParseConfiguration(body)
	if err != nil {
		return nil, err
	}
	change := func(obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return s.applied(r, obj, config, force, w)
	}
	switch {
	case live == nil && r.Subresource != "":
		return nil, r.Missing()
	case r.Subresource == "scale":
		return s.updateScale(r, live, w, func(scale *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			if r.Kind.Custom() && len(scale.GetManagedFields()) == 0 {
				return nil, errUnscaled
			}
			scaled, err := change(scale)
			if err == nil && r.Kind.Custom() && !reflect.DeepEqual(scale.Object["spec"], scaled.Object["spec"]) {
				return nil, unscaled(config)
			}
			return scaled, err
		})
	case live != nil:
		obj, err := change(&unstructured.Unstructured{Object: r.Kind.Present(live)})
		if err != nil {
			return nil, err
		}
		return s.replace(r, live, obj, w)
	}
	obj, err := change(&unstructured.Unstructured{})
	if err != nil {
		return nil, err
	}
	obj.SetResourceVersion("") // a new object may be applied with one
	return s.insert(r, obj, w)
}

// applied merges a configuration into an object or a Scale, which does not change. live is empty if
// there is no object.
func (s *Store) applied(r *Request, live *unstructured.Unstructured, config *fields.Configuration, force bool, w Write) (*unstructured.Unstructured, error) {
	m, err := s.Kinds.Manager(r.Kind, r.Subresource)
	if err != nil {
		return nil, err
	}
	applied, err := config.Fields()
	if err != nil {
		return nil, err
	}
	if typed := r.PatchedType(); typed != nil && (r.Subresource == "scale" || !r.Kind.Custom()) {
		// The Go type of a custom resource may be older than its schema, but this is the type itself.
		if unknown := kinds.UnknownFields(applied, typed); len(unknown) > 0 {
			return nil, fmt.Errorf("failed to create typed patch object (/%s; %v): .%s: field not declared in schema", r.Name, r.BodyKind(), unknown[0])
		}
	}
	if !r.Kind.Custom() && r.PatchedType() == nil && hasLists(applied) && isOfOthers(live, w.Manager) {
		r.Warn(fmt.Sprintf("apitest does not know which lists of a %s an API server merges, so this apply replaces whole lists; give it the Go type by WithScheme", r.Kind.Kind))
	}
	content, err := m.Apply(live.Object, applied, w.Manager, force, s.Now())
	if err != nil {
		return nil, err
	}
	if w.Validation != metav1.FieldValidationIgnore {
		warnings, err := config.Duplicates()
		if err != nil && w.Validation == metav1.FieldValidationStrict {
			return nil, err
		}
		for _, warning := range warnings {
			r.Warn(warning)
		}
	}
	obj := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}
	if live.Object == nil && obj.GetUID() != "" {
		return nil, apierrors.NewConflict(r.Kind.GroupResource(), r.Name,
			fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", obj.GetUID()))
	}
	if err := r.checkName(obj); err != nil {
		return nil, err
	}
	if r.Subresource == "scale" {
		return obj, nil
	}
	if r.Kind.Type != nil && !r.Kind.Custom() {
		_, err = r.Kind.Normalize(obj)
		return obj, err
	}
	r.Kind.MoveText(obj.Object)
	_, err = kinds.NormalizeMetadata(obj)
	return obj, err
}

// hasLists reports whether there is a list of objects in a value.
func hasLists(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for _, field := range value {
			if hasLists(field) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, func(item any) bool { _, isObject := item.(map[string]any); return isObject })
	}
	return false
}

// isOfOthers reports whether another manager has written an object, besides its status.
func isOfOthers(obj *unstructured.Unstructured, manager string) bool {
	return slices.ContainsFunc(obj.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return e.Manager != manager && e.Subresource == "" })
}

// errForeign is why the API server does not apply a Scale of a custom resource that would change it:
// it converts the result as it converts the custom resource. An apply that changes nothing succeeds.
var errForeign = errors.New("request to convert CR to an invalid group/version: autoscaling/v1")

// unscaled returns the error for an apply that would change a Scale of a custom resource.
func unscaled(config *fields.Configuration) error {
	applied, err := config.Fields()
	if err != nil {
		return err
	}
	named := unstructured.Unstructured{Object: applied}
	return fmt.Errorf("failed to convert new object (%s/%s; autoscaling/v1, Kind=Scale) to proper version: %w", named.GetNamespace(), named.GetName(), errForeign)
}

// errUnscaled is the answer of the API server if a Scale of a custom resource is applied, and no
// manager has the replicas. It cannot find out their manager then.
var errUnscaled = fmt.Errorf("failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: %w", errForeign)
