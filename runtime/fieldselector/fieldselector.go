// Package fieldselector has typed selectors of the objects that a server returns, by their fields. The clientsets that informer-gen
// emits have a Field for each +kubebuilder:selectablefield. Package cache takes a Selector in WithFieldSelector.
package fieldselector

import (
	"reflect"
	"strconv"

	"k8s.io/apimachinery/pkg/fields"
)

// Field is a field by which a server selects objects of the kind T, by its JSON
// path; its values are of type V. The generated clientset has a constant for each
// +kubebuilder:selectablefield:
//
//	const FooFieldSpecColor fieldselector.Field[*v1.Foo, string] = "spec.color"
type Field[T any, V Value] string

// Value is the type of a selectable field: a string, a boolean or an integer
// (https://kep.k8s.io/4358).
type Value interface {
	~string | ~bool |
		~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Is selects the objects whose field has that value.
func (f Field[T, V]) Is(value V) Selector[T] {
	return Selector[T]{fields.OneTermEqualSelector(string(f), textOf(value))}
}

// IsNot selects the objects whose field has another value.
func (f Field[T, V]) IsNot(value V) Selector[T] {
	return Selector[T]{fields.OneTermNotEqualSelector(string(f), textOf(value))}
}

// textOf returns a value as a server compares it. It ignores a method String of its
// type.
func textOf[V Value](value V) string {
	switch v := reflect.ValueOf(value); {
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	default:
		return strconv.FormatUint(v.Uint(), 10)
	}
}

// Selector selects objects of the kind T on the server. The zero value selects
// all of them.
type Selector[T any] struct {
	selector fields.Selector
}

// And selects the objects that s and all others select.
func (s Selector[T]) And(others ...Selector[T]) Selector[T] {
	var terms []fields.Selector
	for _, selector := range append([]Selector[T]{s}, others...) {
		if selector.selector != nil {
			terms = append(terms, selector.selector)
		}
	}
	if len(terms) == 0 {
		return Selector[T]{}
	}
	return Selector[T]{fields.AndSelectors(terms...)}
}

// Selector returns s without its type parameter.
func (s Selector[T]) Selector() fields.Selector {
	if s.selector == nil {
		return fields.Everything()
	}
	return s.selector
}

// String returns s as metav1.ListOptions.FieldSelector; empty for all objects.
func (s Selector[T]) String() string {
	if s.selector == nil {
		return ""
	}
	return s.selector.String()
}
