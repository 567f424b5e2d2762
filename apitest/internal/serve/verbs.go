package serve

import (
	"cmp"

	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"

	"github.com/typedinformers/informer-gen/apitest/internal/rest"
	"github.com/typedinformers/informer-gen/apitest/internal/selection"
)

// do decodes the options and the body of a request to a resource, and runs its verb. A watch is not one of these.
func (h *Handler) do(r *Request) (*rest.Reply, error) {
	switch r.Verb {
	case "get":
		var options metav1.GetOptions
		if err := r.Options(&options); err != nil {
			return nil, err
		}
		return h.store.Get(&r.Request, &options)
	case "list":
		options, selected, err := r.selected()
		if err != nil {
			return nil, err
		}
		return h.store.List(selected, options)
	case "create":
		return h.create(r)
	case "update":
		return h.update(r)
	case "patch":
		return h.patch(r)
	case "delete":
		if r.Subresource != "" {
			return nil, r.NotAllowed()
		}
		options, err := r.DeleteOptions()
		if err != nil {
			return nil, err
		}
		return h.store.Delete(&r.Request, options)
	case "deletecollection":
		options, selected, err := r.selected()
		if err != nil {
			return nil, err
		}
		deletion, err := r.DeleteOptions()
		if err != nil {
			return nil, err
		}
		return h.store.DeleteCollection(&r.Request, selected, options, deletion)
	}
	return nil, r.NotAllowed()
}

// selected returns the options of list, watch and deletecollection, and their selection.
func (r *Request) selected() (*internalversion.ListOptions, *selection.Selection, error) {
	options := &internalversion.ListOptions{}
	if err := r.Options(options); err != nil {
		return nil, nil, err
	}
	selected, err := r.Request.Selected(options)
	return options, selected, err
}

func (h *Handler) create(r *Request) (*rest.Reply, error) {
	if _, err := r.ContentType(); err != nil {
		return nil, err
	}
	var options metav1.CreateOptions
	if err := r.Options(&options); err != nil {
		return nil, err
	}
	if errs := metavalidation.ValidateCreateOptions(&options); len(errs) > 0 {
		return nil, rest.InvalidOptions("CreateOptions", errs)
	}
	w := r.write(options.FieldManager, options.FieldValidation, options.DryRun)
	if r.Subresource != "" {
		return h.store.CreateSubresource(&r.Request, w.DryRun, r.subresourceBody)
	}
	obj, err := r.Object(options.FieldValidation)
	if err != nil {
		return nil, err
	}
	return h.store.Create(&r.Request, obj, w)
}

func (h *Handler) update(r *Request) (*rest.Reply, error) {
	var options metav1.UpdateOptions
	if err := r.Options(&options); err != nil {
		return nil, err
	}
	if errs := metavalidation.ValidateUpdateOptions(&options); len(errs) > 0 {
		return nil, rest.InvalidOptions("UpdateOptions", errs)
	}
	obj, err := r.Object(options.FieldValidation)
	if err != nil {
		return nil, err
	}
	return h.store.Update(&r.Request, obj, r.write(options.FieldManager, options.FieldValidation, options.DryRun))
}

func (h *Handler) patch(r *Request) (*rest.Reply, error) {
	patchType, err := r.patchType()
	if err != nil {
		return nil, err
	}
	var options metav1.PatchOptions
	if err := r.Options(&options); err != nil {
		return nil, err
	}
	if errs := metavalidation.ValidatePatchOptions(&options, patchType); len(errs) > 0 {
		return nil, rest.InvalidOptions("PatchOptions", errs)
	}
	w := r.write(options.FieldManager, options.FieldValidation, options.DryRun)
	return h.store.Patch(&r.Request, patchType, r.Body, options.Force != nil && *options.Force, w)
}

// write returns the options of a write.
func (r *Request) write(manager, validation string, dryRun []string) rest.Write {
	r.Agent = agent(r.HTTP)
	return rest.Write{Manager: cmp.Or(manager, r.Agent), Validation: validation, DryRun: len(dryRun) > 0}
}
