package rest

import (
	"encoding/json"
	"math"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/apitest/internal/selection"
)

// do runs a verb, and the controllers after a write.
func (s *Store) do(verb func() (*Reply, error)) (*Reply, error) {
	s.Lock()
	defer s.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	answer, err := verb()
	s.collect()
	return answer, err
}

// Get returns an object or its Scale.
func (s *Store) Get(r *Request, options *metav1.GetOptions) (*Reply, error) {
	return s.do(func() (*Reply, error) { return s.get(r, options) })
}

// List returns a page of a collection.
func (s *Store) List(selected *selection.Selection, options *internalversion.ListOptions) (*Reply, error) {
	return s.do(func() (*Reply, error) { return s.page(selected, options) })
}

// Create stores a new object. The caller does not use obj again.
func (s *Store) Create(r *Request, obj *unstructured.Unstructured, w Write) (*Reply, error) {
	return s.do(func() (*Reply, error) { return s.create(r, obj, w) })
}

func (s *Store) create(r *Request, obj *unstructured.Unstructured, w Write) (*Reply, error) {
	if !r.Kind.Custom() && r.Kind.BuiltIn.Virtual {
		return s.review(r, obj, w.DryRun)
	}
	return s.insert(r, obj, w)
}

// CreateSubresource executes a POST of a subresource: a binding, an eviction or a token. decode returns the body.
func (s *Store) CreateSubresource(r *Request, dryRun bool, decode func() (map[string]any, error)) (*Reply, error) {
	return s.do(func() (*Reply, error) { return s.createSubresource(r, dryRun, decode) })
}

// Update replaces an object, or a part of it. The caller does not use obj again.
func (s *Store) Update(r *Request, obj *unstructured.Unstructured, w Write) (*Reply, error) {
	if err := r.checkName(obj); err != nil {
		return nil, err
	}
	return s.do(func() (*Reply, error) { return s.update(r, obj, w) })
}

// Patch changes an object as a patch says, which may be an apply configuration. force lets that take fields from other
// managers.
func (s *Store) Patch(r *Request, patchType types.PatchType, patch []byte, force bool, w Write) (*Reply, error) {
	w.applied = true
	return s.do(func() (*Reply, error) { return s.patch(r, patchType, patch, force, w) })
}

func (s *Store) patch(r *Request, patchType types.PatchType, patch []byte, force bool, w Write) (*Reply, error) {
	live := s.History.Get(r.Key())
	switch {
	case patchType == types.ApplyYAMLPatchType:
		return s.apply(r, live, patch, force, w)
	case !json.Valid(patch):
		return nil, apierrors.NewBadRequest("invalid JSON patch")
	case live == nil:
		return nil, r.Missing()
	}
	change := func(obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return s.patched(r, patchType, patch, obj, w)
	}
	if r.Subresource == "scale" {
		return s.updateScale(r, live, w, change)
	}
	obj, err := change(&unstructured.Unstructured{Object: r.Kind.Present(live)})
	if err != nil {
		return nil, err
	}
	return s.replace(r, live, obj, w)
}

// Delete deletes an object, or marks it as deleting.
func (s *Store) Delete(r *Request, options *metav1.DeleteOptions) (*Reply, error) {
	return s.do(func() (*Reply, error) { return s.delete(r, options) })
}

// DeleteCollection deletes the objects of a collection, and answers with them as they were before. If one cannot be deleted,
// those before it are gone. It lists all objects at once, where a kube-apiserver deletes 10,000 of them between two lists:
// nothing else is written meanwhile, and the deletions would expire the version of the first list.
func (s *Store) DeleteCollection(r *Request, selected *selection.Selection, options *internalversion.ListOptions, deletion *metav1.DeleteOptions) (*Reply, error) {
	if unsafe(deletion) {
		return nil, InvalidOptions("DeleteOptions", field.ErrorList{
			field.Invalid(field.NewPath(unsafeField), true, "is not allowed with DELETECOLLECTION, try again after removing the option"),
		})
	}
	if options.Limit == 0 {
		options.Limit = math.MaxInt32 // a list with a limit takes resourceVersion as exact
	}
	return s.do(func() (*Reply, error) { return s.deleteCollection(r, selected, options, deletion) })
}

// Restore returns to the state at a version. If bump is set, versions go on after the present one, and all earlier ones have
// expired. The caller holds the lock.
func (s *Store) Restore(version uint64, bump bool) error {
	last := s.History.Version()
	if err := s.History.Restore(version); err != nil {
		return err
	}
	if bump {
		s.History.CompactAfter(last)
	}
	s.reindex()
	return nil
}

func (s *Store) get(r *Request, options *metav1.GetOptions) (*Reply, error) {
	if err := selection.CheckMinimum(s.History, options.ResourceVersion); err != nil {
		return nil, err
	}
	live := s.History.Get(r.Key())
	if live == nil {
		return nil, r.Missing()
	}
	if r.Subresource == "scale" {
		return getScale(r.Kind, r.Kind.Present(live))
	}
	return &Reply{Code: http.StatusOK, State: live}, nil
}
