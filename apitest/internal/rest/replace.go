package rest

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/apitest/internal/fields"
	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// ErrModified is the cause of a conflict.
var ErrModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// replace stores a new state of an object. The caller does not use obj again. Where a subresource
// is written, all else comes from live.
func (s *Store) replace(r *Request, live *history.State, obj *unstructured.Unstructured, w Write) (*Reply, error) {
	old := r.Kind.Present(live)
	if err := r.checkVersion(live, obj); err != nil {
		return nil, err
	}
	if !w.applied {
		r.dropDuplicateOwners(obj, duplicateOwners)
		if err := s.manage(r, old, obj, w.Manager); err != nil {
			return nil, err
		}
	}
	named := obj.GroupVersionKind().GroupKind()
	r.prepareUpdate(obj, old)
	if err := r.validate(obj, old, named); err != nil {
		return nil, err
	}
	r.warnOfFinalizers(obj, old)
	obj.Object = fields.KeepTimes(old, obj.Object) // a write that changes nothing makes no new version
	if isDeleting(old) && len(obj.GetFinalizers()) == 0 && noGrace(old) && !s.holdsContents(r.Kind, obj) {
		if !w.DryRun {
			s.erase(live)
		}
		return &Reply{Code: http.StatusOK, Object: obj.Object}, nil
	}
	if err := r.Kind.Store(obj); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(obj.Object, live.Object) || r.Kind.Schema == nil && reflect.DeepEqual(obj.Object, old) {
		return &Reply{Code: http.StatusOK, State: live}, nil
	}
	if w.DryRun {
		return &Reply{Code: http.StatusOK, Object: r.Kind.InVersion(obj.Object)}, nil
	}
	if err := r.checkSize(obj, live); err != nil {
		return nil, err
	}
	return s.put(live.Key, obj, http.StatusOK), nil
}

// checkUID compares the UID of a body with that of the live object.
func (r *Request) checkUID(live *history.State, obj *unstructured.Unstructured) error {
	if uid := obj.GetUID(); uid != "" {
		if have := uidOf(live.Object); string(uid) != have {
			return r.otherUID(live.Key, uid, have)
		}
	}
	return nil
}

// otherUID is the error for a body with another UID than the object has.
func (r *Request) otherUID(key history.Key, uid types.UID, have string) error {
	return apierrors.NewConflict(r.Kind.GroupResource(), r.Name, fmt.Errorf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: %v, UID in object meta: %v", storageKey(r.Kind, key), uid, have))
}

// storageKey is where etcd has an object. That of a built-in kind does not have the group.
func storageKey(k *kinds.Kind, key history.Key) string {
	path := "/registry/" + key.Resource + "/"
	if k.Custom() {
		path = "/registry/apiextensions.kubernetes.io/" + key.Group + "/" + key.Resource + "/"
	}
	if key.Namespace != "" {
		path += key.Namespace + "/"
	}
	return path + key.Name
}

// checkVersion compares the resourceVersion of a body with that of the live object.
func (r *Request) checkVersion(live *history.State, obj *unstructured.Unstructured) error {
	version := obj.GetResourceVersion()
	if version == "" || version == "0" {
		if r.Whole || !r.Kind.Custom() && !r.Kind.BuiltIn.Conditional {
			obj.SetResourceVersion(strconv.FormatUint(live.Version, 10))
			return nil
		}
		gr := r.Kind.GroupResource()
		return apierrors.NewInvalid(schema.GroupKind{Group: gr.Group, Kind: gr.Resource}, r.Name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update"),
		})
	}
	number, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return err
	}
	if number != live.Version {
		return apierrors.NewConflict(r.Kind.GroupResource(), r.Name, ErrModified)
	}
	return nil
}

// prepareUpdate sets the fields that a client does not decide, from the state before.
func (r *Request) prepareUpdate(obj *unstructured.Unstructured, old map[string]any) {
	was := &unstructured.Unstructured{Object: old}
	if r.Subresource == "status" || r.Subresource == "approval" {
		status, has := obj.Object["status"]
		managed, hasManaged, _ := unstructured.NestedFieldNoCopy(obj.Object, "metadata", "managedFields")
		obj.Object = maps.Clone(old)
		delete(obj.Object, "status")
		if has {
			obj.Object["status"] = status
		}
		metadata := maps.Clone(old["metadata"].(map[string]any))
		delete(metadata, "managedFields")
		if hasManaged {
			metadata["managedFields"] = managed
		}
		obj.Object["metadata"] = metadata
		return
	}
	if r.Kind.Status && (r.Subresource == "" || r.Subresource == "finalize") && !r.Whole {
		delete(obj.Object, "status")
		if status, has := old["status"]; has {
			obj.Object["status"] = status
		}
	}
	if r.Kind.IsNamespace() {
		r.prepareNamespaceUpdate(obj, old)
	}
	metadata := obj.Object["metadata"].(map[string]any)
	before := old["metadata"].(map[string]any)
	keep := func(name string) {
		if value, has := before[name]; has {
			metadata[name] = value
		}
	}
	delete(metadata, "generation")
	keep("generation")
	if r.Kind.Generations() && !r.Kind.SameContent(obj.Object, old) {
		obj.SetGeneration(was.GetGeneration() + 1)
	}
	if metadata["uid"] == nil {
		keep("uid")
	}
	keep("creationTimestamp")
	keep("deletionTimestamp")
	if metadata["deletionGracePeriodSeconds"] == nil {
		keep("deletionGracePeriodSeconds")
	}
	delete(metadata, "selfLink")
}
