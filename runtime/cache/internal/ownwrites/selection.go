package ownwrites

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// Selection evaluates the selectors of a list and watch as the server does. nil selects all
// objects. Any goroutine may call its methods.
type Selection struct {
	// set sets the selectors of a request. It may be nil.
	set   func(*metav1.ListOptions)
	shard sharding.Selector

	mu sync.Mutex // guards the fields below
	// readLabels and readFields are the selectors that were parsed last.
	readLabels, readFields string
	labels                 labels.Selector
	fields                 fields.Selector
	// unknown is a part of them that only the server can evaluate.
	unknown string
}

// NewSelection returns the selection of requests for a shard, whose selectors set sets. set may be
// nil.
func NewSelection(set func(*metav1.ListOptions), shard sharding.Selector) *Selection {
	if set == nil && shard.Empty() {
		return nil
	}
	return &Selection{set: set, shard: shard}
}

// NeverHas reports whether an object is in another shard as long as it exists.
func (s *Selection) NeverHas(obj metav1.Object) bool {
	return s != nil && s.shard.Key() != sharding.Owner && !s.shard.Matches(obj)
}

// MayLose reports whether an object that exists may leave the selection.
func (s *Selection) MayLose() bool {
	return s != nil && (s.set != nil || s.shard.Key() == sharding.Owner)
}

// Matches reports whether the selectors select an object. It is not known if only the server can
// evaluate them.
func (s *Selection) Matches(obj metav1.Object) (selected, known bool) {
	if s == nil {
		return true, true
	}
	if !s.shard.Matches(obj) {
		return false, true
	}
	byLabels, byFields, unknown := s.parsed()
	if unknown != "" {
		return false, false
	}
	of := fields.Set{"metadata.name": obj.GetName(), "metadata.namespace": obj.GetNamespace()}
	return byLabels.Matches(labels.Set(obj.GetLabels())) && byFields.Matches(of), true
}

// Unknown returns the field, or the whole selector, that only the server can evaluate; empty if
// there is none.
func (s *Selection) Unknown() string {
	if s == nil {
		return ""
	}
	_, _, unknown := s.parsed()
	return unknown
}

// parsed returns the selectors of the next request.
func (s *Selection) parsed() (labels.Selector, fields.Selector, string) {
	var request metav1.ListOptions
	if s.set != nil {
		s.set(&request)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.labels == nil || s.readLabels != request.LabelSelector || s.readFields != request.FieldSelector {
		s.parse(request.LabelSelector, request.FieldSelector)
	}
	return s.labels, s.fields, s.unknown
}

func (s *Selection) parse(byLabels, byFields string) {
	s.readLabels, s.readFields, s.unknown = byLabels, byFields, ""
	var err error
	if s.labels, err = labels.Parse(byLabels); err != nil {
		s.labels, s.unknown = labels.Nothing(), byLabels
	}
	if s.fields, err = fields.ParseSelector(byFields); err != nil {
		s.unknown = byFields
		return
	}
	for _, requirement := range s.fields.Requirements() {
		if field := requirement.Field; field != "metadata.name" && field != "metadata.namespace" {
			s.unknown = field
		}
	}
}
