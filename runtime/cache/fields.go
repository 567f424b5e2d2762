package cache

import (
	"reflect"
	"strconv"

	"k8s.io/apimachinery/pkg/fields"
)

// Field is a field by which a server selects objects of the kind T, by its JSON
// path; its values are of type V. The generated clientset has a constant for each
// +kubebuilder:selectablefield:
//
//	const FooFieldSpecColor cache.Field[*v1.Foo, string] = "spec.color"
type Field[T Object, V FieldValue] string

// FieldValue is the type of a selectable field: a string, a boolean or an integer
// (https://kep.k8s.io/4358).
type FieldValue interface {
	~string | ~bool |
		~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Is selects the objects whose field has that value.
func (f Field[T, V]) Is(value V) FieldSelector[T] {
	return FieldSelector[T]{fields.OneTermEqualSelector(string(f), fieldValue(value))}
}

// IsNot selects the objects whose field has another value.
func (f Field[T, V]) IsNot(value V) FieldSelector[T] {
	return FieldSelector[T]{fields.OneTermNotEqualSelector(string(f), fieldValue(value))}
}

// fieldValue returns a value as a server compares it. It ignores a method String of its
// type.
func fieldValue[V FieldValue](value V) string {
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

// FieldSelector selects objects of the kind T on the server. The zero value selects
// all of them.
type FieldSelector[T Object] struct {
	selector fields.Selector
}

// And selects the objects that s and all others select.
func (s FieldSelector[T]) And(others ...FieldSelector[T]) FieldSelector[T] {
	var terms []fields.Selector
	for _, selector := range append([]FieldSelector[T]{s}, others...) {
		if selector.selector != nil {
			terms = append(terms, selector.selector)
		}
	}
	if len(terms) == 0 {
		return FieldSelector[T]{}
	}
	return FieldSelector[T]{fields.AndSelectors(terms...)}
}

// String returns s as metav1.ListOptions.FieldSelector; empty for all objects.
func (s FieldSelector[T]) String() string {
	if s.selector == nil {
		return ""
	}
	return s.selector.String()
}
