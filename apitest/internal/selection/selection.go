// Package selection finds the objects that a list or a watch is for: those of a namespace, a label
// selector and a field selector, page by page and at a version, as a kube-apiserver with a watch
// cache does. It knows no HTTP, and its errors are those that the client gets.
package selection

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	internalvalidation "k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
)

// Selection says which objects of a resource a request is for.
type Selection struct {
	kind Kind
	// namespace is empty for all namespaces.
	namespace string
	// name is empty for all names. If it is set, so is namespace, unless the kind has none.
	name   string
	labels labels.Selector // nil if empty
	fields fields.Selector // nil if empty
}

// Validate sets the defaults of options and checks them, as a server does that streams lists.
func Validate(options *internalversion.ListOptions) error {
	internalversion.SetListOptionsDefaults(options, true)
	if errs := internalvalidation.ValidateListOptions(options, true); len(errs) > 0 {
		return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs)
	}
	return nil
}

// New returns the selection of a request for objects in a namespace. An empty namespace means all
// of them. If name is not empty, the request is for one object, as in the old path /watch/.
func New(kind Kind, namespace, name string, options *internalversion.ListOptions) (*Selection, error) {
	s := &Selection{kind: kind, namespace: namespace}
	if options.LabelSelector != nil && !options.LabelSelector.Empty() {
		s.labels = options.LabelSelector
	}
	if options.FieldSelector != nil && !options.FieldSelector.Empty() {
		selector, err := options.FieldSelector.Transform(kind.label)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		s.fields = selector
	}
	if name != "" {
		switch {
		case s.fields == nil:
			s.fields = fields.OneTermEqualSelector("metadata.name", name)
		default:
			if selected, ok := s.fields.RequiresExactMatch("metadata.name"); !ok || selected != name {
				return nil, apierrors.NewBadRequest("fieldSelector metadata.name doesn't match requested name")
			}
		}
	}
	// A token continues a list without what follows. So the second page of a list that selects a
	// namespace by a field begins at the wrong key, in a kube-apiserver too.
	if s.fields != nil && options.Continue == "" {
		s.narrow()
	}
	return s, nil
}

// narrow uses the terms of the field selector about the namespace and the name.
func (s *Selection) narrow() {
	if s.namespace == "" && s.kind.Namespaced {
		if namespace, ok := s.fields.RequiresExactMatch("metadata.namespace"); ok && len(validation.ValidateNamespaceName(namespace, false)) == 0 {
			s.namespace = namespace
		}
	}
	name, ok := s.fields.RequiresExactMatch("metadata.name")
	if ok && len(path.IsValidPathSegmentName(name)) == 0 && (s.namespace != "" || !s.kind.Namespaced) {
		s.name = name
	}
}

// Resource is the resource of the objects.
func (s *Selection) Resource() schema.GroupResource { return s.kind.Resource }

// all reports whether all objects of the namespace are selected.
func (s *Selection) all() bool { return s.labels == nil && s.fields == nil }

// prefix is how the paths of all objects begin.
func (s *Selection) prefix() string {
	if s.namespace == "" {
		return ""
	}
	return s.namespace + "/"
}

// Matches reports whether an object is selected.
func (s *Selection) Matches(state *history.State) bool {
	switch {
	case s.namespace != "" && s.namespace != state.Namespace:
		return false
	case s.name != "" && s.name != state.Name:
		return false
	case s.labels != nil && !s.labels.Matches(labelsOf(state)):
		return false
	case s.fields != nil && !s.fields.Matches(objectFields{fields: s.kind.Fields, state: state}):
		return false
	}
	return true
}

// Event returns an event as a watch shows it: an object that begins to match was added, and one
// that no longer matches was deleted, with its state before and the version of the event. It
// reports false if the watch does not show the event.
func (s *Selection) Event(event history.Event) (watch.EventType, *history.State, bool) {
	if event.Type == watch.Deleted {
		return watch.Deleted, event.State, s.Matches(event.Before)
	}
	is := s.Matches(event.State)
	was := event.Before != nil && s.Matches(event.Before)
	switch {
	case is && was:
		return watch.Modified, event.State, true
	case is:
		return watch.Added, event.State, true
	case was:
		return watch.Deleted, event.Before.At(event.State.Version), true
	}
	return "", nil, false
}

// Objects returns the objects at a version, in the order of a list. Version 0 means now.
func (s *Selection) Objects(h *history.History, version uint64) ([]*history.State, error) {
	states, err := s.candidates(h, version)
	if err != nil || s.all() {
		return states, err
	}
	var selected []*history.State
	for _, state := range states {
		if s.Matches(state) {
			selected = append(selected, state)
		}
	}
	return selected, nil
}

// candidates returns the objects at a version among which are those that are selected.
func (s *Selection) candidates(h *history.History, version uint64) ([]*history.State, error) {
	if s.name == "" || version != 0 {
		return h.List(s.kind.Resource, s.namespace, version)
	}
	state := h.Get(history.Key{GroupResource: s.kind.Resource, Namespace: s.namespace, Name: s.name})
	if state == nil {
		return nil, nil
	}
	return []*history.State{state}, nil
}
