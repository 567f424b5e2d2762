package cachetest

import (
	"net/url"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// colorSelector is a selector of the field of colors.
const colorSelector = "spec.color!=red"

// Selector selects objects by a label and a field.
type Selector struct{ ByLabel, ByField bool }

// Any reports whether it does not select all objects.
func (s Selector) Any() bool { return s.ByLabel || s.ByField }

// Has reports whether it selects an object.
func (s Selector) Has(obj *unstructured.Unstructured) bool {
	return (!s.ByLabel || InSelection(MetadataOf(obj))) && (!s.ByField || ColorOf(obj) != "red")
}

func (s Selector) query() url.Values {
	query := url.Values{}
	if s.ByLabel {
		query.Set("labelSelector", LettersSelector)
	}
	if s.ByField {
		query.Set("fieldSelector", colorSelector)
	}
	return query
}

// LettersSelector is a label selector.
const LettersSelector = "letters notin (x, xy)"

// InSelection reports whether LettersSelector selects an object.
func InSelection(obj Object) bool {
	return obj.Labels["letters"] != "x" && obj.Labels["letters"] != "xy"
}
