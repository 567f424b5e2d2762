package rest

import (
	"errors"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// insert stores a new object. The caller does not use obj again.
func (s *Store) insert(r *Request, obj *unstructured.Unstructured, w Write) (*Reply, error) {
	obj.SetCreationTimestamp(metav1.Time{})
	obj.SetUID("")
	obj.SetDeletionTimestamp(nil)
	obj.SetDeletionGracePeriodSeconds(nil)
	obj.SetSelfLink("")
	if err := r.CheckNamespace(obj); err != nil {
		return nil, err
	}
	if err := s.admitNamespace(r, obj); err != nil {
		return nil, err
	}
	r.dropDuplicateOwners(obj, duplicateOwners)
	if !w.applied {
		if err := s.manage(r, nil, obj, w.Manager); err != nil {
			return nil, err
		}
	}
	names := s.names
	restore := func() { s.names = names }
	obj.SetCreationTimestamp(metav1.NewTime(s.Now()))
	obj.SetUID(s.names.UID())
	if obj.GetName() == "" && obj.GetGenerateName() != "" {
		obj.SetName(s.names.Generate(obj.GetGenerateName(), func(name string) bool {
			return s.History.Get(history.Key{GroupResource: r.Kind.GroupResource(), Namespace: r.Namespace, Name: name}) != nil
		}))
	}
	prepareCreate(r.Kind, obj)
	err := r.validate(obj, nil, obj.GroupVersionKind().GroupKind())
	if err == nil && !w.DryRun {
		err = r.Kind.Store(obj) // before it is known whether there is one, as a real server does
	}
	if err != nil {
		restore()
		return nil, err
	}
	r.warnOfFinalizers(obj, nil)
	// Only a version that is a number other than 0 is refused.
	if version, err := strconv.ParseUint(obj.GetResourceVersion(), 10, 64); err == nil && version != 0 {
		restore()
		return nil, errors.New("resourceVersion should not be set on objects to be created")
	}
	obj.SetResourceVersion("")
	key := r.Key()
	key.Name = obj.GetName()
	if live := s.History.Get(key); live != nil {
		restore()
		err := apierrors.NewAlreadyExists(key.GroupResource, key.Name)
		if isDeleting(live.Object) {
			err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
		}
		return nil, err
	}
	if w.DryRun {
		if err := r.Kind.Store(obj); err != nil {
			return nil, err
		}
		return &Reply{Code: http.StatusCreated, Object: r.Kind.InVersion(obj.Object)}, nil
	}
	if err := r.checkSize(obj, nil); err != nil {
		restore()
		return nil, err
	}
	return s.put(key, obj, http.StatusCreated), nil
}

// prepareCreate sets the fields that a client does not decide.
func prepareCreate(k *kinds.Kind, obj *unstructured.Unstructured) {
	if k.Status && (k.Custom() || !k.BuiltIn.KeepStatus) {
		delete(obj.Object, "status")
		if status, has := k.Empty()["status"]; has {
			obj.Object["status"] = status // the Go type always has one
		}
	}
	if k.Generations() {
		obj.SetGeneration(1)
	} else {
		unstructured.RemoveNestedField(obj.Object, "metadata", "generation")
	}
	if k.IsNamespace() {
		prepareNamespace(obj)
	}
}
