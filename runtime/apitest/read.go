package apitest

import (
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/apitest/internal/history"
	"github.com/typedinformers/informer-gen/runtime/apitest/internal/selection"
)

// list answers GET of a collection.
func (s *Server) list(r *request) (*reply, error) {
	options, selected, err := r.selected()
	if err != nil {
		return nil, err
	}
	meta, items, err := selected.List(s.history, options)
	if err != nil {
		return nil, err
	}
	return &reply{code: http.StatusOK, list: &list{meta: meta, items: items}}, nil
}

// selected returns the options of list, watch and deletecollection, and what they select.
func (r *request) selected() (*internalversion.ListOptions, *selection.Selection, error) {
	options, err := r.listOptions()
	if err != nil {
		return nil, nil, err
	}
	if err := selection.Validate(options); err != nil {
		return nil, nil, err
	}
	kind := selection.Kind{
		GroupVersionKind: r.kind.GroupVersionKind, Resource: r.kind.groupResource(),
		Namespaced: r.kind.Namespaced, BuiltIn: !r.kind.custom(), Fields: r.kind.selectable(),
	}
	selected, err := selection.New(kind, r.namespace, r.name, options)
	return options, selected, err
}

// collectionPage is how many objects deletecollection deletes between two lists.
const collectionPage = 10_000

// deleteCollection answers DELETE of a collection. It answers with the objects as they were before.
// If one cannot be deleted, those before it are gone.
func (s *Server) deleteCollection(r *request) (*reply, error) {
	options, selected, err := r.selected()
	if err != nil {
		return nil, err
	}
	deletion, err := r.deleteOptions()
	if err != nil {
		return nil, err
	}
	limited := options.Limit > 0
	if options.Limit == 0 {
		options.Limit = collectionPage
	}
	var all *list
	for {
		meta, items, err := selected.List(s.history, options)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = &list{meta: meta}
		}
		all.items = append(all.items, items...)
		if err := s.deleteAll(r, items, deletion); err != nil {
			return nil, err
		}
		if limited || meta.Continue == "" {
			return &reply{code: http.StatusOK, list: all}, nil
		}
		options.Continue, options.ResourceVersion, options.ResourceVersionMatch = meta.Continue, "", ""
	}
}

// deleteAll deletes objects that are still there.
func (s *Server) deleteAll(r *request, items []*history.State, options *metav1.DeleteOptions) error {
	for _, item := range items {
		live := s.history.Get(item.Key)
		if live == nil {
			continue
		}
		if _, err := s.remove(r, live, options); err != nil {
			return err
		}
	}
	return nil
}

// get answers GET of one object or subresource.
func (s *Server) get(r *request) (*reply, error) {
	var options metav1.GetOptions
	if err := r.options(&options); err != nil {
		return nil, err
	}
	if err := selection.CheckMinimum(s.history, options.ResourceVersion); err != nil {
		return nil, err
	}
	live := s.history.Get(r.key())
	if live == nil {
		return nil, r.missing()
	}
	if r.subresource == "scale" {
		return r.kind.getScale(r.kind.present(live))
	}
	return &reply{code: http.StatusOK, state: live}, nil
}
